import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../generated/index.js';
import { fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';

export { InvitationAcceptDocument, TenantSignUpDocument } from '../../generated/graphql.js';

const InvitationDocument = graphql(`
  query Invitation($token: String!) {
    invitation(token: $token) { email to role hasAccount expiresAt }
  }
`);

const SignUpOpenDocument = graphql(`
  query SignUpOpen {
    installation { signUp }
  }
`);

/** The invitation of a token; null when it is invalid. */
export const invitationQuery = (token: string) =>
  queryOptions({
    ...fieldQuery(['invitation', token], InvitationDocument, { token }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export const signUpOpenQuery = queryOptions({
  queryKey: ['sign-up-open'],
  queryFn: async ({ signal }) => (await graphqlRequest(SignUpOpenDocument, {}, signal)).installation.signUp,
  staleTime: Number.POSITIVE_INFINITY,
});
