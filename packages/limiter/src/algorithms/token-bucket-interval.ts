import { carriedOver, MAX_WINDOW_MS, type PolicyOf } from '@tollgate/contracts';
import { type Algorithm, assertCost, type CompiledPolicy, extraOf, reject, type Step } from './algorithm.js';
import { MS_FORM, type WindowState } from './fixed-window.js';

export interface CompiledTokenBucketInterval extends CompiledPolicy {
  /** Tokens added at the end of an interval. */
  readonly refill: number;
  /** Intervals start at multiples of their length since the Unix epoch. */
  readonly windowMs: number;
  /** Capacity plus the widest throttle. */
  readonly mostMissing: number;
}

/**
 * Bucket that is refilled at the end of each interval only. The state stores the missing tokens as its count, and the
 * boundary of the last applied refill as its start. If the clock steps back, nothing is refilled until it passes that
 * boundary again; more than one interval ahead, it was written under a wrong clock, and the bucket counts as full.
 */
export const tokenBucketInterval: Algorithm<
  PolicyOf<'token_bucket'>,
  CompiledTokenBucketInterval,
  WindowState
> = {
  kind: 'token_bucket_interval',
  wireId: 7,
  stateVersion: 'i1',
  endsAtOnce: false,
  isAdditive: true,

  compile(stored) {
    const { limit, capacity, windowMs, throttle, consistency } = stored;
    if (throttle?.mode === 'queue') {
      return reject(
        'throttle.mode',
        'tokens are refilled all at once, so queued requests would run at the same moment; use refill continuous',
      );
    }
    if (consistency?.mode === 'leased') {
      return reject(
        'consistency.mode',
        'tokens leased before a refill and spent after it would exceed the limit; use refill continuous',
      );
    }
    const band = extraOf(stored);
    if (!band.ok) return band;
    const refillMs = Math.ceil((capacity + band.extra) / limit) * windowMs;
    return refillMs <= MAX_WINDOW_MS
      ? { ok: true, policy: policyOf(capacity, band.extra, limit, windowMs) }
      : reject(
          'capacity',
          `a capacity of ${capacity} would take more than 366 days to refill; lower it or shorten the window`,
        );
  },

  parameters: (policy) => [policy.extra, policy.capacity, policy.refill, policy.windowMs, policy.mostMissing],

  step(state, policy, cost, nowUs): Step<WindowState> {
    assertCost(cost);
    const { capacity, extra, mostMissing } = policy;
    const current = missingAt(state, policy, Math.floor(nowUs / 1000));
    const needed = current.count + cost - capacity - extra;
    const allowed = needed <= 0;
    // Charges above any limit are kept up to the capacity of the bucket.
    const used = allowed && cost > 0 ? Math.min(current.count + cost, mostMissing) : current.count;
    return {
      allowed,
      over: allowed && used > capacity,
      state: allowed && cost > 0 ? { count: used, startMs: current.startMs } : state,
      remaining: capacity - used,
      waitUs: allowed ? 0 : cost > capacity + extra ? -1 : untilBackUs(needed),
      resetAfterUs: used === 0 ? 0 : untilBackUs(used),
    };

    function untilBackUs(tokens: number): number {
      return (current.startMs + Math.ceil(tokens / policy.refill) * policy.windowMs) * 1000 - nowUs;
    }
  },

  refund(state, policy, units, atUs, nowUs) {
    const { count, startMs } = missingAt(state, policy, Math.floor(nowUs / 1000));
    if (count === 0) return state;
    // Refills since the charge may have covered it already.
    const boundaries = Math.floor(startMs / policy.windowMs) - Math.floor(atUs / 1000 / policy.windowMs);
    const pending = Math.max(0, units - Math.max(0, boundaries) * policy.refill);
    return count > pending ? { count: count - pending, startMs } : undefined;
  },

  // Missing tokens above a lowered capacity are dropped.
  rebase(state, from, to, rule, atUs) {
    // A node without the new policy may have written later.
    const atMs = Math.max(Math.floor(atUs / 1000), state.startMs);
    const { count, startMs } = missingAt(state, from, atMs);
    const carried = Math.min(carriedOver(count, from.capacity, to.capacity, rule), to.mostMissing);
    if (carried === 0) return undefined;
    return { count: carried, startMs: from.windowMs === to.windowMs ? startMs : atMs - (atMs % to.windowMs) };
  },

  ...MS_FORM,

  share: (policy, nodes) =>
    policyOf(
      Math.max(1, Math.floor(policy.capacity / nodes)),
      Math.floor(policy.extra / nodes),
      Math.max(1, Math.floor(policy.refill / nodes)),
      policy.windowMs,
    ),
  isBurst: (policy, _cost, resetAfterUs) => resetAfterUs > policy.windowMs * 1000,
};

function policyOf(
  capacity: number,
  extra: number,
  refill: number,
  windowMs: number,
): CompiledTokenBucketInterval {
  const mostMissing = capacity + extra;
  const horizonMs = Math.ceil(mostMissing / refill) * windowMs;
  return { kind: 'token_bucket_interval', capacity, extra, refill, windowMs, mostMissing, horizonMs };
}

/** Missing tokens now, and the boundary of the last applied refill. */
function missingAt(
  state: WindowState | undefined,
  { refill, windowMs }: CompiledTokenBucketInterval,
  nowMs: number,
): WindowState {
  const boundaryMs = nowMs - (nowMs % windowMs);
  if (state === undefined || state.startMs > boundaryMs + windowMs) return { count: 0, startMs: boundaryMs };
  if (state.startMs > boundaryMs) return state;
  const intervals = Math.floor((boundaryMs - state.startMs) / windowMs);
  return { count: Math.max(0, state.count - intervals * refill), startMs: boundaryMs };
}
