import {
  type FixedWindowPolicy,
  type LimitPolicy,
  type PolicyOf,
  type QuotaPeriod,
} from '@tollgate/contracts';
import { groupBy } from '@tollgate/contracts/older-node';
import { type Charge } from './charge-log.js';

export interface JudgedCharge<P extends LimitPolicy = LimitPolicy> extends Charge {
  policy: P;
}

export interface Verdict {
  /** Cost that should not have been admitted. */
  overAdmitted: number;
  /** Answers with an impossible `reset`. */
  contradictions: number;
  /** Describes the excess. */
  finding: string | undefined;
}

export const NOTHING_FOUND: Verdict = { overAdmitted: 0, contradictions: 0, finding: undefined };

/** How admissions under one algorithm are counted again, without asking the server. */
export interface RecountRule<P extends LimitPolicy> {
  /** Charges with equal keys are counted together. */
  regime(policy: P): string;
  /**
   * @param charges of one counter and one regime, in any order
   * @param toleranceMs maximum clock difference between client and store
   */
  judge(charges: readonly JudgedCharge<P>[], toleranceMs: number): Verdict;
}

/** A rule that counts all charges of a regime under the same numbers. */
export function regimeRule<P extends LimitPolicy>(
  regime: (policy: P) => string,
  count: (
    policy: P,
    charges: readonly JudgedCharge<P>[],
    toleranceMs: number,
  ) => { overAdmitted: number; bound: string; isPlausible: (charge: JudgedCharge<P>) => boolean },
): RecountRule<P> {
  return {
    regime,
    judge(charges, toleranceMs) {
      const [first] = charges;
      if (first === undefined) return NOTHING_FOUND;
      const { overAdmitted, bound, isPlausible } = count(first.policy, charges, toleranceMs);
      return {
        overAdmitted,
        contradictions: charges.filter((charge) => !isPlausible(charge)).length,
        finding: overAdmitted === 0 ? undefined : `${overAdmitted} admitted beyond ${bound}`,
      };
    },
  };
}

/** Units of the soft band. */
export function extraOf({ throttle, limit }: LimitPolicy): number {
  return throttle?.mode === 'soft' ? Math.floor((limit * throttle.percent) / 100) : 0;
}

export const mostOf = (policy: LimitPolicy): number => policy.limit + extraOf(policy);

export function sumCosts(charges: readonly Pick<Charge, 'cost'>[]): number {
  return charges.reduce((sum, { cost }) => sum + cost, 0);
}

/**
 * Recounts windows that `reset` identifies by their end. Each admission is checked against its own limit, because a
 * changed limit keeps its usage.
 * @param isPlausible whether the window of an answer can have been open during the request
 * @param shortestMs minimum distance between the ends of two windows
 */
export function judgeNamedWindows<P extends LimitPolicy>(
  charges: readonly JudgedCharge<P>[],
  isPlausible: (charge: JudgedCharge<P>) => boolean,
  shortestMs: number,
): Verdict {
  const windows = groupBy(charges, (charge) => charge.resetMs);
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

/** A window that begins before the previous one has ended: its counter was lost too early. */
function countOverlaps(endsMs: number[], shortestMs: number): number {
  endsMs.sort((a, b) => a - b);
  return endsMs.filter((endMs, i) => i > 0 && endMs - (endsMs[i - 1] as number) < shortestMs).length;
}

function countOver(window: readonly JudgedCharge[]): number {
  const largest = window.reduce((most, { policy }) => Math.max(most, mostOf(policy)), 0);
  return Math.max(sumCosts(window) - largest, countOverLowered(window), 0);
}

/** Cost of admissions under a lowered limit that earlier answered requests had already used up. */
function countOverLowered(window: readonly JudgedCharge[]): number {
  let over = 0;
  for (const [{ cost, policy }, used] of withAnsweredCost(window))
    over += Math.min(cost, Math.max(0, used + cost - mostOf(policy)));
  return over;
}

/** Each charge in the order of sending, with the cost of those that were answered before. */
export function* withAnsweredCost<C extends Pick<Charge, 'sentMs' | 'receivedMs' | 'cost'>>(
  charges: readonly C[],
): Generator<[charge: C, answeredCost: number]> {
  const byAnswer = charges.toSorted((a, b) => a.receivedMs - b.receivedMs);
  let answered = 0;
  let used = 0;
  for (const charge of charges.toSorted((a, b) => a.sentMs - b.sentMs)) {
    for (let one = byAnswer[answered]; one && one.receivedMs < charge.sentMs; one = byAnswer[++answered])
      used += one.cost;
    yield [charge, used];
  }
}

function describe(endMs: number, window: readonly JudgedCharge[]): string {
  const limits = [...new Set(window.map(({ policy }) => mostOf(policy)))].join(', then ');
  const end = new Date(endMs).toISOString();
  return `${sumCosts(window)} admitted in the window that ends at ${end}; the limit is ${limits}`;
}

export const fixedWindowRecount: RecountRule<FixedWindowPolicy> = {
  regime: ({ windowMs, alignment }) => `${windowMs} ${alignment}`,

  judge: (charges, toleranceMs) =>
    judgeNamedWindows(
      charges,
      (charge) => isPlausibleWindow(charge, toleranceMs),
      charges[0]?.policy.windowMs ?? 0,
    ),
};

function isPlausibleWindow(
  { policy, sentMs, receivedMs, resetMs }: JudgedCharge<FixedWindowPolicy>,
  toleranceMs: number,
): boolean {
  const { windowMs, alignment } = policy;
  const isAligned = alignment !== 'clock' || resetMs % windowMs === 0;
  return isAligned && resetMs > sentMs - toleranceMs && resetMs <= receivedMs + windowMs + toleranceMs;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** With clock changes of up to one hour. */
const LENGTHS_MS: Record<QuotaPeriod, { shortest: number; longest: number }> = {
  day: { shortest: DAY_MS - HOUR_MS, longest: DAY_MS + HOUR_MS },
  week: { shortest: 7 * DAY_MS - HOUR_MS, longest: 7 * DAY_MS + HOUR_MS },
  month: { shortest: 28 * DAY_MS - HOUR_MS, longest: 31 * DAY_MS + HOUR_MS },
  billing: { shortest: 28 * DAY_MS - HOUR_MS, longest: 31 * DAY_MS + HOUR_MS },
};

/** Local midnights lie on quarter hours of UTC in every zone. */
const QUARTER_MS = HOUR_MS / 4;

/** The tenant's time zone is unknown here: the end of a period must be midnight in some zone. */
export const quotaRecount: RecountRule<PolicyOf<'quota'>> = {
  regime: ({ period }) => period,

  judge(charges, toleranceMs) {
    const period = charges[0]?.policy.period ?? 'day';
    return judgeNamedWindows(
      charges,
      (charge) => isPlausiblePeriod(charge, toleranceMs),
      LENGTHS_MS[period].shortest,
    );
  },
};

function isPlausiblePeriod(
  { policy, sentMs, receivedMs, resetMs }: JudgedCharge<PolicyOf<'quota'>>,
  toleranceMs: number,
): boolean {
  const latestMs = receivedMs + LENGTHS_MS[policy.period].longest + toleranceMs;
  return resetMs % QUARTER_MS === 0 && resetMs > sentMs - toleranceMs && resetMs <= latestMs;
}
