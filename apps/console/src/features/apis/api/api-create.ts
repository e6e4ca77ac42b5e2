import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiCreateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { throwUserErrors } from '../../../lib/user-errors.js';
import { apisQuery } from './apis.js';

const ApiCreateDocument = graphql(`
  mutation ApiCreate($input: ApiCreateInput!) {
    apiCreate(input: $input) { api { id key } userErrors { code field message } }
  }
`);

/** The same as a script would ask. */
export function apiCreateCall(input: ApiCreateInput): MutationCall {
  return { mutation: 'apiCreate', inputType: 'ApiCreateInput', input, selection: 'api { id key }' };
}

/** Registers an API. Fails with UserErrorsError when the input is refused. */
export function useApiCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: ApiCreateInput) => {
      const { apiCreate } = await graphqlRequest(ApiCreateDocument, { input });
      throwUserErrors(apiCreate);
      return apiCreate.api;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apisQuery.queryKey }),
  });
}
