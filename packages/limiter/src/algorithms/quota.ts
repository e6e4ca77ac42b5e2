import { carriedOver, type PolicyOf } from '@tollgate/contracts';
import {
  type Algorithm,
  assertCost,
  type CompiledPolicy,
  extraOf,
  reject,
  type Step,
  sharedEqually,
} from './algorithm.js';
import { isTimeZone, type Period, periodAt } from './calendar.js';
import { MS_FORM, type WindowState, windowRefund, windowStep } from './fixed-window.js';

/** Compiled for one period and the next; compile again when the server's clock has left [startMs, endMs). */
export interface CompiledQuota extends CompiledPolicy, Period {}

/** A period is of a longer kind if it is longer by more than daylight saving and month lengths vary. */
const LONGER = 1.5;

/**
 * Counter per calendar period. The state stores the start of its period, so a node with the last period's policy counts in
 * the new period as soon as the server's clock has reached it. If the clock steps back, or nodes disagree on it, a count of
 * the next period stays in effect; a later one was written under a wrong clock and counts as 0.
 */
export const quota: Algorithm<PolicyOf<'quota'>, CompiledQuota, WindowState> = {
  kind: 'quota',
  wireId: 10,
  stateVersion: 'q1',
  endsAtOnce: true,
  isAdditive: true,

  compile(stored, { timeZone, billingAnchorDay, nowMs }) {
    if (stored.throttle?.mode === 'queue') {
      return reject(
        'throttle.mode',
        'a quota resets as a whole at the end of its period, so requests cannot be queued; add a gcra or leaky_bucket limit',
      );
    }
    if (!isTimeZone(timeZone))
      return reject('timeZone', `${timeZone} is not a time zone; use an IANA name such as Europe/Berlin`);
    const band = extraOf(stored);
    if (!band.ok) return band;
    const period = periodAt(stored.period, timeZone, billingAnchorDay, nowMs);
    return { ok: true, policy: policyOf(stored.limit, band.extra, period) };
  },

  parameters: (policy) => [policy.extra, policy.capacity, policy.startMs, policy.endMs, policy.nextEndMs],

  step(state, policy, cost, nowUs): Step<WindowState> {
    assertCost(cost);
    const current = countAt(state, policy, Math.floor(nowUs / 1000));
    return windowStep(state, policy, cost, current, current.untilMs * 1000 - nowUs);
  },

  refund(state, policy, units, atUs, nowUs) {
    return windowRefund(state, units, atUs, countAt(state, policy, Math.floor(nowUs / 1000)));
  },

  // Keeps a count that began before the new period, so that changing the time zone or billing day does not grant a
  // second quota. Drops the count of a longer kind of period, most of which may have been used before.
  rebase(state, from, to, rule, atUs) {
    const atMs = Math.floor(atUs / 1000);
    const { count, startMs } = countAt(state, from, atMs);
    const period = periodFor(to, atMs);
    const shortened = from.endMs - from.startMs > LONGER * (to.endMs - to.startMs);
    const carried =
      shortened && startMs < period.startMs ? 0 : carriedOver(count, from.capacity, to.capacity, rule);
    if (carried === 0) return undefined;
    const holds = startMs >= period.startMs && startMs < period.nextEndMs;
    return { count: carried, startMs: holds ? startMs : period.startMs };
  },

  ...MS_FORM,

  share: sharedEqually,
  isBurst: () => false,
};

function policyOf(capacity: number, extra: number, { startMs, endMs, nextEndMs }: Period): CompiledQuota {
  const horizonMs = 2 * Math.max(endMs - startMs, nextEndMs - endMs);
  return { kind: 'quota', capacity, extra, startMs, endMs, nextEndMs, horizonMs };
}

/** The current count, the start to store with it, and the end of its period. */
function countAt(
  state: WindowState | undefined,
  policy: CompiledQuota,
  nowMs: number,
): WindowState & { untilMs: number } {
  const { startMs, endMs, nextEndMs } = periodFor(policy, nowMs);
  if (state === undefined || state.startMs < startMs || state.startMs >= nextEndMs) {
    return { count: 0, startMs, untilMs: endMs };
  }
  return { ...state, untilMs: state.startMs < endMs ? endMs : nextEndMs };
}

/**
 * The current period. Outside the two periods of the policy, extrapolates the nearest ones: a node with a stale policy
 * or a wrong clock must neither stop counting nor deny everything.
 */
function periodFor(policy: CompiledQuota, nowMs: number): Period {
  const { startMs, endMs, nextEndMs } = policy;
  if (nowMs >= endMs) {
    const lengthMs = nextEndMs - endMs;
    const fromMs = endMs + Math.floor((nowMs - endMs) / lengthMs) * lengthMs;
    return { startMs: fromMs, endMs: fromMs + lengthMs, nextEndMs: fromMs + 2 * lengthMs };
  }
  if (nowMs >= startMs) return { startMs, endMs, nextEndMs };
  // The longer of the two: January, before February, has 31 days.
  const lengthMs = Math.max(endMs - startMs, nextEndMs - endMs);
  const fromMs = startMs - Math.ceil((startMs - nowMs) / lengthMs) * lengthMs;
  return { startMs: fromMs, endMs: fromMs + lengthMs, nextEndMs: fromMs + 2 * lengthMs };
}
