import type { CompiledLimit, WirePolicy } from '../policy/compile.js';
import { shareOf } from '../policy/compile.js';
import type { Check, CheckResult } from '../store/decision-store.js';
import { MemoryStore } from '../store/memory-store.js';

/** Counters that a node keeps for itself while Redis cannot be asked. */
const MAX_LOCAL_KEYS = 50_000;

/** When a caller that is refused by `deny` may ask again: by then the store may be back. */
const DENY_RETRY_AFTER_US = 1_000_000;

/**
 * Decides without the store, limit by limit as its `onUnavailable` says: `share` spends this node's part of the limit
 * (limit ÷ nodes) by the same model that runs in the store; `deny` refuses; `allow` lets pass and counts nothing.
 * Still all or nothing: what one limit refuses is charged on none.
 */
export class DegradedMode {
  private readonly counters = new MemoryStore({ maxKeys: MAX_LOCAL_KEYS });
  private shares = new WeakMap<WirePolicy, WirePolicy>();
  private sharesFor = 1;

  /** @param nodes live nodes that share the limits, at least 1 */
  decide(
    limits: readonly CompiledLimit[],
    checks: readonly Check[],
    nodes: number,
    peek: boolean,
  ): { nowUs: number; results: CheckResult[] } {
    const denied = limits.some((limit) => limit.onUnavailable === 'deny');
    const shared = checks.filter((_, i) => limits[i]?.onUnavailable === 'share');
    const reply = this.counters.decideNow(
      shared.map((check) => ({ ...check, policy: this.shareFor(check.policy, nodes) })),
      peek || denied,
    );
    const sharedResults = reply.checks[Symbol.iterator]();
    const results = limits.map((limit): CheckResult => {
      if (limit.onUnavailable === 'deny') {
        return {
          allowed: false,
          remaining: 0,
          retryAfterUs: DENY_RETRY_AFTER_US,
          resetAfterUs: DENY_RETRY_AFTER_US,
        };
      }
      const result = limit.onUnavailable === 'share' ? sharedResults.next().value : undefined;
      return result ?? { allowed: true, remaining: limit.policy.capacity, retryAfterUs: 0, resetAfterUs: 0 };
    });
    return { nowUs: reply.nowUs, results };
  }

  /** The store is back: what was spent here is over. */
  end(): void {
    this.counters.clear();
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
