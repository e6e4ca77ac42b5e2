import { nominalWindowMs, rateLimitHeaders } from '@tollgate/contracts';
import type { PortalLimit } from './api.js';

/** A limit as response headers show it. */
export interface HeaderPolicy {
  name: string;
  limit: number;
  /** Seconds. */
  window: number;
  remaining: number;
  /** Unix ms. */
  reset: number;
}

export interface Call {
  api: string;
  /** Null for any operation. */
  operation: string | null;
}

/** Calls with limits; those with counters of the tenant first. */
export function callsOf(limits: readonly PortalLimit[]): Call[] {
  const calls = new Map<string, Call>();
  for (const { limit } of limits.toSorted((a, b) => Number(!a.live) - Number(!b.live))) {
    const { api, operations } = limit.policy;
    for (const operation of operations.length === 0 ? [null] : operations)
      calls.set(`${api}/${operation ?? ''}`, { api, operation });
  }
  return [...calls.values()];
}

/** Limits of a call that have a counter per tenant. */
export function headerPolicies(limits: readonly PortalLimit[], { api, operation }: Call): HeaderPolicy[] {
  return limits.flatMap(({ limit: { policy }, live }) => {
    const applies =
      policy.api === api &&
      (policy.operations.length === 0 || (operation !== null && policy.operations.includes(operation)));
    if (!applies || !live) return [];
    const window = policy.algorithm === 'concurrency' ? 0 : nominalWindowMs(policy) / 1_000;
    const reset = Date.parse(live.resetAt);
    return [{ name: policy.name, limit: policy.limit, window, remaining: live.remaining, reset }];
  });
}

/** The headers of an answer that was made now; `deniedBy` is used up in it. */
export function answerHeaders(
  policies: readonly HeaderPolicy[],
  nowMs: number,
  deniedBy?: HeaderPolicy,
): Record<string, string> {
  const shown = policies.map((policy) => ({
    ...policy,
    reset: Math.max(policy.reset, nowMs),
    remaining: policy === deniedBy ? 0 : policy.remaining,
  }));
  const retryAfter = deniedBy ? Math.max(1, Math.ceil((deniedBy.reset - nowMs) / 1_000)) : null;
  return rateLimitHeaders({ policies: shown, success: deniedBy === undefined, retryAfter }, nowMs);
}
