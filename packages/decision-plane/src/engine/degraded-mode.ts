import { algorithmOf } from '../algorithms/index.js';
import { type CompiledLimit, shareOf, type WirePolicy } from '../policy/compile.js';
import type { Check, CheckResult } from '../store/decision-store.js';
import { type ClockUs, MemoryStore } from '../store/memory-store.js';
import { LastKnown } from './last-known.js';

/** Counters that a node keeps for itself while Redis cannot be asked. */
const MAX_LOCAL_KEYS = 50_000;

/** When a caller that is refused by `deny` may ask again: by then the store may be back. */
const DENY_RETRY_AFTER_US = 1_000_000;

/**
 * Decides without the store, limit by limit as its `onUnavailable` says. `share` spends this node's part of what was left
 * when the store last spoke of the counter (remaining ÷ nodes), and its part of what comes back since, by the same model
 * that runs in the store: over all nodes no more than was left. `deny` refuses; `allow` lets pass and counts nothing.
 * Still all or nothing: what one limit refuses is charged on none.
 */
export class DegradedMode {
  private readonly counters: MemoryStore;
  private readonly lastKnown = new LastKnown();
  private shares = new WeakMap<WirePolicy, WirePolicy>();
  private sharesFor = 1;

  constructor(options: { clockUs?: ClockUs } = {}) {
    this.counters = new MemoryStore({ ...options, maxKeys: MAX_LOCAL_KEYS });
  }

  /** Takes note of what the store says while it can be asked. */
  remember(checks: readonly Check[], results: readonly CheckResult[], nowUs: number): void {
    this.lastKnown.remember(checks, results, nowUs);
  }

  /** @param nodes live nodes that share the limits, at least 1 */
  decide(
    limits: readonly CompiledLimit[],
    checks: readonly Check[],
    nodes: number,
    peek: boolean,
  ): { nowUs: number; results: CheckResult[] } {
    const denied = limits.some((limit) => limit.stored.onUnavailable === 'deny');
    const shared = checks.filter((_, i) => limits[i]?.stored.onUnavailable === 'share');
    const shares = shared.map((check) => ({ ...check, policy: this.shareFor(check.policy, nodes) }));
    for (const { key, policy } of shares) this.beginShare(key, policy, nodes);
    const reply = this.counters.decideNow(shares, peek || denied);
    const sharedResults = reply.checks[Symbol.iterator]();
    const results = limits.map((limit): CheckResult => {
      if (limit.stored.onUnavailable === 'deny') {
        return {
          allowed: false,
          remaining: 0,
          retryAfterUs: DENY_RETRY_AFTER_US,
          resetAfterUs: DENY_RETRY_AFTER_US,
        };
      }
      const result = limit.stored.onUnavailable === 'share' ? sharedResults.next().value : undefined;
      return result ?? { allowed: true, remaining: limit.policy.capacity, retryAfterUs: 0, resetAfterUs: 0 };
    });
    return { nowUs: reply.nowUs, results };
  }

  /** The store is back: what was spent here is over. */
  end(): void {
    this.counters.clear();
  }

  // The first request of an outage finds its share spent as far as the whole was: charged at the time of that reading, so
  // that what comes back since comes back by the model.
  private beginShare(key: string, share: WirePolicy, nodes: number): void {
    const reading = this.counters.stateOf(key) === undefined ? this.lastKnown.find(key) : undefined;
    if (reading === undefined) return;
    const spent = Math.max(0, share.capacity - Math.floor(reading.remaining / nodes));
    const { state } = algorithmOf(share.algorithm).step(undefined, share, spent, reading.nowUs);
    if (state !== undefined) this.counters.restore(key, state);
  }

  private shareFor(policy: WirePolicy, nodes: number): WirePolicy {
    if (nodes !== this.sharesFor) {
      this.shares = new WeakMap();
      this.sharesFor = nodes;
    }
    let share = this.shares.get(policy);
    if (share === undefined) {
      share = shareOf(policy, nodes);
      this.shares.set(policy, share);
    }
    return share;
  }
}
