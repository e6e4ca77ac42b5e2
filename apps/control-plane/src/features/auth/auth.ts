import { betterAuth } from 'better-auth';
import { APIError } from 'better-auth/api';
import { magicLink } from 'better-auth/plugins';
import type { AppConfig } from '../../config/app-config.js';
import { allowedOrigins } from '../../platform/http/origins.js';
import { ID_PREFIXES, type IdKind, newId } from '../../platform/ids/new-id.js';
import type { Log } from '../../platform/logging/log.js';
import { authAdapter } from '../../platform/prisma/auth-adapter.js';
import type { Database } from '../../platform/prisma/database.js';
import { type AttemptLimits, CLIENT_ADDRESS_HEADER } from './attempt-limits.js';
import { hashPassword, verifyPassword } from './password.js';

export const AUTH_PATH = '/api/auth';

const SESSION_SECONDS = 12 * 3600;
const SIGN_IN_LINK_SECONDS = 12 * 3600;

/** Receives a sign-in link at the moment it is made; it is stored only as a hash. */
export type SignInLinkReceiver = (link: { email: string; url: string }) => void;

/** better-auth as we use it: password or one-time link, no sign-up, sessions in the database. */
export function createAuth(
  config: AppConfig,
  database: Database,
  log: Log,
  limits: AttemptLimits,
  onSignInLink: SignInLinkReceiver,
) {
  const isHttps = config.publicOrigin.startsWith('https:');
  return betterAuth({
    appName: 'Tollgate',
    baseURL: config.publicOrigin,
    basePath: AUTH_PATH,
    secret: config.sessionSecret,
    trustedOrigins: allowedOrigins(config),
    telemetry: { enabled: false },
    database: authAdapter(database),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 8,
      maxPasswordLength: 128,
      password: { hash: hashPassword, verify: verifyPassword },
    },
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
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    // AttemptLimits does it: better-auth counts per process, and by address only.
    rateLimit: { enabled: false },
    logger: {
      level: 'error',
      // Of what comes with a message only the fault: the rest may be anything, credentials included.
      log: (_level, message, ...details: unknown[]) =>
        log.error({ from: 'better-auth', err: details.find((one) => one instanceof Error) }, message),
    },
    advanced: {
      // Said outright: better-auth drops both checks when it believes that tests run.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      database: { generateId: ({ model }) => newId(isIdKind(model) ? model : 'verification') },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // The prefix of better-auth is __Secure-; __Host- binds the cookie to this very host as well.
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
        sendMagicLink: async ({ email, url }) => onSignInLink({ email, url }),
      }),
      limits.plugin,
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
