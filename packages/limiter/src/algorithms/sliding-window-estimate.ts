import { carriedOver, type PolicyOf } from '@tollgate/contracts';
import {
  type Algorithm,
  assertCost,
  type CompiledPolicy,
  extraOf,
  reject,
  STATE_EPOCH_MS,
  type Step,
  sharedEqually,
} from './algorithm.js';

export interface CompiledSlidingWindowEstimate extends CompiledPolicy {
  readonly windowMs: number;
}

/** Counts of the window that started at `startMs` (Unix ms) and of the previous one. */
export interface EstimateState {
  startMs: number;
  current: number;
  previous: number;
}

/** Maximum count after a policy change, so that sums stay exact. */
const MAX_COUNT = 2 ** 52;

/**
 * Weighted two-window estimate: the previous clock-aligned window counts in proportion to its overlap with the window that
 * ends now, as if its requests were evenly spaced, in whole units, rounded down (ADR 75). If they were not, it may allow up
 * to twice the limit in one window, or deny requests that an exact log would allow (measured in
 * sliding-window-error.spec.ts). If the clock steps back, the stored window continues as if it had just started; more than a
 * window ahead, its counts are dropped.
 */
export const slidingWindowEstimate: Algorithm<
  PolicyOf<'sliding_window_counter'>,
  CompiledSlidingWindowEstimate,
  EstimateState
> = {
  kind: 'sliding_window_estimate',
  wireId: 5,
  stateVersion: 'e1',
  endsAtOnce: false,
  isAdditive: true,

  compile(stored) {
    if (stored.throttle?.mode === 'queue') {
      return reject(
        'throttle.mode',
        'an estimate does not know the time of each request, so requests cannot be queued; use sliding_window_log, gcra or token_bucket',
      );
    }
    if (stored.consistency?.mode === 'leased') {
      return reject(
        'consistency.mode',
        'an estimate must know when capacity was used, which is unknown for leases; use fixed_window, gcra or token_bucket',
      );
    }
    const band = extraOf(stored);
    if (!band.ok) return band;
    const policy = policyOf(stored.limit, band.extra, stored.windowMs);
    return (policy.capacity + policy.extra) * policy.windowMs <= Number.MAX_SAFE_INTEGER
      ? { ok: true, policy }
      : reject(
          'limit',
          `${stored.limit} with a window of ${stored.windowMs} ms cannot be weighted exactly: limit × window must be below 2^53; lower the limit, shorten the window or use fixed_window`,
        );
  },

  parameters: (policy) => [policy.extra, policy.capacity, policy.windowMs],

  step(state, policy, cost, nowUs): Step<EstimateState> {
    assertCost(cost);
    const { capacity, extra, windowMs } = policy;
    const nowMs = Math.floor(nowUs / 1000);
    const windows = currentWindows(state, policy, nowMs);
    const { startMs, current, previous } = windows;
    const leftMs = overlapMs(startMs, windowMs, nowMs);
    const weighted = weightedUnits(previous, leftMs, windowMs);
    const allowed = current + weighted + cost <= capacity + extra;
    const used = allowed ? current + cost : current;
    const remaining = capacity - used - weighted;
    const emptyMs =
      used > 0
        ? startMs + 2 * windowMs - largestOverlapMs(used, 0, windowMs)
        : weighted > 0
          ? startMs + windowMs - largestOverlapMs(previous, 0, windowMs)
          : 0;
    return {
      allowed,
      over: allowed && remaining < 0,
      state: allowed && cost > 0 ? { startMs, current: used, previous } : state,
      remaining,
      waitUs: allowed ? 0 : waitUs(windows, policy, cost, nowUs),
      resetAfterUs: emptyMs === 0 ? 0 : emptyMs * 1000 - nowUs,
    };
  },

  refund(state, policy, units, atUs, nowUs) {
    if (state === undefined) return state;
    const { startMs, current, previous } = currentWindows(state, policy, Math.floor(nowUs / 1000));
    const atMs = Math.floor(atUs / 1000);
    if (atMs >= startMs || nowUs < startMs * 1000) {
      return current === 0 ? state : { startMs, current: Math.max(0, current - units), previous };
    }
    if (atMs < startMs - policy.windowMs || previous === 0) return state;
    return { startMs, current, previous: Math.max(0, previous - units) };
  },

  // Usage is exact at that moment; with another window length, only its total is known.
  rebase(state, from, to, rule, atUs) {
    const { windowMs } = from;
    const atMs = Math.floor(atUs / 1000);
    const { startMs, current, previous } = currentWindows(state, from, atMs);
    const leftMs = overlapMs(startMs, windowMs, atMs);
    const used = current + weightedUnits(previous, leftMs, windowMs);
    const carried = Math.min(MAX_COUNT, carriedOver(used, from.capacity, to.capacity, rule));
    if (carried === 0) return undefined;
    if (windowMs !== to.windowMs) {
      return { startMs: atMs - (atMs % to.windowMs), current: carried, previous: 0 };
    }
    if (carried === used) return { startMs, current, previous };
    const kept =
      rule === 'additive'
        ? Math.ceil((Math.max(0, carried - current) * windowMs) / leftMs)
        : Math.min(
            Math.floor((previous * to.capacity) / from.capacity),
            Math.floor((carried * windowMs) / leftMs),
          );
    return { startMs, current: carried - weightedUnits(kept, leftMs, windowMs), previous: kept };
  },

  encode: ({ startMs, current, previous }) =>
    `${current},${previous}${(startMs - STATE_EPOCH_MS).toFixed(0).padStart(12, '0')}`,
  decode(text) {
    const parts = /^(\d{1,16}),(\d{1,16})(\d{12})$/.exec(text);
    if (parts === null) return undefined;
    const [, current, previous, start] = parts;
    return { startMs: Number(start) + STATE_EPOCH_MS, current: Number(current), previous: Number(previous) };
  },

  share: sharedEqually,
  isBurst: () => false,
};

