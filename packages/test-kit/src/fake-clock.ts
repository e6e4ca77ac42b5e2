/** A clock that moves only when told to. */
export interface FakeClock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Moves it, backwards too with a negative number. */
  advanceMs(ms: number): void;
}

/** Starts at 2026-01-01T00:00:00Z unless told otherwise. */
export function createFakeClock(startMs: number = Date.UTC(2026, 0, 1)): FakeClock {
  let now = startMs;
  return {
    nowMs: () => now,
    advanceMs: (ms) => {
      now += ms;
    },
  };
}
