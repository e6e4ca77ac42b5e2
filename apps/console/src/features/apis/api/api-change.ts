import { useQueryClient } from '@tanstack/react-query';
import type {
  ApiDeleteInput,
  ApiUpdateInput,
  OperationCreateInput,
  OperationDeleteInput,
  OperationUpdateInput,
  PoolCreateInput,
  PoolDeleteInput,
  PoolUpdateInput,
} from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { apisQuery } from './apis.js';

const ApiUpdateDocument = graphql(`
  mutation ApiUpdate($input: ApiUpdateInput!) {
    apiUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const ApiDeleteDocument = graphql(`
  mutation ApiDelete($input: ApiDeleteInput!) {
    apiDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const OperationCreateDocument = graphql(`
  mutation OperationCreate($input: OperationCreateInput!) {
    operationCreate(input: $input) { impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const OperationUpdateDocument = graphql(`
  mutation OperationUpdate($input: OperationUpdateInput!) {
    operationUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const OperationDeleteDocument = graphql(`
  mutation OperationDelete($input: OperationDeleteInput!) {
    operationDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const PoolCreateDocument = graphql(`
  mutation PoolCreate($input: PoolCreateInput!) {
    poolCreate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const PoolUpdateDocument = graphql(`
  mutation PoolUpdate($input: PoolUpdateInput!) {
    poolUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const PoolDeleteDocument = graphql(`
  mutation PoolDelete($input: PoolDeleteInput!) {
    poolDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

/** What can be done to an API and what it consists of; each reads APIs anew unless it was only tried. */
export function useApiChanges() {
  const queryClient = useQueryClient();
  const settled = async <T extends object>(dryRun: boolean | null | undefined, outcome: T): Promise<T> => {
    if (dryRun) return outcome;
    await Promise.all(
      [apisQuery.queryKey, ['discovered-operations']].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
    return outcome;
  };
  return {
    apiUpdate: async (input: ApiUpdateInput) =>
      settled(input.dryRun, (await graphqlRequest(ApiUpdateDocument, { input })).apiUpdate),
    apiDelete: async (input: ApiDeleteInput) =>
      settled(input.dryRun, (await graphqlRequest(ApiDeleteDocument, { input })).apiDelete),
    operationCreate: async (input: OperationCreateInput) =>
      settled(input.dryRun, (await graphqlRequest(OperationCreateDocument, { input })).operationCreate),
    operationUpdate: async (input: OperationUpdateInput) =>
      settled(input.dryRun, (await graphqlRequest(OperationUpdateDocument, { input })).operationUpdate),
    operationDelete: async (input: OperationDeleteInput) =>
      settled(input.dryRun, (await graphqlRequest(OperationDeleteDocument, { input })).operationDelete),
    poolCreate: async (input: PoolCreateInput) =>
      settled(input.dryRun, (await graphqlRequest(PoolCreateDocument, { input })).poolCreate),
    poolUpdate: async (input: PoolUpdateInput) =>
      settled(input.dryRun, (await graphqlRequest(PoolUpdateDocument, { input })).poolUpdate),
    poolDelete: async (input: PoolDeleteInput) =>
      settled(input.dryRun, (await graphqlRequest(PoolDeleteDocument, { input })).poolDelete),
  };
}
