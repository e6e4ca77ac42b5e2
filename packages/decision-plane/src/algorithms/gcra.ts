import { type GcraPolicy, MAX_WINDOW_MS } from '@tollgate/contracts';
import { type Algorithm, assertCost, type Compilation, type CompiledPolicy, type Step } from './algorithm.js';

/** GCRA in microseconds. */
export interface CompiledGcra extends CompiledPolicy {
  readonly algorithm: 'gcra';
  /** Ideal spacing of requests: window ÷ limit, rounded up, so that the rate is never exceeded. */
  readonly intervalUs: number;
  /** How far ahead of the even spacing a request may run: interval × burst. */
  readonly toleranceUs: number;
}

/** Rounding the spacing up to a whole microsecond may slow the rate by one part in a thousand at most. */
const MAX_ROUNDING = 0.001;

/**
 * Generic cell rate algorithm. The state is the theoretical arrival time (TAT), microseconds since the Unix epoch.
 * A refusal returns the state unchanged, so retrying early costs the caller nothing.
 *
 * A stored TAT further ahead than any that the policy could have made counts as the furthest that it could: so a
 * raised limit acts at once, and a clock that stepped back cannot lock a caller out for longer than the window.
 *
 * @see docs/adr/0005-algorithms-and-state.md
 */
export const gcra: Algorithm<GcraPolicy, CompiledGcra, number> = {
  name: 'gcra',
  wireId: 2,
  stateVersion: 'g1',

  compile(stored) {
    const windowUs = stored.windowMs * 1000;
    const intervalUs = Math.ceil(windowUs / stored.limit);
    if ((intervalUs * stored.limit) / windowUs - 1 > MAX_ROUNDING) {
      return refuse(
        'limit',
        `${stored.limit} per ${stored.windowMs} ms needs a spacing finer than a microsecond can say; use fixed_window, or a lower limit`,
      );
    }
    const toleranceUs = intervalUs * stored.burst;
    if (toleranceUs + intervalUs > MAX_WINDOW_MS * 1000) {
      return refuse(
        'burst',
        `a burst of ${stored.burst} would take more than 366 days to refill; lower the burst or shorten the window`,
      );
    }
    return { ok: true, policy: policyOf(intervalUs, stored.burst) };
  },

  parameters: (policy) => [policy.intervalUs, policy.toleranceUs, 0],

  step(state, policy, cost, nowUs): Step<number> {
    assertCost(cost);
    const { intervalUs, toleranceUs } = policy;
    const furthestUs = nowUs + toleranceUs + intervalUs;
    const tatUs = Math.min(Math.max(state ?? nowUs, nowUs), furthestUs);
    const nextUs = tatUs + intervalUs * cost;
    const spareUs = furthestUs - nextUs;
    if (spareUs >= 0) {
      return {
        allowed: true,
        state: cost === 0 ? state : nextUs,
        remaining: Math.floor(spareUs / intervalUs),
        retryAfterUs: 0,
        resetAfterUs: nextUs - nowUs,
      };
    }
    return {
      allowed: false,
      state,
      remaining: Math.floor((furthestUs - tatUs) / intervalUs),
      retryAfterUs: intervalUs * cost > toleranceUs + intervalUs ? -1 : -spareUs,
      resetAfterUs: tatUs - nowUs,
    };
  },

  encode: (tatUs) => tatUs.toFixed(0),
  decode: (text) => (/^\d{1,16}$/.test(text) ? Number(text) : undefined),
  share: (policy, nodes) => policyOf(policy.intervalUs * nodes, Math.floor((policy.capacity - 1) / nodes)),
  isBurst: (policy, cost, resetAfterUs) => resetAfterUs > policy.intervalUs * cost,
};

function policyOf(intervalUs: number, burst: number): CompiledGcra {
  const toleranceUs = intervalUs * burst;
  return {
    algorithm: 'gcra',
    intervalUs,
    toleranceUs,
    horizonMs: Math.ceil((toleranceUs + intervalUs) / 1000),
    capacity: burst + 1,
  };
}

function refuse(field: string, message: string): Compilation<CompiledGcra> {
  return { ok: false, errors: [{ field, message }] };
}
