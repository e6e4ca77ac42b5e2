import type { Problem } from '@tollgate/contracts/problems';

/**
 * Thrown where the call itself is wrong: an unknown tenant, a token that is not valid, a missing dimension. Asking again
 * brings the same; a refusal is not one of these, nor is a Tollgate that cannot be reached. It has no `status` of its own:
 * frameworks would answer their caller with it, who did nothing wrong.
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

/** Faults of whoever sends the API key, not of the service that asks: they are answered to the caller as they are. */
const CALLERS_OWN: ReadonlySet<string> = new Set(['key-invalid', 'key-scope-missing']);

/** Whether a fault is the caller's own: its API key is not valid, or not for this. */
export function isCallersOwn(error: unknown): error is TollgateFault {
  return error instanceof TollgateFault && CALLERS_OWN.has(error.code);
}
