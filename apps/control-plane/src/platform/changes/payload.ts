import type { UserError } from '../graphql/user-error.graphql.js';
import type { Outcome } from './outcome.js';

/** What every payload says of how its mutation ended. What a dry run found out is added by ImpactInterceptor. */
export function endingOf(outcome: Outcome<unknown>): { changeId: string | null; userErrors: UserError[] } {
  return outcome.ok
    ? { changeId: outcome.changeId, userErrors: [] }
    : { changeId: null, userErrors: outcome.errors };
}

/**
 * The payload of a mutation of one object, which stands under `name`: as it is after the change, or, of a refusal, as it stands
 * where the caller's view of it was old.
 */
export function payloadOf<N extends string, T>(name: N, outcome: Outcome<T>) {
  const object = { [name]: outcome.ok ? outcome.value : outcome.current } as Record<N, T | null>;
  return { ...object, ...endingOf(outcome) };
}
