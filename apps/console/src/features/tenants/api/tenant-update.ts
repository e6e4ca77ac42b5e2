import { useQueryClient } from '@tanstack/react-query';
import type { TenantUpdateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { tenantsKey } from './tenants.js';

const TenantUpdateDocument = graphql(`
  mutation TenantUpdate($input: TenantUpdateInput!) {
    tenantUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

/** Changes a tenant's own facts, and reads tenants anew unless it was only tried. */
export function useTenantUpdate() {
  const queryClient = useQueryClient();
  return async (input: TenantUpdateInput) => {
    const { tenantUpdate } = await graphqlRequest(TenantUpdateDocument, { input });
    if (!input.dryRun) await queryClient.invalidateQueries({ queryKey: tenantsKey });
    return tenantUpdate;
  };
}
