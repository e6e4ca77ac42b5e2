import type { Check, CheckResult } from '../store/decision-store.js';

/** What the store last said of a counter. */
export interface LastReading {
  remaining: number;
  /** The store's time, microseconds since the Unix epoch. */
  nowUs: number;
}

/** Counters remembered at least; at most twice as many. */
const KEYS_PER_GENERATION = 50_000;

/**
 * Where the counters that were asked about lately stood. Two generations of plain maps and not an LRU cache: this is paid
 * for by every decision (0.12 µs against 0.29 µs a key, among 100,000 keys).
 */
export class LastKnown {
  private recent = new Map<string, LastReading>();
  private older = new Map<string, LastReading>();

  remember(checks: readonly Check[], results: readonly CheckResult[], nowUs: number): void {
    for (let i = 0; i < checks.length; i++) {
      const key = checks[i]?.key;
      const remaining = results[i]?.remaining;
      if (key !== undefined && remaining !== undefined) this.recent.set(key, { remaining, nowUs });
    }
    if (this.recent.size < KEYS_PER_GENERATION) return;
    this.older = this.recent;
    this.recent = new Map();
  }

  find(key: string): LastReading | undefined {
    return this.recent.get(key) ?? this.older.get(key);
  }
}
