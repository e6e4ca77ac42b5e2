import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  OperatorInviteInput,
  OperatorRoleChangeInput,
  OperatorsQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const OperatorsDocument = graphql(`
  query Operators {
    operators { id email name role createdAt suspendedAt }
    operatorInvitations(first: 50) { nodes { id email operatorRole invitedBy createdAt expiresAt } }
  }
`);

const InviteDocument = graphql(`
  mutation OperatorInvite($input: OperatorInviteInput!) {
    operatorInvite(input: $input) { userErrors { code field message } }
  }
`);

const RoleChangeDocument = graphql(`
  mutation OperatorRoleChange($input: OperatorRoleChangeInput!) {
    operatorRoleChange(input: $input) { userErrors { code field message } }
  }
`);

const SuspendDocument = graphql(`
  mutation OperatorSuspend($input: OperatorStatusInput!) {
    operatorSuspend(input: $input) { userErrors { code field message } }
  }
`);

const ResumeDocument = graphql(`
  mutation OperatorResume($input: OperatorStatusInput!) {
    operatorResume(input: $input) { userErrors { code field message } }
  }
`);

const RemoveDocument = graphql(`
  mutation OperatorRemove($input: OperatorStatusInput!) {
    operatorRemove(input: $input) { userErrors { code field message } }
  }
`);

const ResendDocument = graphql(`
  mutation OperatorInvitationResend($input: OperatorInvitationTargetInput!) {
    operatorInvitationResend(input: $input) { userErrors { code field message } }
  }
`);

const RevokeDocument = graphql(`
  mutation OperatorInvitationRevoke($input: OperatorInvitationTargetInput!) {
    operatorInvitationRevoke(input: $input) { userErrors { code field message } }
  }
`);

export type OperatorInList = OperatorsQuery['operators'][number];
export type OpenInvitation = OperatorsQuery['operatorInvitations']['nodes'][number];

/** Everybody who runs this installation, and whose answer is awaited. */
export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: ({ signal }) => graphqlRequest(OperatorsDocument, {}, signal),
});

function useChange<Input>(change: (input: Input) => Promise<void>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => queryClient.invalidateQueries({ queryKey: operatorsQuery.queryKey }),
  });
}

/** The same as a script would ask. */
export function operatorInviteCall(input: OperatorInviteInput): MutationCall {
  return { mutation: 'operatorInvite', inputType: 'OperatorInviteInput', input, selection: '' };
}

/** Invites an operator. */
export const useOperatorInvite = () =>
  useChange(async (input: OperatorInviteInput) =>
    throwUserErrors((await graphqlRequest(InviteDocument, { input })).operatorInvite),
  );

/** Gives an operator another role, at once. */
export const useOperatorRoleChange = () =>
  useChange(async (input: OperatorRoleChangeInput) =>
    throwUserErrors((await graphqlRequest(RoleChangeDocument, { input })).operatorRoleChange),
  );

/** Ends an operator's sessions and lets them in no more. */
export const useOperatorSuspend = () =>
  useChange(async (id: string) =>
    throwUserErrors((await graphqlRequest(SuspendDocument, { input: { id } })).operatorSuspend),
  );

/** Lets a suspended operator in again. */
export const useOperatorResume = () =>
  useChange(async (id: string) =>
    throwUserErrors((await graphqlRequest(ResumeDocument, { input: { id } })).operatorResume),
  );

/** Takes an operator's role away. */
export const useOperatorRemove = () =>
  useChange(async (id: string) =>
    throwUserErrors((await graphqlRequest(RemoveDocument, { input: { id } })).operatorRemove),
  );

/** Sends an invitation again, for another week. */
export const useInvitationResend = () =>
  useChange(async (id: string) =>
    throwUserErrors((await graphqlRequest(ResendDocument, { input: { id } })).operatorInvitationResend),
  );

/** Takes an invitation back. */
export const useInvitationRevoke = () =>
  useChange(async (id: string) =>
    throwUserErrors((await graphqlRequest(RevokeDocument, { input: { id } })).operatorInvitationRevoke),
  );
