import { useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import type { LimitSpec } from '../../../lib/limit-spec.js';
import { throwUserErrors } from '../../../lib/user-errors.js';
import { tiersQuery } from './tiers.js';

const TierDraftSaveDocument = graphql(`
  mutation TierDraftSave($input: TierDraftSaveInput!) {
    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

const TierPublishDocument = graphql(`
  mutation TierPublish($input: TierPublishInput!) {
    tierPublish(input: $input) {
      changeId
      tier { id version published { id number } }
      userErrors { code field message }
    }
  }
`);

export interface TierApplyInput {
  tierKey: string;
  /** The tier's row version that the edits were made on. */
  expectedVersion: number;
  limits: LimitSpec[];
  reason: string | null;
}

export interface TierApplied {
  changeId: string;
  versionNumber: number | undefined;
}

/**
 * Saves the limits as the tier's draft and publishes it. When the second step fails the draft stays, and the tier's
 * page offers to resume it. Fails with UserErrorsError; its code CONFLICT means that somebody else was faster.
 */
export function useTierApply() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({
      tierKey,
      expectedVersion,
      limits,
      reason,
    }: TierApplyInput): Promise<TierApplied> => {
      const { tierDraftSave } = await graphqlRequest(TierDraftSaveDocument, {
        input: { tierKey, expectedVersion, limits, note: reason, reason },
      });
      throwUserErrors(tierDraftSave);
      const { tierPublish } = await graphqlRequest(TierPublishDocument, {
        input: { tierKey, expectedVersion: tierDraftSave.tier?.version ?? expectedVersion, reason },
      });
      throwUserErrors(tierPublish);
      if (!tierPublish.changeId)
        throw new Error('The tier was published, but the answer names no change to follow.');
      return { changeId: tierPublish.changeId, versionNumber: tierPublish.tier?.published?.number };
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey }),
  });
}
