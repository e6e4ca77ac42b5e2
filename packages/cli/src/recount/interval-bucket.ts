import type { PolicyOf } from '@tollgate/contracts';
import { extraOf, type JudgedCharge, NOTHING_FOUND, type RecountRule } from './recount-rule.js';
import { countOverInTime } from './spaced.js';

type BucketPolicy = PolicyOf<'token_bucket'>;

/**
 * Counts a bucket again that is refilled at the end of each interval of the clock: from one interval to another, no more
 * than its capacity and one refill for each boundary between them can have been admitted. A request that was under way
 * across a boundary counts where it hurts least.
 */
export const intervalBucketRecount: RecountRule<BucketPolicy> = {
  regime: (policy) => `${policy.windowMs} interval ${policy.limit} ${policy.capacity + extraOf(policy)}`,

  judge(charges, toleranceMs) {
    const policy = charges[0]?.policy;
    if (policy === undefined) return NOTHING_FOUND;
    const { limit, windowMs } = policy;
    const capacity = policy.capacity + extraOf(policy);
    const firstMs = charges.reduce((first, { sentMs }) => Math.min(first, sentMs), Number.POSITIVE_INFINITY);
    const intervalOf = (ms: number) => Math.floor(ms / windowMs) - Math.floor(firstMs / windowMs);
    // An interval is as long as its refill has tokens, a token a millisecond: then the bound by time is this one.
    const inIntervals = charges.map(({ sentMs, receivedMs, cost }) => ({
      sentMs: intervalOf(sentMs - toleranceMs) * limit,
      receivedMs: intervalOf(receivedMs + toleranceMs) * limit,
      cost,
    }));
    const overAdmitted = countOverInTime(inIntervals, { intervalUs: 1000, capacity });
    return {
      overAdmitted,
      contradictions: charges.filter((charge) => !isPlausible(charge, toleranceMs)).length,
      finding:
        overAdmitted === 0
          ? undefined
          : `${overAdmitted} admitted beyond ${capacity} at once and ${limit} at the end of each ${windowMs} ms`,
    };
  },
};

/** Whether a bucket that was drawn from between request and answer can be full again then: at a boundary to come. */
function isPlausible(
  { policy, sentMs, receivedMs, resetMs }: JudgedCharge<BucketPolicy>,
  toleranceMs: number,
): boolean {
  const { windowMs, limit, capacity } = policy;
  const intervals = Math.ceil((capacity + extraOf(policy)) / limit);
  const latestMs = receivedMs + toleranceMs + intervals * windowMs;
  return resetMs % windowMs === 0 && resetMs > sentMs - toleranceMs && resetMs <= latestMs;
}
