import { carriedOver, type FixedWindowPolicy } from '@tollgate/contracts';
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

export interface WindowState {
  count: number;
  startMs: number;
}

/**
 * Stored form of a window: the count, then the start in a fixed number of digits. Twin of `windowForm` in
 * `scripts/parts/algorithms/fixed-window.lua`.
 * @param unitMs unit of the start
 */
function windowForm(digits: number, unitMs: number) {
  const pattern = new RegExp(`^\\d{${digits + 1},${digits + 17}}$`);
  return {
    encode: ({ count, startMs }: WindowState): string =>
      count.toFixed(0) + ((startMs - STATE_EPOCH_MS) / unitMs).toFixed(0).padStart(digits, '0'),
    /** Undefined for any other text. */
    decode(text: string): WindowState | undefined {
      if (!pattern.test(text)) return undefined;
      const startMs = Number(text.slice(-digits)) * unitMs + STATE_EPOCH_MS;
      return { count: Number(text.slice(0, -digits)), startMs };
    },
  };
}

/** With 12 digits, a state of up to 9,222 requests is one integer to Redis (32 bytes per key less than a string). */
export const MS_FORM = windowForm(12, 1);

/** With 9 digits, a state of up to 9,006 requests is below 2^53 with its mark, so that Lua adds to it exactly. */
const SECONDS_FORM = windowForm(9, 1000);

/** A step of a count that ends after `resetAfterUs`. */
export function windowStep(
  state: WindowState | undefined,
  { capacity, extra }: CompiledPolicy,
  cost: number,
  { count, startMs }: WindowState,
  resetAfterUs: number,
): Step<WindowState> {
  const allowed = count + cost <= capacity + extra;
  const used = allowed ? count + cost : count;
  return {
    allowed,
    over: allowed && used > capacity,
    state: allowed && cost > 0 ? { count: used, startMs } : state,
    remaining: capacity - used,
    waitUs: allowed ? 0 : cost > capacity + extra ? -1 : resetAfterUs,
    resetAfterUs,
  };
}

export function windowRefund(
  state: WindowState | undefined,
  units: number,
  atUs: number,
  { count, startMs }: WindowState,
): WindowState | undefined {
  if (count === 0 || Math.floor(atUs / 1000) < startMs) return state;
  return count > units ? { count: count - units, startMs } : undefined;
}

export interface CompiledFixedWindow extends CompiledPolicy {
  readonly windowMs: number;
  /** Whether windows start at multiples of their length since the Unix epoch, or at the first request. */
  readonly clockAligned: boolean;
}

/**
 * Counter per window. By design, a burst across a boundary can admit twice the limit in a short time. If the clock steps
 * back, a count whose window starts later stays in effect; more than one window ahead, it was written under a wrong clock
 * and counts as 0.
 */
export const fixedWindow: Algorithm<FixedWindowPolicy, CompiledFixedWindow, WindowState> = {
  kind: 'fixed_window',
  wireId: 1,
  stateVersion: 'f1',
  endsAtOnce: true,
  isAdditive: true,

  compile(stored) {
    if (stored.throttle?.mode === 'queue') {
      return reject(
        'throttle.mode',
        'a fixed window resets all at once, so requests cannot be queued; use gcra, token_bucket, leaky_bucket or sliding_window_log',
      );
    }
    const band = extraOf(stored);
    return band.ok
      ? {
          ok: true,
          policy: policyOf(stored.limit, band.extra, stored.windowMs, stored.alignment === 'clock'),
        }
      : band;
  },

  parameters: (policy) => [policy.extra, policy.capacity, policy.windowMs, policy.clockAligned ? 1 : 0],

  step(state, policy, cost, nowUs): Step<WindowState> {
    assertCost(cost);
    const current = currentWindow(state, policy, Math.floor(nowUs / 1000));
    return windowStep(state, policy, cost, current, (current.startMs + policy.windowMs) * 1000 - nowUs);
  },

  refund(state, policy, units, atUs, nowUs) {
    if (state === undefined) return state;
    return windowRefund(state, units, atUs, currentWindow(state, policy, Math.floor(nowUs / 1000)));
  },

  rebase(state, from, to, rule, atUs) {
    const { count, startMs } = currentWindow(state, from, Math.floor(atUs / 1000));
    const carried = carriedOver(count, from.capacity, to.capacity, rule);
    return carried === 0 ? undefined : { count: carried, startMs };
  },

  ...MS_FORM,

  share: sharedEqually,
  isBurst: () => false,
};

/** `fixed_window` aligned to the clock, in whole seconds, as a field of a hash: docs/adr/0051-packed-windows.md. */
export const packedWindow: typeof fixedWindow = {
  ...fixedWindow,
  kind: 'packed_window',
  wireId: 11,
  stateVersion: 'p1',

  compile(stored, context) {
    const compiled = fixedWindow.compile(stored, context);
    return compiled.ok ? { ok: true, policy: { ...compiled.policy, kind: 'packed_window' } } : compiled;
  },

  ...SECONDS_FORM,
};

function policyOf(
  capacity: number,
  extra: number,
  windowMs: number,
  clockAligned: boolean,
): CompiledFixedWindow {
  return { kind: 'fixed_window', capacity, extra, windowMs, clockAligned, horizonMs: windowMs };
}

function currentWindow(
  state: WindowState | undefined,
  { windowMs, clockAligned }: CompiledFixedWindow,
  nowMs: number,
): WindowState {
  const freshMs = clockAligned ? nowMs - (nowMs % windowMs) : nowMs;
  if (state === undefined) return { count: 0, startMs: freshMs };
  const { count, startMs } = state;
  const over = clockAligned ? startMs < freshMs : startMs <= nowMs - windowMs;
  if (over || startMs > nowMs + windowMs) return { count: 0, startMs: freshMs };
  return { count, startMs: clockAligned && startMs <= nowMs ? freshMs : startMs };
}
