import type { LimitPolicy } from '@tollgate/contracts';
import { type JudgedCharge, mostOf, sumCosts, type Verdict } from './recount-rule.js';

/**
 * Counts windows again that `reset` names by their end: the charges of one window may not be more than its limit. A
 * limit that changed keeps what is used, so each admission is held to its own limit.
 *
 * @param isPlausible whether the window named by an answer can have been open while the request was under way
 * @param shortestMs windows of one counter end at least so far apart
 */
export function judgeNamedWindows<P extends LimitPolicy>(
  charges: readonly JudgedCharge<P>[],
  isPlausible: (charge: JudgedCharge<P>) => boolean,
  shortestMs: number,
): Verdict {
  const windows = Map.groupBy(charges, (charge) => charge.resetMs);
  const implausible = charges.filter((charge) => !isPlausible(charge)).length;
  let overAdmitted = 0;
  let finding: string | undefined;
  for (const [endMs, window] of windows) {
    const over = countOver(window);
    if (over > 0) finding ??= describe(endMs, window);
    overAdmitted += over;
  }
  return {
    overAdmitted,
    contradictions: implausible + countOverlaps([...windows.keys()], shortestMs),
    finding,
  };
}

/** Windows that begin before the one before has ended: a counter that was forgotten too early. */
function countOverlaps(endsMs: number[], shortestMs: number): number {
  endsMs.sort((a, b) => a - b);
  return endsMs.filter((endMs, i) => i > 0 && endMs - (endsMs[i - 1] as number) < shortestMs).length;
}

/** The cost in one window that its limit had no room for. */
function countOver(window: readonly JudgedCharge[]): number {
  const largest = window.reduce((most, { policy }) => Math.max(most, mostOf(policy)), 0);
  return Math.max(sumCosts(window) - largest, countOverLowered(window), 0);
}

/** Admissions under a lowered limit that found it used up by what had been answered before they were sent. */
function countOverLowered(window: readonly JudgedCharge[]): number {
  const byAnswer = [...window].sort((a, b) => a.receivedMs - b.receivedMs)[Symbol.iterator]();
  let earlier = byAnswer.next();
  let used = 0;
  let over = 0;
  for (const { sentMs, cost, policy } of [...window].sort((a, b) => a.sentMs - b.sentMs)) {
    while (!earlier.done && earlier.value.receivedMs < sentMs) {
      used += earlier.value.cost;
      earlier = byAnswer.next();
    }
    over += Math.min(cost, Math.max(0, used + cost - mostOf(policy)));
  }
  return over;
}

function describe(endMs: number, window: readonly JudgedCharge[]): string {
  const limits = [...new Set(window.map(({ policy }) => mostOf(policy)))].join(', then ');
  const end = new Date(endMs).toISOString();
  return `${sumCosts(window)} admitted in the window that ends at ${end}; the limit is ${limits}`;
}
