import { queryOptions } from '@tanstack/react-query';
import type { TenantPeopleQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';

export {
  InvitationResendDocument,
  InvitationRevokeDocument,
  MemberInviteDocument,
  MemberRemoveDocument,
  MemberRoleChangeDocument,
} from '../../generated/graphql.js';

const TenantPeopleDocument = graphql(`
  query TenantPeople($tenantKey: String!) {
    tenant(key: $tenantKey) { name members { id name email role } }
    invitations(tenantKey: $tenantKey, first: 100) { nodes { id email role invitedBy expiresAt createdAt } }
  }
`);

export const peopleKey = ['tenant-people'] as const;

export type MemberRow = NonNullable<TenantPeopleQuery['tenant']>['members'][number];
export type InvitationRow = TenantPeopleQuery['invitations']['nodes'][number];

export const peopleQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: [...peopleKey, tenantKey],
    queryFn: async ({ signal }) => {
      const { tenant, invitations } = await graphqlRequest(TenantPeopleDocument, { tenantKey }, signal);
      return {
        name: tenant?.name ?? tenantKey,
        members: tenant?.members ?? [],
        invitations: invitations.nodes,
      };
    },
  });
