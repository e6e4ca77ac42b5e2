import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { MemberInviteInput, MemberRole, TenantPeopleQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const TenantPeopleDocument = graphql(`
  query TenantPeople($tenantKey: String!) {
    tenant(key: $tenantKey) { name members { id name email role } }
    invitations(tenantKey: $tenantKey, first: 100) { nodes { id email role invitedBy expiresAt createdAt } }
  }
`);

const MemberInviteDocument = graphql(`
  mutation MemberInvite($input: MemberInviteInput!) {
    memberInvite(input: $input) { userErrors { code field message } }
  }
`);

const MemberRoleChangeDocument = graphql(`
  mutation MemberRoleChange($input: MemberRoleChangeInput!) {
    memberRoleChange(input: $input) { userErrors { code field message } }
  }
`);

const MemberRemoveDocument = graphql(`
  mutation MemberRemove($input: MemberRemoveInput!) {
    memberRemove(input: $input) { userErrors { code field message } }
  }
`);

const InvitationResendDocument = graphql(`
  mutation InvitationResend($input: InvitationTargetInput!) {
    invitationResend(input: $input) { userErrors { code field message } }
  }
`);

const InvitationRevokeDocument = graphql(`
  mutation InvitationRevoke($input: InvitationTargetInput!) {
    invitationRevoke(input: $input) { userErrors { code field message } }
  }
`);

const peopleKey = ['tenant-people'] as const;

export type MemberRow = NonNullable<TenantPeopleQuery['tenant']>['members'][number];
export type InvitationRow = TenantPeopleQuery['invitations']['nodes'][number];

/** A tenant's members and pending invitations. */
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

/** The same as a script would ask. */
export function memberInviteCall(input: MemberInviteInput): MutationCall {
  return { mutation: 'memberInvite', inputType: 'MemberInviteInput', input, selection: '' };
}

/** Sends an invitation. */
export function useMemberInvite() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: MemberInviteInput) => {
      throwUserErrors((await graphqlRequest(MemberInviteDocument, { input })).memberInvite);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: peopleKey }),
  });
}

type PersonChange = { tenantKey: string; id: string } & (
  | { kind: 'role'; role: MemberRole }
  | { kind: 'remove' | 'resend' | 'revoke' }
);

/** Changes a role, removes a member, or resends or revokes an invitation. */
export function usePersonChange() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (change: PersonChange) => throwUserErrors(await send(change)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: peopleKey }),
  });
}

async function send(change: PersonChange) {
  const { tenantKey, id } = change;
  const input = { tenantKey, id };
  switch (change.kind) {
    case 'role':
      return (await graphqlRequest(MemberRoleChangeDocument, { input: { ...input, role: change.role } }))
        .memberRoleChange;
    case 'remove':
      return (await graphqlRequest(MemberRemoveDocument, { input })).memberRemove;
    case 'resend':
      return (await graphqlRequest(InvitationResendDocument, { input })).invitationResend;
    case 'revoke':
      return (await graphqlRequest(InvitationRevokeDocument, { input })).invitationRevoke;
  }
}
