/** Random numbers determined by a seed. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** An integer, at least 0 and less than `end`. */
  below(end: number): number;
  pick<T>(values: readonly T[]): T;
}

export function randomFrom(seed: number): Random {
  const next = seededRandom(seed);
  const below = (end: number) => Math.floor(next() * end);
  return { next, below, pick: <T>(values: readonly T[]) => values[below(values.length)] as T };
}

/** Numbers from 0 up to 1, equal on every machine. Mulberry32: small, fast, and sufficient to choose requests. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
