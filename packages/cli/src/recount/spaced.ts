import { type PolicyOf } from '@tollgate/contracts';
import { extraOf, type JudgedCharge, regimeRule } from './windows.js';

/**
 * Recounts a bucket that is refilled at clock intervals: between two intervals, at most its capacity and one refill
 * per boundary can have been admitted. A request across a boundary counts in its favor.
 */
export const intervalBucketRecount = regimeRule<PolicyOf<'token_bucket'>>(
  (policy) => `${policy.windowMs} interval ${policy.limit} ${policy.capacity + extraOf(policy)}`,
  (policy, charges, toleranceMs) => {
    const { limit, windowMs } = policy;
    const capacity = policy.capacity + extraOf(policy);
    const firstMs = charges.reduce((first, { sentMs }) => Math.min(first, sentMs), Number.POSITIVE_INFINITY);
    const intervalOf = (ms: number) => Math.floor(ms / windowMs) - Math.floor(firstMs / windowMs);
    // Scales an interval to one millisecond per token, so that the bound by time applies.
    const inIntervals = charges.map(({ sentMs, receivedMs, cost }) => ({
      sentMs: intervalOf(sentMs - toleranceMs) * limit,
      receivedMs: intervalOf(receivedMs + toleranceMs) * limit,
      cost,
    }));
    const fullAfterMs = Math.ceil(capacity / limit) * windowMs + toleranceMs;
    return {
      overAdmitted: countOverInTime(inIntervals, { intervalUs: 1000, capacity }),
      bound: `${capacity} at once and ${limit} at the end of each ${windowMs} ms`,
      isPlausible: ({ sentMs, receivedMs, resetMs }) =>
        resetMs % windowMs === 0 && resetMs > sentMs - toleranceMs && resetMs <= receivedMs + fullAfterMs,
    };
  },
);

type SpacedPolicy = PolicyOf<'gcra' | 'token_bucket' | 'leaky_bucket'>;
type SpacedCharge = JudgedCharge<SpacedPolicy>;

/** In whole microseconds, rounded up as in the decision plane. */
interface Spacing {
  intervalUs: number;
  capacity: number;
}

/**
 * Recounts continuously refilled limits (gcra, token bucket, leaky bucket) in two ways and returns the larger result.
 * By time: no interval may contain more admissions than the limit allows; this does not rely on the server. By arrival
 * times: each admission moves `reset`, when the limit is unused again, by a full interval; this finds a single
 * additional admission even with slow requests.
 */
export const spacedRecount = regimeRule<SpacedPolicy>(
  (policy) => `${policy.windowMs} ${policy.limit} ${atOnce(policy)}`,
  (policy, charges, toleranceMs) => {
    const intervalUs = Math.ceil((policy.windowMs * 1000) / policy.limit);
    const spacing = { intervalUs, capacity: atOnce(policy) };
    const fullAfterMs = Math.ceil((intervalUs * spacing.capacity) / 1000) + toleranceMs;
    return {
      overAdmitted: Math.max(countOverInTime(charges, spacing), countOverInSpacing(charges, spacing)),
      bound: `${policy.limit} in ${policy.windowMs} ms and ${spacing.capacity} at once`,
      isPlausible: ({ sentMs, receivedMs, resetMs, cost }) =>
        resetMs >= sentMs + (intervalUs * cost) / 1000 - toleranceMs && resetMs <= receivedMs + fullAfterMs,
    };
  },
);

function atOnce(policy: SpacedPolicy): number {
  const extra = extraOf(policy);
  switch (policy.algorithm) {
    case 'gcra':
      return policy.burst + 1 + extra;
    case 'token_bucket':
      return policy.capacity + extra;
    case 'leaky_bucket':
      return policy.queue + 1 + extra;
  }
}

/**
 * Minimum cost to remove so that no interval contains more than capacity + duration ÷ interval of what was both sent
 * and answered within it. Only intervals from a request to an answer matter. Compares beginning + interval ×
 * admissions since with the time of the answer. Beginnings before all later requests grow in step: only the largest is
 * kept, so the list is as long as requests were in flight.
 */
export function countOverInTime(
  charges: readonly Pick<SpacedCharge, 'sentMs' | 'receivedMs' | 'cost'>[],
  { intervalUs, capacity }: Spacing,
): number {
  const byAnswer = [...charges].sort((a, b) => a.receivedMs - b.receivedMs);
  const beginningsMs = charges.map(({ sentMs }) => sentMs).sort((a, b) => a - b);
  const earliestLaterMs = earliestSentFrom(byAnswer);
  let open: { fromMs: number; reachUs: number }[] = [];
  let closedReachUs = Number.NEGATIVE_INFINITY;
  let begun = 0;
  let over = 0;
  for (const [i, { sentMs, receivedMs, cost }] of byAnswer.entries()) {
    for (let fromMs = beginningsMs[begun]; fromMs !== undefined && fromMs <= sentMs; ) {
      open.push({ fromMs, reachUs: fromMs * 1000 });
      begun++;
      fromMs = beginningsMs[begun];
    }
    const within = open.filter(({ fromMs }) => fromMs <= sentMs);
    const reachUs = within.reduce((most, beginning) => Math.max(most, beginning.reachUs), closedReachUs);
    if (reachUs + intervalUs * cost - receivedMs * 1000 > intervalUs * capacity) {
      over += cost;
    } else {
      closedReachUs += intervalUs * cost;
      for (const beginning of within) beginning.reachUs += intervalUs * cost;
    }
    const laterMs = earliestLaterMs[i + 1] ?? Number.POSITIVE_INFINITY;
    for (const { fromMs, reachUs: reach } of open) {
      if (fromMs <= laterMs) closedReachUs = Math.max(closedReachUs, reach);
    }
    open = open.filter(({ fromMs }) => fromMs > laterMs);
  }
  return over;
}

/** For each index, the earliest time at which a request from there on was sent. */
function earliestSentFrom(charges: readonly Pick<SpacedCharge, 'sentMs'>[]): Float64Array {
  const earliestMs = new Float64Array(charges.length);
  let earliest = Number.POSITIVE_INFINITY;
  for (let i = charges.length - 1; i >= 0; i--) {
    earliest = Math.min(earliest, charges[i]?.sentMs ?? earliest);
    earliestMs[i] = earliest;
  }
  return earliestMs;
}

/** Cost of admissions whose arrival times are too close to the previous one. */
function countOverInSpacing(charges: readonly SpacedCharge[], { intervalUs }: Spacing): number {
  let tatUs = Number.NEGATIVE_INFINITY;
  let over = 0;
  for (const { resetMs, cost } of [...charges].sort((a, b) => a.resetMs - b.resetMs)) {
    // `reset` is rounded up to a millisecond.
    const latestUs = resetMs * 1000;
    const earliestUs = Math.max(latestUs - 999, tatUs + intervalUs * cost);
    if (earliestUs > latestUs) over += cost;
    else tatUs = earliestUs;
  }
  return over;
}
