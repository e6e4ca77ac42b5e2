import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TenantCreateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import { tenantsKey } from './tenants.js';

const TenantCreateDocument = graphql(`
  mutation TenantCreate($input: TenantCreateInput!) {
    tenantCreate(input: $input) { changeId tenant { id key } userErrors { code field message } }
  }
`);

/** Creates a tenant on a tier. Fails with UserErrorsError when the input is refused. */
export function useTenantCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: TenantCreateInput) => {
      const { tenantCreate } = await graphqlRequest(TenantCreateDocument, { input });
      throwUserErrors(tenantCreate);
      return { key: tenantCreate.tenant?.key ?? input.key, changeId: tenantCreate.changeId ?? undefined };
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tenantsKey }),
  });
}
