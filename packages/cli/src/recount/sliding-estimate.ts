import type { PolicyOf } from '@tollgate/contracts';
import { type JudgedCharge, mostOf, NOTHING_FOUND, type RecountRule, sumCosts } from './recount-rule.js';

type EstimateCharge = JudgedCharge<PolicyOf<'sliding_window_counter'>>;

/**
 * Counts the weighted estimate again: with what the window before admitted spread evenly over it, the part of it that
 * the sliding window still covers and what this window admitted are at most the limit. `reset`, the end of the window
 * after it, names the window. The estimate's own error, up to twice the limit in one window, is no over-admission.
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
    const contradictions = charges.filter((charge) => !isPlausible(charge, toleranceMs)).length;
    const finding =
      overAdmitted === 0
        ? undefined
        : `${overAdmitted} admitted beyond ${most} by the estimate of any ${windowMs} ms`;
    return { overAdmitted, contradictions, finding };
  },
};

/** The cost in one window that found the estimate used up by what had been answered before it was sent. */
function countOverEstimate(
  window: readonly EstimateCharge[],
  endMs: number,
  before: number,
  most: number,
): number {
  const byAnswer = [...window].sort((a, b) => a.receivedMs - b.receivedMs)[Symbol.iterator]();
  let earlier = byAnswer.next();
  let used = 0;
  let over = 0;
  for (const { sentMs, receivedMs, cost, policy } of [...window].sort((a, b) => a.sentMs - b.sentMs)) {
    while (!earlier.done && earlier.value.receivedMs < sentMs) {
      used += earlier.value.cost;
      earlier = byAnswer.next();
    }
    const coveredMs = Math.max(0, endMs - receivedMs);
    if (before * coveredMs > (most - used - cost) * policy.windowMs) over += cost;
  }
  return over;
}

/** Whether the window named by the answer can have been open while the request was under way. */
function isPlausible({ policy, sentMs, receivedMs, resetMs }: EstimateCharge, toleranceMs: number): boolean {
  const endMs = resetMs - policy.windowMs;
  const isOpen = endMs - policy.windowMs <= receivedMs + toleranceMs && endMs > sentMs - toleranceMs;
  return isOpen && resetMs % policy.windowMs === 0;
}
