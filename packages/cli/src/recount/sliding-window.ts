import type { PolicyOf } from '@tollgate/contracts';
import type { Charge } from './charge-log.js';
import { type JudgedCharge, mostOf, NOTHING_FOUND, type RecountRule } from './recount-rule.js';

type SlidingPolicy = PolicyOf<'sliding_window_log' | 'sliding_window_counter'>;

/**
 * Counts a sliding window again, twice. By time: no stretch shorter than the window may hold more of what was both sent
 * and answered within it than the limit. By `reset`, the moment at which the newest admission leaves the window: no two
 * that lie less than a window apart may enclose more. A log is exact; a counter forgets a sub-window at a time, so its
 * bound is the limit in any stretch of all its sub-windows but one, and in its sub-windows as `reset` names them.
 *
 * Not for a counter with one sub-window, which is an estimate: `estimateRecount`.
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
    const overAdmitted = Math.max(
      countOverInTime(charges, certainMs, most),
      countOverByReset(charges, windowMs, most),
    );
    const slackMs = (policy.algorithm === 'sliding_window_log' ? 0 : Math.ceil(stepMs)) + toleranceMs;
    return {
      overAdmitted,
      contradictions: charges.filter((charge) => !isPlausible(charge, slackMs, toleranceMs)).length,
      finding:
        overAdmitted === 0 ? undefined : `${overAdmitted} admitted beyond ${most} in any ${windowMs} ms`,
    };
  },
};

/** Sub-windows of a counter; a log has one for each moment. */
const stepsOf = (policy: SlidingPolicy): number =>
  policy.algorithm === 'sliding_window_log' ? 0 : policy.buckets;

/**
 * The cost that has to be dropped so that no stretch shorter than `stretchMs` holds more than `most` of what was both
 * sent and answered within it. In the order of answers, an admission meets all that were sent less than a stretch
 * before its own answer.
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

/** The cost that has to be dropped so that no `reset` has more than `most` within the window up to it. */
function countOverByReset(charges: readonly JudgedCharge[], windowMs: number, most: number): number {
  const kept: JudgedCharge[] = [];
  let first = 0;
  let inside = 0;
  let over = 0;
  for (const charge of [...charges].sort((a, b) => a.resetMs - b.resetMs)) {
    for (let oldest = kept[first]; oldest !== undefined; oldest = kept[first]) {
      if (oldest.resetMs > charge.resetMs - windowMs) break;
      inside -= oldest.cost;
      first++;
    }
    if (inside + charge.cost > most) over += charge.cost;
    else {
      kept.push(charge);
      inside += charge.cost;
    }
  }
  return over;
}

/** Whether an admission between request and answer can be the newest of a window that ends then. */
function isPlausible(
  { policy, sentMs, receivedMs, resetMs }: JudgedCharge<SlidingPolicy>,
  slackMs: number,
  toleranceMs: number,
): boolean {
  const enteredMs = resetMs - policy.windowMs;
  return enteredMs >= sentMs - slackMs && enteredMs <= receivedMs + toleranceMs;
}
