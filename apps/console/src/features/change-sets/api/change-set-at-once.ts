import type { ChangeSetOutcomeFragment } from '../../../generated/graphql.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { useChangeSetCollect } from './change-set-collect.js';
import { useChangeSetStep } from './change-set-steps.js';

/**
 * Makes several changes as one: all of them, or none. A set that is refused is given up, so that nothing is left of it but
 * why. Fails with UserErrorsError where a change is none that a set may hold.
 */
export function useChangeSetAtOnce() {
  const collect = useChangeSetCollect();
  const take = useChangeSetStep();
  return async (title: string, calls: readonly MutationCall[]): Promise<ChangeSetOutcomeFragment> => {
    const { id, version } = await collect.mutateAsync({ target: { title }, calls });
    const submitted = await take({ id, expectedVersion: version }, { kind: 'submit' });
    const set = { id, expectedVersion: submitted.changeSet?.version ?? version };
    const outcome = submitted.userErrors.length > 0 ? submitted : await take(set, { kind: 'apply' });
    const seen = outcome.changeSet?.version ?? set.expectedVersion;
    if (outcome.userErrors.length > 0) await take({ id, expectedVersion: seen }, { kind: 'cancel' });
    return outcome;
  };
}
