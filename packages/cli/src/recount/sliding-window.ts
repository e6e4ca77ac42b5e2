import { type PolicyOf } from '@tollgate/contracts';
import { type Charge } from './charge-log.js';
import {
  type JudgedCharge,
  mostOf,
  NOTHING_FOUND,
  type RecountRule,
  sumCosts,
  withAnsweredCost,
} from './windows.js';

type EstimateCharge = JudgedCharge<PolicyOf<'sliding_window_counter'>>;

/**
 * Recounts the weighted estimate: this window's admissions plus the previous window's, weighted by the part that the
 * sliding window still covers, must not exceed the limit. `reset` is the end of the following window. The error of the
 * estimate, up to twice the limit in one window, is not over-admission.
 */
export const estimateRecount: RecountRule<PolicyOf<'sliding_window_counter'>> = {
  regime: (policy) => `${policy.windowMs} estimate ${mostOf(policy)}`,

  judge(charges, toleranceMs) {
    const policy = charges[0]?.policy;
    if (policy === undefined) return NOTHING_FOUND;
    const { windowMs } = policy;
    const most = mostOf(policy);
    const windows = Map.groupBy(charges, ({ resetMs }) => resetMs / windowMs - 2);
    let overAdmitted = 0;
    for (const [index, window] of windows) {
      const before = sumCosts(windows.get(index - 1) ?? []);
      overAdmitted += Math.max(
        0,
        sumCosts(window) - most,
        countOverEstimate(window, (index + 1) * windowMs - toleranceMs, before, most),
      );
    }
    const contradictions = charges.filter((charge) => !isPlausibleEstimate(charge, toleranceMs)).length;
    const finding =
      overAdmitted === 0
        ? undefined
        : `${overAdmitted} admitted beyond ${most} by the estimate of any ${windowMs} ms`;
    return { overAdmitted, contradictions, finding };
  },
};

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
    if (before * coveredMs > (most - used - cost) * policy.windowMs) over += cost;
  }
  return over;
}

function isPlausibleEstimate(
  { policy, sentMs, receivedMs, resetMs }: EstimateCharge,
  toleranceMs: number,
): boolean {
  const endMs = resetMs - policy.windowMs;
  const isOpen = endMs - policy.windowMs <= receivedMs + toleranceMs && endMs > sentMs - toleranceMs;
  return isOpen && resetMs % policy.windowMs === 0;
}

type SlidingPolicy = PolicyOf<'sliding_window_log' | 'sliding_window_counter'>;

/**
 * Recounts a sliding window in two ways. By time: no interval shorter than the window may contain more than the limit
 * of what was both sent and answered within it. By `reset`, when the newest admission leaves the window: admissions
 * less than one window apart must not exceed the limit. A log is exact; a counter expires whole sub-windows, so its
 * bound by time is the limit in all its sub-windows but one.
 */
export const slidingWindowRecount: RecountRule<SlidingPolicy> = {
  regime: (policy) => `${policy.windowMs} ${stepsOf(policy)} ${mostOf(policy)}`,

  judge(charges, toleranceMs) {
    const policy = charges[0]?.policy;
    if (policy === undefined) return NOTHING_FOUND;
    const { windowMs } = policy;
    const most = mostOf(policy);
    const stepMs = windowMs / stepsOf(policy);
    const certainMs = policy.algorithm === 'sliding_window_log' ? windowMs : Math.floor(windowMs - stepMs);
    const byReset = charges.map(({ resetMs, cost }) => ({ sentMs: resetMs, receivedMs: resetMs, cost }));
    const overAdmitted = Math.max(
      countOverInTime(charges, certainMs, most),
      countOverInTime(byReset, windowMs, most),
    );
    const slackMs = (policy.algorithm === 'sliding_window_log' ? 0 : Math.ceil(stepMs)) + toleranceMs;
    return {
      overAdmitted,
      contradictions: charges.filter((charge) => !isPlausibleReset(charge, slackMs, toleranceMs)).length,
      finding:
        overAdmitted === 0 ? undefined : `${overAdmitted} admitted beyond ${most} in any ${windowMs} ms`,
    };
  },
};

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

/** Whether an admission during the request can be the newest of a window that ends at `reset`. */
function isPlausibleReset(
  { policy, sentMs, receivedMs, resetMs }: JudgedCharge<SlidingPolicy>,
  slackMs: number,
  toleranceMs: number,
): boolean {
  const enteredMs = resetMs - policy.windowMs;
  return enteredMs >= sentMs - slackMs && enteredMs <= receivedMs + toleranceMs;
}
