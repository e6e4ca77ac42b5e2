import type { BetterAuthRateLimitOptions } from 'better-auth';

type Storage = NonNullable<BetterAuthRateLimitOptions['customStorage']>;

/** Above this many callers at once, the one that has been counted longest is forgotten. */
const MAX_KEYS = 100_000;

/**
 * Counts attempts for one `auth`, in memory. better-auth's own memory belongs to the process: several apps in one would count
 * for each other. Its rule: after `max` attempts nothing passes until `window` seconds after the last that passed.
 */
export class AttemptCounts implements Storage {
  private readonly counts = new Map<string, { count: number; lastMs: number; windowMs: number }>();

  constructor(private readonly nowMs: () => number = Date.now) {}

  async consume(key: string, rule: { window: number; max: number }) {
    const nowMs = this.nowMs();
    this.forgetOld(nowMs);
    const windowMs = rule.window * 1000;
    const { count, lastMs } = this.counts.get(key) ?? { count: 0, lastMs: nowMs };
    if (count >= rule.max) {
      return { allowed: false, retryAfter: Math.ceil((lastMs + windowMs - nowMs) / 1000) };
    }
    this.counts.delete(key); // so that the map stays in the order of the last attempts
    this.counts.set(key, { count: count + 1, lastMs: nowMs, windowMs });
    return { allowed: true, retryAfter: null };
  }

  private forgetOld(nowMs: number): void {
    for (const [key, { lastMs, windowMs }] of this.counts) {
      if (nowMs - lastMs >= windowMs || this.counts.size > MAX_KEYS) this.counts.delete(key);
    }
  }
}
