import type { LimitPolicy } from '@tollgate/contracts';
import { compileLimit } from '../policy/compile.js';
import type { Check, DecisionStore } from '../store/decision-store.js';
import { counterKey } from '../store/keys.js';

/** Where a counter stands. */
export interface CounterReading {
  used: number;
  remaining: number;
  /** Unix ms at which nothing is used any more. */
  resetAtMs: number;
}

/**
 * Reads the counters of a tenant's limits without charging. Null for a limit that counts by more than the tenant (it
 * has many counters), and for all of them when the store cannot be asked. Never rejects.
 */
export async function peekCounters(
  store: DecisionStore,
  tenant: string,
  policies: readonly LimitPolicy[],
): Promise<(CounterReading | null)[]> {
  const checks = policies.map((policy): Check | undefined => {
    const compiled = policy.per.length === 0 ? compileLimit(policy) : undefined;
    if (compiled === undefined || !compiled.ok) return undefined;
    const { keyStem, policy: wire } = compiled.limit;
    return { key: counterKey(tenant, keyStem, []), policy: wire, cost: 0 };
  });
  const asked = checks.filter((check) => check !== undefined);
  const reply = asked.length === 0 ? undefined : await store.decide(asked, { peek: true });
  if (reply === undefined || !reply.available) return policies.map(() => null);
  const { nowUs } = reply;
  const results = reply.checks[Symbol.iterator]();
  return checks.map((check) => {
    const result = check === undefined ? undefined : results.next().value;
    if (check === undefined || result === undefined) return null;
    return {
      used: Math.max(0, check.policy.capacity - result.remaining),
      remaining: result.remaining,
      resetAtMs: Math.ceil((nowUs + result.resetAfterUs) / 1000),
    };
  });
}
