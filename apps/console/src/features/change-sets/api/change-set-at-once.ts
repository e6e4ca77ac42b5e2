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
    const set = { id, expectedVersion: version };
    const outcome = await take(set, { kind: 'apply' });
    if (outcome.userErrors.length > 0) await take(set, { kind: 'cancel' });
    return outcome;
  };
}
