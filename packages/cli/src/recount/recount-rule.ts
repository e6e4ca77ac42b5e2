import type { LimitPolicy } from '@tollgate/contracts';
import type { Charge } from './charge-log.js';

/** A charge with the limit that decided it. */
export interface JudgedCharge<P extends LimitPolicy = LimitPolicy> extends Charge {
  policy: P;
}

/** What a recount of one counter found. */
export interface Verdict {
  /** Cost that was admitted and should not have been. */
  overAdmitted: number;
  /** Answers whose `reset` cannot be true. */
  contradictions: number;
  /** Says what went over, for people; undefined when nothing did. */
  finding: string | undefined;
}

/** The verdict on no charges. */
export const NOTHING_FOUND: Verdict = { overAdmitted: 0, contradictions: 0, finding: undefined };

/** How admissions under one algorithm are counted again, without asking the server. */
export interface RecountRule<P extends LimitPolicy> {
  /** Charges whose policies read alike here are counted together; a change of anything else keeps the count. */
  regime(policy: P): string;
  /**
   * @param charges those of one counter and one regime, in any order
   * @param toleranceMs how far the clocks of client and store may differ
   */
  judge(charges: readonly JudgedCharge<P>[], toleranceMs: number): Verdict;
}

/** Units past its limit that a policy's soft band lets through, rounded down. */
export function extraOf({ throttle, limit }: LimitPolicy): number {
  return throttle?.mode === 'soft' ? Math.floor((limit * throttle.percent) / 100) : 0;
}

/** What a policy lets through of one window or period, its soft band included. */
export const mostOf = (policy: LimitPolicy): number => policy.limit + extraOf(policy);

export function sumCosts(charges: readonly Pick<Charge, 'cost'>[]): number {
  return charges.reduce((sum, { cost }) => sum + cost, 0);
}
