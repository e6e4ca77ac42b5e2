import { useQueryClient } from '@tanstack/react-query';
import type {
  TierCohortExtendInput,
  TierDuplicateInput,
  TierLifecycleInput,
  TierMigrateInput,
  TierUpdateInput,
} from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { tiersQuery } from './tiers.js';

const TierUpdateDocument = graphql(`
  mutation TierUpdate($input: TierUpdateInput!) {
    tierUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const TierDuplicateDocument = graphql(`
  mutation TierDuplicate($input: TierDuplicateInput!) {
    tierDuplicate(input: $input) { tier { id key } userErrors { code field message } }
  }
`);

const TierArchiveDocument = graphql(`
  mutation TierArchive($input: TierLifecycleInput!) {
    tierArchive(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

const TierRestoreDocument = graphql(`
  mutation TierRestore($input: TierLifecycleInput!) {
    tierRestore(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

const TierDeleteDocument = graphql(`
  mutation TierDelete($input: TierLifecycleInput!) {
    tierDelete(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

const TierMigrateDocument = graphql(`
  mutation TierMigrate($input: TierMigrateInput!) {
    tierMigrate(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const TierCohortExtendDocument = graphql(`
  mutation TierCohortExtend($input: TierCohortExtendInput!) {
    tierCohortExtend(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }
  }
`);

/** The same as a script would ask. */
export function tierDuplicateCall(input: TierDuplicateInput): MutationCall {
  return { mutation: 'tierDuplicate', inputType: 'TierDuplicateInput', input, selection: 'tier { id key }' };
}

/** What can be done to a tier besides its limits; each reads tiers anew unless it was only tried. */
export function useTierChanges() {
  const queryClient = useQueryClient();
  const settled = async <T extends object>(dryRun: boolean | null | undefined, outcome: T): Promise<T> => {
    if (!dryRun) await queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey });
    return outcome;
  };
  return {
    update: async (input: TierUpdateInput) =>
      settled(input.dryRun, (await graphqlRequest(TierUpdateDocument, { input })).tierUpdate),
    duplicate: async (input: TierDuplicateInput) =>
      settled(input.dryRun, (await graphqlRequest(TierDuplicateDocument, { input })).tierDuplicate),
    archive: async (input: TierLifecycleInput) =>
      settled(input.dryRun, (await graphqlRequest(TierArchiveDocument, { input })).tierArchive),
    restore: async (input: TierLifecycleInput) =>
      settled(input.dryRun, (await graphqlRequest(TierRestoreDocument, { input })).tierRestore),
    delete: async (input: TierLifecycleInput) =>
      settled(input.dryRun, (await graphqlRequest(TierDeleteDocument, { input })).tierDelete),
    migrate: async (input: TierMigrateInput) =>
      settled(input.dryRun, (await graphqlRequest(TierMigrateDocument, { input })).tierMigrate),
    extend: async (input: TierCohortExtendInput) =>
      settled(input.dryRun, (await graphqlRequest(TierCohortExtendDocument, { input })).tierCohortExtend),
  };
}
