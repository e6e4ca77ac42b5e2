import type { PolicyOf } from '@tollgate/contracts';
import {
  type Algorithm,
  assertCost,
  type CompiledPolicy,
  carriedOver,
  extraOf,
  refuse,
  type Step,
} from './algorithm.js';

export interface CompiledSlidingWindowEstimate extends CompiledPolicy {
  readonly windowMs: number;
}

/** Two counts: of the window that began at `startMs`, unix ms, and of the one before it. */
export interface EstimateState {
  startMs: number;
  current: number;
  previous: number;
}

/** Stored times count from 2020-01-01, in 12 digits. */
const STATE_EPOCH_MS = 1_577_836_800_000;

/** A count that a changed limit scaled up ends here, so that sums of two are whole. */
const MAX_COUNT = 2 ** 52;

/**
 * Weighted two-window estimate: of the clock-aligned window before this one, the part counts that a window ending now
 * would still cover, as if its requests had come evenly. Where they did not, it may let through up to twice the limit in
 * one window, or refuse what an exact log would pass (sliding-window-error.spec.ts measures both).
 *
 * Where the clock stepped back, the window that is stored goes on as if it had just begun; one that begins more than a
 * window later than the window of now counts as nothing.
 *
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const slidingWindowEstimate: Algorithm<
  PolicyOf<'sliding_window_counter'>,
  CompiledSlidingWindowEstimate,
  EstimateState
> = {
  kind: 'sliding_window_estimate',
  wireId: 5,
  stateVersion: 'e1',

  compile(stored) {
    if (stored.throttle?.mode === 'queue') {
      return refuse(
        'throttle.mode',
        'an estimate does not know when each request came, so it cannot tell when the next may run; use sliding_window_log, gcra or token_bucket',
      );
    }
    if (stored.consistency?.mode === 'leased') {
      return refuse(
        'consistency.mode',
        'an estimate weighs when capacity was used, which a lease does not tell; use fixed_window, gcra or token_bucket',
      );
    }
    const band = extraOf(stored);
    if (!band.ok) return band;
    const policy = policyOf(stored.limit, band.extra, stored.windowMs);
    return (policy.capacity + policy.extra) * policy.windowMs <= Number.MAX_SAFE_INTEGER
      ? { ok: true, policy }
      : refuse(
          'limit',
          `${stored.limit} with a window of ${stored.windowMs} ms cannot be weighed exactly: limit × window must stay below 2^53; lower the limit, shorten the window or use fixed_window`,
        );
  },

  parameters: (policy) => [policy.extra, policy.capacity, policy.windowMs],

  step(state, policy, cost, nowUs): Step<EstimateState> {
    assertCost(cost);
    const { capacity, extra, windowMs } = policy;
    const nowMs = Math.floor(nowUs / 1000);
    const windows = currentWindows(state, policy, nowMs);
    const { startMs, current, previous } = windows;
    const leftMs = weightMs(startMs, windowMs, nowMs);
    const room = capacity + extra - current - cost;
    // Neither side is divided. `previous` may be huge after a change of the limit: then the product, though rounded, is
    // still above the other side, which is below 2^53.
    const allowed = room >= 0 && previous * leftMs <= room * windowMs;
    const used = allowed ? current + cost : current;
    const remaining = capacity - used - Math.ceil((previous * leftMs) / windowMs);
    const emptyMs = used > 0 ? startMs + 2 * windowMs : previous > 0 ? startMs + windowMs : 0;
    return {
      allowed,
      over: allowed && remaining < 0,
      state: allowed && cost > 0 ? { startMs, current: used, previous } : state,
      remaining,
      waitUs: allowed ? 0 : waitUs(windows, policy, cost, nowUs),
      resetAfterUs: emptyMs === 0 ? 0 : emptyMs * 1000 - nowUs,
    };
  },

  give(state, policy, units, atUs, nowUs) {
    if (state === undefined) return state;
    const { startMs, current, previous } = currentWindows(state, policy, Math.floor(nowUs / 1000));
    const atMs = Math.floor(atUs / 1000);
    if (atMs >= startMs || nowUs < startMs * 1000) {
      return current === 0 ? state : { startMs, current: Math.max(0, current - units), previous };
    }
    if (atMs < startMs - policy.windowMs || previous === 0) return state;
    return { startMs, current, previous: Math.max(0, previous - units) };
  },

  // What was used is exact at that moment; of another window's length nothing is known but how much it was.
  rebase(state, from, to, rule, atUs) {
    const { windowMs } = from;
    const atMs = Math.floor(atUs / 1000);
    const { startMs, current, previous } = currentWindows(state, from, atMs);
    const leftMs = weightMs(startMs, windowMs, atMs);
    const used = current + Math.ceil((previous * leftMs) / windowMs);
    const carried = Math.min(MAX_COUNT, carriedOver(used, from.capacity, to.capacity, rule));
    if (carried === 0) return undefined;
    if (windowMs !== to.windowMs) {
      return { startMs: atMs - (atMs % to.windowMs), current: carried, previous: 0 };
    }
    if (carried === used) return { startMs, current, previous };
    const kept =
      rule === 'additive'
        ? Math.floor((Math.max(0, carried - current) * windowMs) / leftMs)
        : Math.min(
            Math.floor((previous * to.capacity) / from.capacity),
            Math.floor((carried * windowMs) / leftMs),
          );
    return { startMs, current: carried - Math.ceil((kept * leftMs) / windowMs), previous: kept };
  },

  encode: ({ startMs, current, previous }) =>
    `${current},${previous}${(startMs - STATE_EPOCH_MS).toFixed(0).padStart(12, '0')}`,
  decode(text) {
    const parts = /^(\d{1,16}),(\d{1,16})(\d{12})$/.exec(text);
    if (parts === null) return undefined;
    const [, current, previous, start] = parts;
    return { startMs: Number(start) + STATE_EPOCH_MS, current: Number(current), previous: Number(previous) };
  },

  share: (policy, nodes) =>
    policyOf(
      Math.max(1, Math.floor(policy.capacity / nodes)),
      Math.floor(policy.extra / nodes),
      policy.windowMs,
    ),
  isBurst: () => false,
};

function policyOf(capacity: number, extra: number, windowMs: number): CompiledSlidingWindowEstimate {
  return { kind: 'sliding_window_estimate', capacity, extra, windowMs, horizonMs: 2 * windowMs };
}

/** The counts as of now. */
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

/** Of the window before the one that began at `startMs`, the part that still counts. */
function weightMs(startMs: number, windowMs: number, nowMs: number): number {
  return windowMs - Math.max(0, nowMs - startMs);
}

/** Until enough of what weighs on a refused cost has faded: in this window, or as the one before the next. */
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
      ? startMs + windowMs - Math.floor(((most - current) * windowMs) / previous)
      : startMs + 2 * windowMs - Math.floor((most * windowMs) / current);
  return passMs * 1000 - nowUs;
}
