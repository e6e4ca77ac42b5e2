import { type PolicyOf } from '@tollgate/contracts';
import { groupBy } from '@tollgate/contracts/older-node';
import { type Charge } from './charge-log.js';
import { type JudgedCharge, mostOf, regimeRule, sumCosts, withAnsweredCost } from './windows.js';

type EstimateCharge = JudgedCharge<PolicyOf<'sliding_window_counter'>>;

/**
 * Recounts the weighted estimate: this window's admissions plus the previous window's, weighted by the part that the
 * sliding window still covers and rounded down, must not exceed the limit. `reset` is in the following window, when less than
 * a unit of this one counts. The error of the estimate, up to twice the limit in one window, is not over-admission.
 */
export const estimateRecount = regimeRule<PolicyOf<'sliding_window_counter'>>(
  (policy) => `${policy.windowMs} estimate ${mostOf(policy)}`,
  (policy, charges, toleranceMs) => {
    const { windowMs } = policy;
    const most = mostOf(policy);
    const indexOf = ({ resetMs }: EstimateCharge) => Math.ceil(resetMs / windowMs) - 2;
    const windows = groupBy(charges, indexOf);
    let overAdmitted = 0;
    for (const [index, window] of windows) {
      const before = sumCosts(windows.get(index - 1) ?? []);
      overAdmitted += Math.max(
        0,
        sumCosts(window) - most,
        countOverEstimate(window, (index + 1) * windowMs - toleranceMs, before, most),
      );
    }
    return {
      overAdmitted,
      bound: `${most} by the estimate of any ${windowMs} ms`,
      isPlausible: (charge) => {
        const startMs = indexOf(charge) * windowMs;
        return startMs <= charge.receivedMs + toleranceMs && startMs + windowMs > charge.sentMs - toleranceMs;
      },
    };
  },
);

/** Cost that was admitted although answered requests had used up the estimate. */
function countOverEstimate(
  window: readonly EstimateCharge[],
  endMs: number,
  before: number,
  most: number,
): number {
  let over = 0;
  for (const [{ receivedMs, cost, policy }, used] of withAnsweredCost(window)) {
    const coveredMs = Math.max(0, endMs - receivedMs);
    if (used + Math.floor((before * coveredMs) / policy.windowMs) + cost > most) over += cost;
  }
  return over;
}

type SlidingPolicy = PolicyOf<'sliding_window_log' | 'sliding_window_counter'>;

/**
 * Recounts a sliding window in two ways. By time: no interval shorter than the window may contain more than the limit
 * of what was both sent and answered within it. By `reset`, when the newest admission leaves the window: admissions
 * less than one window apart must not exceed the limit. A log is exact; a counter expires whole sub-windows, so its
 * bound by time is the limit in all its sub-windows but one.
 */
export const slidingWindowRecount = regimeRule<SlidingPolicy>(
  (policy) => `${policy.windowMs} ${stepsOf(policy)} ${mostOf(policy)}`,
  (policy, charges, toleranceMs) => {
    const { windowMs } = policy;
    const most = mostOf(policy);
    const isExact = policy.algorithm === 'sliding_window_log';
    const stepMs = isExact ? 0 : windowMs / policy.buckets;
    const byReset = charges.map(({ resetMs, cost }) => ({ sentMs: resetMs, receivedMs: resetMs, cost }));
    const slackMs = Math.ceil(stepMs) + toleranceMs;
    return {
      overAdmitted: Math.max(
        countOverInTime(charges, Math.floor(windowMs - stepMs), most),
        countOverInTime(byReset, windowMs, most),
      ),
      bound: `${most} in any ${windowMs} ms`,
      // The newest admission of a window that ends at `reset` was made during the request.
      isPlausible: ({ sentMs, receivedMs, resetMs }) =>
        resetMs - windowMs >= sentMs - slackMs && resetMs - windowMs <= receivedMs + toleranceMs,
    };
  },
);

const stepsOf = (policy: SlidingPolicy): number =>
  policy.algorithm === 'sliding_window_log' ? 0 : policy.buckets;

/**
 * Minimum cost to remove so that no interval shorter than `stretchMs` contains more than `most` of what was both sent
 * and answered within it. Compares each admission, in the order of answers, with those sent less than one interval
 * earlier.
 */
export function countOverInTime(
  charges: readonly Pick<Charge, 'sentMs' | 'receivedMs' | 'cost'>[],
  stretchMs: number,
  most: number,
): number {
  const byAnswer = [...charges].sort((a, b) => a.receivedMs - b.receivedMs);
  const bySent = [...charges].sort((a, b) => a.sentMs - b.sentMs);
  const counted = new Set<(typeof charges)[number]>();
  let inside = 0;
  let expired = 0;
  let over = 0;
  for (const charge of byAnswer) {
    const fromMs = charge.receivedMs - stretchMs;
    for (
      let first = bySent[expired];
      first !== undefined && first.sentMs <= fromMs;
      first = bySent[expired]
    ) {
      if (counted.delete(first)) inside -= first.cost;
      expired++;
    }
    if (charge.sentMs <= fromMs) continue;
    if (inside + charge.cost > most) over += charge.cost;
    else {
      counted.add(charge);
      inside += charge.cost;
    }
  }
  return over;
}
