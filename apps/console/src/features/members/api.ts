import { queryOptions } from '@tanstack/react-query';
import type { TenantPeopleQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';

const TenantPeopleDocument = graphql(`
  query TenantPeople($tenantKey: String!) {
    tenant(key: $tenantKey) { name members { id name email role } }
    invitations(tenantKey: $tenantKey, first: 100) { nodes { id email role invitedBy expiresAt createdAt } }
  }
`);

export const MemberInviteDocument = graphql(`
  mutation MemberInvite($input: MemberInviteInput!) {
    memberInvite(input: $input) { userErrors { code field message } }
  }
`);

export const MemberRoleChangeDocument = graphql(`
  mutation MemberRoleChange($input: MemberRoleChangeInput!) {
    memberRoleChange(input: $input) { userErrors { code field message } }
  }
`);

export const MemberRemoveDocument = graphql(`
  mutation MemberRemove($input: MemberRemoveInput!) {
    memberRemove(input: $input) { userErrors { code field message } }
  }
`);

export const InvitationResendDocument = graphql(`
  mutation InvitationResend($input: InvitationTargetInput!) {
    invitationResend(input: $input) { userErrors { code field message } }
  }
`);

export const InvitationRevokeDocument = graphql(`
  mutation InvitationRevoke($input: InvitationTargetInput!) {
    invitationRevoke(input: $input) { userErrors { code field message } }
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
