import {
  type FixedWindowPolicy,
  type LimitPolicy,
  type PolicyOf,
  type QuotaPeriod,
} from '@tollgate/contracts';
import { type Charge } from './charge-log.js';

/** A charge with the limit that decided it. */
export interface JudgedCharge<P extends LimitPolicy = LimitPolicy> extends Charge {
  policy: P;
}

/** Result of recounting one counter. */
export interface Verdict {
  /** Cost that was admitted and should not have been. */
  overAdmitted: number;
  /** Answers with an impossible `reset`. */
  contradictions: number;
  /** Description of the excess, for people; undefined if there is none. */
  finding: string | undefined;
}

/** The verdict on no charges. */
export const NOTHING_FOUND: Verdict = { overAdmitted: 0, contradictions: 0, finding: undefined };

/** How admissions under one algorithm are counted again, without asking the server. */
export interface RecountRule<P extends LimitPolicy> {
  /** Key of the properties that affect counting. Charges with equal keys are counted together. */
  regime(policy: P): string;
  /**
   * @param charges those of one counter and one regime, in any order
   * @param toleranceMs how far the clocks of client and store may differ
   */
  judge(charges: readonly JudgedCharge<P>[], toleranceMs: number): Verdict;
}

/** Units above the limit that the soft band allows, rounded down. */
export function extraOf({ throttle, limit }: LimitPolicy): number {
  return throttle?.mode === 'soft' ? Math.floor((limit * throttle.percent) / 100) : 0;
}

/** Maximum of one window or period, soft band included. */
export const mostOf = (policy: LimitPolicy): number => policy.limit + extraOf(policy);

export function sumCosts(charges: readonly Pick<Charge, 'cost'>[]): number {
  return charges.reduce((sum, { cost }) => sum + cost, 0);
}

/**
 * Recounts windows that `reset` identifies by their end: the charges of one window must not exceed its limit. A
 * changed limit keeps its usage, so each admission is checked against its own limit.
 * @param isPlausible whether the window named by an answer can have been open during the request
 * @param shortestMs minimum distance between the ends of two windows of a counter
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

/** Returns the cost of admissions under a lowered limit that earlier answered requests had already used up. */
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

/** Recounts a fixed window: `reset` identifies the window of a charge. */
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

/** Where clocks are put forward and back an hour; Lord Howe's half hour lies between. */
const LENGTHS_MS: Record<QuotaPeriod, { shortest: number; longest: number }> = {
  day: { shortest: DAY_MS - HOUR_MS, longest: DAY_MS + HOUR_MS },
  week: { shortest: 7 * DAY_MS - HOUR_MS, longest: 7 * DAY_MS + HOUR_MS },
  month: { shortest: 28 * DAY_MS - HOUR_MS, longest: 31 * DAY_MS + HOUR_MS },
  billing: { shortest: 28 * DAY_MS - HOUR_MS, longest: 31 * DAY_MS + HOUR_MS },
};

/** Local midnights lie on whole quarters of an hour of UTC in every zone. */
const QUARTER_MS = HOUR_MS / 4;

/**
 * Recounts a quota: `reset` identifies the period of a charge. The tenant's time zone is unknown here, so the end of
 * a period is only checked to be midnight in some zone; admissions within a period are counted in any case.
 */
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
