import type { BetterAuthPlugin, GenericEndpointContext, Session, User } from 'better-auth';
import {
  APIError,
  createAuthEndpoint,
  createAuthMiddleware,
  getSessionFromCtx,
  sensitiveSessionMiddleware,
} from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import * as z from 'zod';
import { isRecent, NOT_RECENT, NOT_RECENT_MESSAGE } from '../../../platform/access/recent-sign-in.js';
import { hasFailed } from './account-events.js';

/** Endpoints that change how an account signs in without asking for the password. */
const CHANGING = [
  '/passkey/generate-register-options',
  '/passkey/verify-registration',
  '/passkey/delete-passkey',
];

const VERIFY_CODE = '/two-factor/verify-totp';

/** Endpoints that check a secret of the account. */
const CONFIRMING = [
  '/confirm-password',
  '/two-factor/enable',
  VERIFY_CODE,
  '/two-factor/verify-backup-code',
  '/passkey/verify-authentication',
];

interface SignedIn {
  session: Session;
  user: User & { twoFactorEnabled?: boolean | null };
}

/**
 * Requires a recent session for changes of credentials, so that a stolen cookie alone cannot add one that outlives it. A
 * confirmed secret replaces the session of the request by a new one; copies of the old cookie end.
 */
export class RecentSignIn {
  /** Sessions of running requests. */
  private readonly signedIn = new WeakMap<Request, SignedIn>();

  readonly plugin = {
    id: 'tollgate-recent-sign-in',
    endpoints: {
      confirmPassword: createAuthEndpoint(
        '/confirm-password',
        { method: 'POST', body: z.object({ password: z.string() }), use: [sensitiveSessionMiddleware] },
        async (ctx) => {
          await ctx.context.password.checkPassword(ctx.context.session.user.id, ctx);
          return ctx.json({ status: true });
        },
      ),
    },
    hooks: {
      before: [
        {
          matcher: ({ path }) => path !== undefined && [...CHANGING, ...CONFIRMING].includes(path),
          handler: createAuthMiddleware((ctx) => this.check(ctx)),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path !== undefined && CONFIRMING.includes(path),
          handler: createAuthMiddleware((ctx) => this.replaceSession(ctx)),
        },
      ],
    },
  } satisfies BetterAuthPlugin;

  private async check(ctx: GenericEndpointContext): Promise<void> {
    if (ctx.request === undefined) return;
    const found: SignedIn | null = await getSessionFromCtx(ctx);
    if (found === null) return;
    this.signedIn.set(ctx.request, found);
    const changes =
      CHANGING.includes(ctx.path) || (ctx.path === VERIFY_CODE && found.user.twoFactorEnabled !== true);
    if (changes && !isRecent(new Date(found.session.createdAt)))
      throw new APIError('FORBIDDEN', { message: NOT_RECENT_MESSAGE, code: NOT_RECENT });
  }

  private async replaceSession(ctx: GenericEndpointContext): Promise<void> {
    const before = ctx.request === undefined ? undefined : this.signedIn.get(ctx.request);
    if (before === undefined || hasFailed(ctx)) return;
    const { internalAdapter } = ctx.context;
    if (ctx.context.newSession === null) {
      const session = await internalAdapter.createSession(before.user.id);
      await setSessionCookie(ctx, { session, user: before.user });
    }
    // Not if a passkey has signed in somebody else.
    if (ctx.context.newSession?.user.id === before.user.id)
      await internalAdapter.deleteSession(before.session.token);
  }
}
