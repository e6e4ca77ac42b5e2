/** A stream of numbers that its seed determines. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** A whole number, at least 0 and less than `end`. */
  below(end: number): number;
}

/** Mulberry32: small, fast, and good enough to choose what is asked next. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (end) => Math.floor(next() * end) };
}
