import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import { useQueryClient } from '@tanstack/react-query';
import {
  type AccountSecurityQuery,
  SessionRevokeDocument,
  SessionRevokeOthersDocument,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { AuthError, authRequest } from '../../lib/auth-request.js';
import { fieldQuery } from '../../lib/graphql-request.js';
import { useInputMutation, useSingleMutation } from '../../lib/mutation.js';

export { PasswordResetRequestDocument } from '../../generated/graphql.js';

const SecurityDocument = graphql(`
  query AccountSecurity {
    accountSecurity {
      twoFactorEnabled recoveryCodesLeft
      passkeys { id name createdAt backedUp }
      sessions { id userAgent ipAddress createdAt lastUsedAt isCurrent }
    }
  }
`);

export type Security = NonNullable<AccountSecurityQuery['accountSecurity']>;
export type Session = Security['sessions'][number];
export type Passkey = Security['passkeys'][number];

/** Sign-in methods and sessions of the viewer. */
export const securityQuery = fieldQuery(['account-security'], SecurityDocument, {});

function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: change,
    onSettled: () => queryClient.invalidateQueries({ queryKey: securityQuery.queryKey }),
  });
}

export const usePasswordChange = () =>
  useChange((input: { currentPassword: string; newPassword: string }) =>
    authRequest('/change-password', input),
  );

export interface TwoFactorSetup {
  totpURI: string;
  backupCodes: string[];
}

export const useTwoFactorEnable = () =>
  useChange((password: string) => authRequest<TwoFactorSetup>('/two-factor/enable', { password }));

export const useCodeVerify = () =>
  useChange((code: string) => authRequest('/two-factor/verify-totp', { code: code.replace(/\s/g, '') }));

export const useTwoFactorDisable = () =>
  useChange((password: string) => authRequest('/two-factor/disable', { password }));

export const useNewRecoveryCodes = () =>
  useChange((password: string) =>
    authRequest<{ backupCodes: string[] }>('/two-factor/generate-backup-codes', { password }),
  );

export const useSessionRevoke = () => useInputMutation(SessionRevokeDocument, securityQuery.queryKey);

export const useSessionRevokeOthers = () =>
  useInputMutation(SessionRevokeOthersDocument, securityQuery.queryKey);

/** WebAuthn binds passkeys to a domain name: an IP address is none. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(window.location.hostname);

type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];
type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];

export const usePasskeyAdd = () =>
  useChange(async (name: string) => {
    const optionsJSON = await authRequest<CreationOptions>('/passkey/generate-register-options');
    const response = await startRegistration({ optionsJSON }).catch(toAuthError);
    return authRequest('/passkey/verify-registration', { response, name });
  });

export const usePasskeyRemove = () =>
  useChange((id: string) => authRequest('/passkey/delete-passkey', { id }));

/** Opens a session with a passkey. @throws AuthError with a text to show */
export async function signInWithPasskey(): Promise<void> {
  const optionsJSON = await authRequest<RequestOptions>('/passkey/generate-authenticate-options');
  const verified = { ...optionsJSON, userVerification: 'required' as const };
  const response = await startAuthentication({ optionsJSON: verified }).catch(toAuthError);
  await authRequest('/passkey/verify-authentication', { response });
}

function toAuthError(error: unknown): never {
  const isCanceled =
    (error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED') ||
    (error instanceof Error && error.name === 'NotAllowedError');
  throw new AuthError(
    isCanceled
      ? 'The passkey dialog was closed. Try again.'
      : 'The passkey could not be used. Try again, or sign in with your password.',
  );
}

export const usePasswordReset = () =>
  useSingleMutation({
    mutationFn: (input: { token: string; newPassword: string }) => authRequest('/reset-password', input),
  });
