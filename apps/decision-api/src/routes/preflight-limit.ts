import { randomUUID } from 'node:crypto';
import { clientNetwork, type LimitAnswer, type LimitPolicy } from '@tollgate/contracts';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import { LRUCache } from 'lru-cache';

/** Per client network, minute and node. Browsers cache the answer of a preflight. */
const PER_MINUTE = 600;
const MAX_NETWORKS = 10_000;

const NAME = 'preflight';
const MODEL = algorithmOf('fixed_window');
const POLICY = {
  name: NAME,
  api: NAME,
  operations: [],
  per: ['ip'],
  onUnavailable: 'share',
  algorithm: 'fixed_window',
  limit: PER_MINUTE,
  windowMs: 60_000,
  alignment: 'first_request',
} satisfies LimitPolicy;

/**
 * Counts CORS preflights that name no tenant by client address: no tenant's limit can count them. In the node's memory,
 * because they charge nobody.
 */
export class PreflightLimit {
  private readonly states = new LRUCache<string, object>({ max: MAX_NETWORKS });
  private readonly compiled: Parameters<typeof MODEL.step>[1];

  constructor(private readonly nowMs: () => number = Date.now) {
    const context = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: 0 };
    const compiled = MODEL.compile(POLICY, context);
    if (!compiled.ok) throw new Error('the limit of preflights does not compile');
    this.compiled = compiled.policy;
  }

  answer(address: string): LimitAnswer {
    const network = clientNetwork(address) ?? address;
    const nowMs = this.nowMs();
    const step = MODEL.step(this.states.get(network), this.compiled, 1, nowMs * 1000, 0);
    this.states.set(network, step.state as object);
    const { allowed, remaining } = step;
    const reset = nowMs + Math.ceil(step.resetAfterUs / 1000);
    const result = { limit: PER_MINUTE, remaining: Math.max(0, remaining), reset };
    return {
      success: allowed,
      policy: NAME,
      ...result,
      used: PER_MINUTE - result.remaining,
      retryAfter: allowed ? 0 : Math.ceil((reset - nowMs) / 1000),
      cost: 1,
      reason: allowed ? 'WITHIN_LIMIT' : 'RATE_EXCEEDED',
      source: null,
      policies: [{ name: NAME, ...result, window: 60, mode: 'enforce', success: allowed }],
      decidedAt: nowMs,
      delayMs: 0,
      degraded: false,
      revision: 0,
      requestId: randomUUID(),
    };
  }
}
