import { createHmac, randomInt } from 'node:crypto';
import { passkey } from '@better-auth/passkey';
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { symmetricDecrypt } from 'better-auth/crypto';
import { twoFactor } from 'better-auth/plugins';
import type { AppConfig } from '../../../config/app-config.js';
import type { Database } from '../../../platform/prisma/database.js';
import { findChallengedUser } from './challenged-user.js';

const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 10;

/** No characters that look alike: 49 bits in ten characters. */
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

const HASH_PREFIX = 'hmac-sha256:';

const TOTP_STEP_MS = 30_000;

/** Steps around the current one whose codes better-auth accepts. */
const TOTP_WINDOW = 1;

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

/** Accepts each code of an authenticator app once: better-auth accepts it for 90 seconds. */
export class UsedTotpSteps {
  constructor(private readonly database: Database) {}

  /** Must follow the limit on attempts, so that guesses beyond it do not use up a code. */
  readonly plugin = {
    id: 'tollgate-used-totp-steps',
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === '/two-factor/verify-totp',
          handler: createAuthMiddleware((ctx) => this.use(ctx)),
        },
      ],
    },
  } satisfies BetterAuthPlugin;

  private async use(ctx: GenericEndpointContext): Promise<void> {
    const user = await findChallengedUser(ctx);
    if (user === undefined) return;
    const { twoFactor: rows } = this.database.accounts;
    const row = await rows.findUnique({ where: { userId: user.id } });
    if (row === null) return;
    const secret = await symmetricDecrypt({ key: ctx.context.secretConfig, data: row.secret });
    const step = findTotpStep(secret, String(ctx.body?.code ?? ''), Date.now());
    if (step === undefined) return;
    const { count } = await rows.updateMany({
      where: { id: row.id, OR: [{ lastUsedStep: null }, { lastUsedStep: { lt: step } }] },
      data: { lastUsedStep: step },
    });
    if (count > 0) return;
    const message = 'This code was already used. Wait for the next code in the app.';
    throw new APIError('UNAUTHORIZED', { message, code: 'CODE_ALREADY_USED' });
  }
}

/** The step of a valid code. */
function findTotpStep(secret: string, code: string, nowMs: number): number | undefined {
  const current = Math.floor(nowMs / TOTP_STEP_MS);
  for (let step = current - TOTP_WINDOW; step <= current + TOTP_WINDOW; step++)
    if (totpOfStep(Buffer.from(secret), step) === code) return step;
  return undefined;
}

/** RFC 6238 with SHA-1 and six digits. */
export function totpOfStep(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
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
