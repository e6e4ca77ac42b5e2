import { betterAuth } from 'better-auth';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { APIError, isAPIError } from 'better-auth/api';
import { magicLink } from 'better-auth/plugins';
import type { AppConfig } from '../../../config/app-config.js';
import { RECENT_SIGN_IN_SECONDS } from '../../../platform/access/recent-sign-in.js';
import { isUnavailable } from '../../../platform/api-error.js';
import { allowedOrigins } from '../../../platform/http/http-server.js';
import { ID_PREFIXES, type IdKind, newId } from '../../../platform/ids.js';
import type { Log } from '../../../platform/log.js';
import type { Database } from '../../../platform/prisma/database.js';
import type { AccountHooks } from './account-events.js';
import { type AttemptLimits, CLIENT_ADDRESS_HEADER } from './attempt-limits.js';
import { RecentSignIn } from './recent-sign-in.js';
import { authenticatorApp, hashedRecoveryCodes, passkeys, UsedTotpSteps } from './second-factors.js';
import { hashPassword, verifyPassword } from './users.repository.js';

export const AUTH_PATH = '/api/auth';

const SESSION_SECONDS = 12 * 3600;
const SIGN_IN_LINK_SECONDS = 12 * 3600;
const RESET_LINK_SECONDS = 3600;

/** Receive generated secrets, of which only hashes are stored. */
export interface LinkReceivers {
  signIn(url: string): void;
  passwordReset(token: string): void;
}

export interface AuthParts {
  config: AppConfig;
  database: Database;
  log: Log;
  limits: AttemptLimits;
  hooks: AccountHooks;
  links: LinkReceivers;
}

/** better-auth without sign-up, with sessions in the database. */
export function createAuth({ config, database, log, limits, hooks, links }: AuthParts) {
  const isHttps = config.publicOrigin.startsWith('https:');
  /** An unavailable database is logged without a stack: it affects every request. */
  const report = (err: unknown, facts: object) => {
    if (isUnavailable(err))
      log.warn({ ...facts, error: (err as Error).message }, 'sign-in request without the database');
    else log.error({ ...facts, err }, 'sign-in request failed');
  };
  return betterAuth({
    appName: 'Tollgate',
    baseURL: config.publicOrigin,
    basePath: AUTH_PATH,
    secret: config.sessionSecret,
    trustedOrigins: allowedOrigins(config),
    telemetry: { enabled: false },
    database: prismaAdapter(database.accounts, { provider: 'postgresql', transaction: true }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 8,
      maxPasswordLength: 128,
      password: {
        hash: (password) => hashPassword(password, config.passwordCost),
        verify: verifyPassword,
      },
      resetPasswordTokenExpiresIn: RESET_LINK_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ token }) => links.passwordReset(token),
      onPasswordReset: async ({ user }, request) => {
        // A thief of the session may have added one.
        await database.accounts.passkey.deleteMany({ where: { userId: user.id } });
        hooks.setResetUser(request, user);
      },
    },
    verification: { storeIdentifier: 'hashed' },
    user: {
      additionalFields: {
        role: { type: 'string', input: false },
        suspendedAt: { type: 'date', input: false, required: false },
      },
    },
    databaseHooks: {
      session: {
        create: {
          before: async ({ userId }) => {
            const user = await database.accounts.user.findUnique({ where: { id: userId } });
            if (user?.suspendedAt != null)
              throw new APIError('FORBIDDEN', { message: 'This account is suspended.' });
          },
        },
      },
    },
    session: { expiresIn: SESSION_SECONDS, freshAge: RECENT_SIGN_IN_SECONDS, disableSessionRefresh: true },
    // AttemptLimits replaces it: better-auth counts per process and by address only.
    rateLimit: { enabled: false },
    logger: {
      level: 'error',
      // Only error messages: other details may contain credentials.
      log: (_level, message, ...details: unknown[]) => {
        const err = details.find((one) => one instanceof Error);
        // A rejected request: its message quotes the caller, who must not cause alerts.
        if (err === undefined) log.debug({ from: 'better-auth', event: message }, 'sign-in request rejected');
        else report(err, { from: 'better-auth', event: message });
      },
    },
    onAPIError: {
      // Rejected requests are not errors; better-auth would print each to the console.
      onError: (error) => {
        if (isAPIError(error) && error.statusCode < 500) return;
        report(error, { from: 'better-auth' });
      },
    },
    advanced: {
      // Explicit, because better-auth disables both checks when it detects a test runner.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      database: { generateId: ({ model }) => newId(isIdKind(model) ? model : 'verification') },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // better-auth's prefix is __Secure-; __Host- also binds the cookie to this host.
      useSecureCookies: false,
      cookiePrefix: 'tollgate',
      cookies: { session_token: { name: sessionCookieName(config) } },
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure: isHttps, path: '/' },
    },
    plugins: [
      magicLink({
        disableSignUp: true,
        storeToken: 'hashed',
        expiresIn: SIGN_IN_LINK_SECONDS,
        sendMagicLink: async ({ url }) => links.signIn(url),
      }),
      authenticatorApp(config),
      passkeys(config),
      hashedRecoveryCodes(config),
      new RecentSignIn().plugin,
      hooks.plugin,
      limits.plugin,
      new UsedTotpSteps(database).plugin,
    ],
  });
}

export type Auth = ReturnType<typeof createAuth>;

export function sessionCookieName(config: Pick<AppConfig, 'publicOrigin'>): string {
  return config.publicOrigin.startsWith('https:') ? '__Host-tollgate.session' : 'tollgate.session';
}

function isIdKind(model: string): model is IdKind {
  return model in ID_PREFIXES;
}
