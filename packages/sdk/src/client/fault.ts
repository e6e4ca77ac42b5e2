import type { Problem } from '@tollgate/contracts/problems';

/**
 * Tollgate rejected the call: an unknown tenant, a token that is not valid. A retry brings the same; a denial is not a fault,
 * nor is an unavailable Tollgate. Thrown where `onFault` is `throw`. It has no field `status`, because frameworks would
 * answer their caller with it, who did nothing wrong.
 */
export class TollgateFault extends Error {
  override readonly name = 'TollgateFault';
  /** RFC 9457 problem details, as Tollgate answered them. */
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    const fields = (problem.errors ?? []).map(({ field, message }) => `${field}: ${message}`);
    super([problem.detail ?? problem.title, ...fields].join(' · '), options);
    this.problem = problem;
  }

  /** Stable, `tenant-unknown`. */
  get code(): Problem['code'] {
    return this.problem.code;
  }
}

/** The choice of `onFault` for a call that Tollgate rejected. */
export type FaultChoice = 'throw' | 'allow' | 'deny';

/** Faults of whoever sends the API key, not of the service that asks: they are answered to the caller as they are. */
const CALLERS_OWN: ReadonlySet<string> = new Set(['key-invalid', 'key-scope-missing']);

/** Whether a fault is the caller's own: its API key is not valid, or not for this. */
export function isCallersOwn(fault: TollgateFault): boolean {
  return CALLERS_OWN.has(fault.code);
}
