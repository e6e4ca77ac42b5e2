import { queryOptions } from '@tanstack/react-query';
import type { OperatorsQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';

export {
  OperatorInviteDocument,
  OperatorRemoveDocument,
  OperatorResumeDocument,
  OperatorRoleChangeDocument,
  OperatorSuspendDocument,
} from '../../generated/graphql.js';

const OperatorsDocument = graphql(`
  query Operators {
    operators { id email name role createdAt suspendedAt }
    operatorInvitations(first: 50) { nodes { id email operatorRole invitedBy createdAt expiresAt } }
  }
`);

export type OperatorInList = OperatorsQuery['operators'][number];
export type OpenInvitation = OperatorsQuery['operatorInvitations']['nodes'][number];

/** All operators and their pending invitations. */
export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: ({ signal }) => graphqlRequest(OperatorsDocument, {}, signal),
});

export const InvitationResendDocument = graphql(`
  mutation OperatorInvitationResend($input: OperatorInvitationTargetInput!) {
    operatorInvitationResend(input: $input) { userErrors { code field message } }
  }
`);

export const InvitationRevokeDocument = graphql(`
  mutation OperatorInvitationRevoke($input: OperatorInvitationTargetInput!) {
    operatorInvitationRevoke(input: $input) { userErrors { code field message } }
  }
`);
