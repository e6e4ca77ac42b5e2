import type { FixedWindowPolicy } from '@tollgate/contracts';
import { type Algorithm, assertCost, type CompiledPolicy, type Step } from './algorithm.js';

export interface CompiledFixedWindow extends CompiledPolicy {
  readonly algorithm: 'fixed_window';
  readonly limit: number;
  readonly windowMs: number;
  /** Windows begin at multiples of their length since the Unix epoch; else at the first request. */
  readonly clockAligned: boolean;
}

export interface FixedWindowState {
  count: number;
  /** Start of the window that `count` belongs to, unix ms. */
  startMs: number;
}

/**
 * Stored times count from 2020-01-01, so that a state of up to 9,222 requests is one integer to Redis (16 bytes less
 * a key than a string).
 */
const STATE_EPOCH_MS = 1_577_836_800_000;
const START_DIGITS = 12;

/**
 * Counter per window. A burst across a boundary may let twice the limit through in a short time: that is this
 * algorithm, not a fault of it.
 *
 * The clock may step back: a count whose window begins later than now stays in force until that window ends, but not
 * further ahead than one window.
 *
 * @see docs/adr/0005-algorithms-and-state.md
 */
export const fixedWindow: Algorithm<FixedWindowPolicy, CompiledFixedWindow, FixedWindowState> = {
  name: 'fixed_window',
  wireId: 1,
  stateVersion: 'f1',

  compile: (stored) => ({
    ok: true,
    policy: policyOf(stored.limit, stored.windowMs, stored.alignment === 'clock'),
  }),

  parameters: (policy) => [policy.limit, policy.windowMs, policy.clockAligned ? 1 : 0],

  step(state, policy, cost, nowUs): Step<FixedWindowState> {
    assertCost(cost);
    const { limit, windowMs } = policy;
    const current = currentWindow(state, policy, Math.floor(nowUs / 1000));
    const allowed = current.count + cost <= limit;
    const used = allowed ? current.count + cost : current.count;
    const resetAfterUs = (current.startMs + windowMs) * 1000 - nowUs;
    return {
      allowed,
      state: allowed && cost > 0 ? { count: used, startMs: current.startMs } : state,
      remaining: Math.max(0, limit - used),
      retryAfterUs: allowed ? 0 : cost > limit ? -1 : resetAfterUs,
      resetAfterUs,
    };
  },

  encode: (state) =>
    state.count.toFixed(0) + (state.startMs - STATE_EPOCH_MS).toFixed(0).padStart(START_DIGITS, '0'),

  decode(text) {
    if (!/^\d{13,29}$/.test(text)) return undefined;
    const startMs = Number(text.slice(-START_DIGITS)) + STATE_EPOCH_MS;
    return { count: Number(text.slice(0, -START_DIGITS)), startMs };
  },

  share: (policy, nodes) =>
    policyOf(Math.max(1, Math.floor(policy.limit / nodes)), policy.windowMs, policy.clockAligned),
  isBurst: () => false,
};

function policyOf(limit: number, windowMs: number, clockAligned: boolean): CompiledFixedWindow {
  return { algorithm: 'fixed_window', limit, windowMs, clockAligned, horizonMs: windowMs, capacity: limit };
}

/** The window that now belongs to, with what is already counted in it. */
function currentWindow(
  state: FixedWindowState | undefined,
  { windowMs, clockAligned }: CompiledFixedWindow,
  nowMs: number,
): FixedWindowState {
  const freshMs = clockAligned ? nowMs - (nowMs % windowMs) : nowMs;
  if (state === undefined) return { count: 0, startMs: freshMs };
  const { count, startMs } = state;
  const over = clockAligned ? startMs < freshMs : startMs <= nowMs - windowMs;
  if (over) return { count: 0, startMs: freshMs };
  const aheadMs = startMs - nowMs;
  const keepsStart = aheadMs > 0 ? aheadMs <= windowMs : !clockAligned;
  return { count, startMs: keepsStart ? startMs : freshMs };
}
