import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OperationCreateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { throwUserErrors } from '../../../lib/user-errors.js';
import { apisQuery } from './apis.js';

const OperationCreateDocument = graphql(`
  mutation OperationCreate($input: OperationCreateInput!) {
    operationCreate(input: $input) { api { id key version } userErrors { code field message } }
  }
`);

/** Adds an operation to an API. Fails with UserErrorsError when the input is refused. */
export function useOperationCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: OperationCreateInput) => {
      const { operationCreate } = await graphqlRequest(OperationCreateDocument, { input });
      throwUserErrors(operationCreate);
      return operationCreate.api;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apisQuery.queryKey }),
  });
}
