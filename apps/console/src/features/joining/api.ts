import { queryOptions, useMutation } from '@tanstack/react-query';
import type { InvitationAcceptInput, TenantSignUpInput } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';

const InvitationDocument = graphql(`
  query Invitation($token: String!) {
    invitation(token: $token) { email to role hasAccount expiresAt }
  }
`);

const InvitationAcceptDocument = graphql(`
  mutation InvitationAccept($input: InvitationAcceptInput!) {
    invitationAccept(input: $input) { email tenantKey userErrors { code field message } }
  }
`);

const TenantSignUpDocument = graphql(`
  mutation TenantSignUp($input: TenantSignUpInput!) {
    tenantSignUp(input: $input) { userErrors { code field message } }
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
    queryKey: ['invitation', token],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(InvitationDocument, { token }, signal)).invitation ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Whether sign-up is open. */
export const signUpOpenQuery = queryOptions({
  queryKey: ['sign-up-open'],
  queryFn: async ({ signal }) => (await graphqlRequest(SignUpOpenDocument, {}, signal)).installation.signUp,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Accepts an invitation; resolves with the address to sign in under, and the tenant, null for an operator. */
export function useInvitationAccept() {
  return useMutation({
    mutationFn: async (input: InvitationAcceptInput) => {
      const { invitationAccept } = await graphqlRequest(InvitationAcceptDocument, { input });
      throwUserErrors(invitationAccept);
      const { email, tenantKey } = invitationAccept;
      return { email: email ?? '', tenantKey: tenantKey ?? null };
    },
    gcTime: 0,
  });
}

/** Sends a link by which a new tenant is made. Fails with UserErrorsError. */
export function useTenantSignUp() {
  return useMutation({
    mutationFn: async (input: TenantSignUpInput) => {
      throwUserErrors((await graphqlRequest(TenantSignUpDocument, { input })).tenantSignUp);
    },
  });
}
