import { createHmac, randomInt } from 'node:crypto';
import { passkey } from '@better-auth/passkey';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins';
import type { AppConfig } from '../../../config/app-config.js';

const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 10;

/** No characters that look alike: 49 bits in ten characters. */
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

const HASH_PREFIX = 'hmac-sha256:';

export function authenticatorApp(config: AppConfig) {
  return twoFactor({
    issuer: `Tollgate ${new URL(config.publicOrigin).host}`,
    // AttemptLimiter limits guesses; better-auth would lock the account.
    accountLockout: { enabled: false },
    backupCodeOptions: {
      customBackupCodesGenerate: () => Array.from({ length: RECOVERY_CODES }, newRecoveryCode),
      storeBackupCodes: {
        encrypt: async (json) => {
          const codes: string[] = JSON.parse(json);
          return JSON.stringify(codes.map((code) => hashOnce(code, config.sessionSecret)));
        },
        decrypt: async (json) => json,
      },
    },
  });
}

/** better-auth compares recovery codes with their stored form. */
export function hashedRecoveryCodes(config: AppConfig) {
  return {
    id: 'tollgate-recovery-codes',
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === '/two-factor/verify-backup-code',
          handler: createAuthMiddleware(async ({ body }) => {
            const code = hashRecoveryCode(String(body?.code ?? ''), config.sessionSecret);
            return { context: { body: { ...body, code } } };
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin;
}

export function countRecoveryCodes(stored: string): number {
  return (JSON.parse(stored) as unknown[]).length;
}

/** Passkeys with user verification count as two factors. Browsers support them on domain names and localhost only. */
export function passkeys(config: AppConfig) {
  const { hostname } = new URL(config.publicOrigin);
  return passkey({
    rpID: hostname,
    rpName: 'Tollgate',
    origin: config.publicOrigin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) => requireVerifiedUser(verification.registrationInfo),
    },
    authentication: {
      afterVerification: async ({ verification }) => requireVerifiedUser(verification.authenticationInfo),
    },
  });
}

function requireVerifiedUser(info: { userVerified: boolean } | undefined): void {
  if (info?.userVerified === true) return;
  const message =
    'This passkey did not verify you. Unlock it with a PIN, fingerprint or face, then try again.';
  throw new APIError('UNAUTHORIZED', { message, code: 'USER_NOT_VERIFIED' });
}

function newRecoveryCode(): string {
  const letter = () => RECOVERY_ALPHABET.charAt(randomInt(RECOVERY_ALPHABET.length));
  const code = Array.from({ length: RECOVERY_CODE_LENGTH }, letter).join('');
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

/** better-auth stores the remaining codes again after each use. */
function hashOnce(code: string, secret: string): string {
  return code.startsWith(HASH_PREFIX) ? code : hashRecoveryCode(code, secret);
}

/** Ignores spaces, hyphens and case. */
function hashRecoveryCode(code: string, secret: string): string {
  const letters = code.toLowerCase().replace(/[\s-]/g, '');
  return `${HASH_PREFIX}${createHmac('sha256', secret).update(`recovery code ${letters}`).digest('base64url')}`;
}
