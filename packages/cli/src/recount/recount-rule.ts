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
