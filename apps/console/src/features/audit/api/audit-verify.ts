import { useMutation } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const AuditVerifyDocument = graphql(`
  query AuditVerify($tenantKey: String) {
    auditVerify(tenantKey: $tenantKey) {
      ok chains entries unsignedChains brokenChains
      breaks { chain sequence problem }
    }
  }
`);

/** Reads the whole trail, or a tenant's, and says whether it holds: on request only, as it costs. */
export function useAuditVerify() {
  return useMutation({
    mutationFn: async (tenantKey: string | undefined) =>
      (await graphqlRequest(AuditVerifyDocument, { tenantKey: tenantKey ?? null })).auditVerify,
  });
}