function policyOf(capacity: number, extra: number, windowMs: number): CompiledSlidingWindowEstimate {
  return { kind: 'sliding_window_estimate', capacity, extra, windowMs, horizonMs: 2 * windowMs };
}

function currentWindows(
  state: EstimateState | undefined,
  { windowMs }: CompiledSlidingWindowEstimate,
  nowMs: number,
): EstimateState {
  const startMs = nowMs - (nowMs % windowMs);
  if (state === undefined) return { startMs, current: 0, previous: 0 };
  const ageMs = startMs - state.startMs;
  if (ageMs < 0 && ageMs >= -windowMs) return state;
  if (ageMs >= 0 && ageMs < windowMs) return { startMs, current: state.current, previous: state.previous };
  return { startMs, current: 0, previous: ageMs >= 0 && ageMs < 2 * windowMs ? state.current : 0 };
}

/** Overlap of the previous window with the window that ends now. */
function overlapMs(startMs: number, windowMs: number, nowMs: number): number {
  return windowMs - Math.max(0, nowMs - startMs);
}

/** Whole units of the previous window that count while `leftMs` of it overlap. */
function weightedUnits(previous: number, leftMs: number, windowMs: number): number {
  return Math.floor((previous * leftMs) / windowMs);
}

/** Largest overlap at which at most `units` of the previous window count. */
function largestOverlapMs(previous: number, units: number, windowMs: number): number {
  return Math.floor(((units + 1) * windowMs - 1) / previous);
}

/** Time until enough weight has faded, in this window or in the next, where the current count is the previous one. */
function waitUs(
  { startMs, current, previous }: EstimateState,
  { capacity, extra, windowMs }: CompiledSlidingWindowEstimate,
  cost: number,
  nowUs: number,
): number {
  const most = capacity + extra - cost;
  if (most < 0) return -1;
  const passMs =
    current <= most
      ? startMs + windowMs - largestOverlapMs(previous, most - current, windowMs)
      : startMs + 2 * windowMs - largestOverlapMs(current, most, windowMs);
  return passMs * 1000 - nowUs;
}
