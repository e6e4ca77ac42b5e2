import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import type { AccountEvent, AccountEvents, AccountUser } from './account-events.js';
import { CLIENT_ADDRESS_HEADER } from './attempt-limits.js';
import type { KnownDevices } from './known-devices.js';

/** The event that a successful call of an endpoint is. */
const EVENTS: Readonly<Record<string, AccountEvent>> = {
  '/change-password': 'passwordChange',
  '/reset-password': 'passwordReset',
  '/two-factor/verify-totp': 'twoFactorEnable',
  '/two-factor/disable': 'twoFactorDisable',
  '/two-factor/generate-backup-codes': 'recoveryCodesRegenerate',
  '/two-factor/verify-backup-code': 'recoveryCodeUse',
  '/passkey/verify-registration': 'passkeyAdd',
  '/passkey/delete-passkey': 'passkeyRemove',
};

/** Connects better-auth's endpoints with audit trail, notices and known devices. */
export class AccountHooks {
  /** The account that a request is about, as far as it is known before its endpoint runs. */
  private readonly users = new WeakMap<Request, AccountUser & { twoFactorEnabled?: boolean | null }>();

  constructor(
    private readonly events: AccountEvents,
    private readonly devices: KnownDevices,
  ) {}

  readonly plugin = {
    id: 'tollgate-account',
    hooks: {
      before: [
        {
          matcher: ({ path }) => path !== undefined && path in EVENTS,
          handler: createAuthMiddleware((ctx) => this.prepare(ctx)),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path !== undefined && path in EVENTS,
          handler: createAuthMiddleware((ctx) => this.record(ctx)),
        },
      ],
    },
  } satisfies BetterAuthPlugin;

  /** Whose password a link has reset: only better-auth knows before the link is used up. */
  setResetUser(request: Request | undefined, user: AccountUser): void {
    if (request !== undefined) this.users.set(request, user);
  }

  private async prepare(ctx: GenericEndpointContext) {
    if (ctx.request === undefined) return;
    const session = await getSessionFromCtx(ctx);
    if (session !== null) this.users.set(ctx.request, session.user as AccountUser);
    // Anyone who knew the old password may have a session.
    if (ctx.path === '/change-password')
      return { context: { body: { ...ctx.body, revokeOtherSessions: true } } };
  }

  private async record(ctx: GenericEndpointContext): Promise<void> {
    const event = EVENTS[ctx.path];
    if (
      event === undefined ||
      ctx.request === undefined ||
      isAPIError((ctx.context as { returned?: unknown }).returned)
    )
      return;
    const user = this.users.get(ctx.request) ?? ctx.context.newSession?.user;
    if (user === undefined) return;
    // A code at sign-in, or of an app that was set up before, changes nothing.
    if (event === 'twoFactorEnable' && user.twoFactorEnabled !== false) return;
    const { headers } = ctx;
    await this.events.record(event, user, {
      address: headers?.get(CLIENT_ADDRESS_HEADER) ?? '',
      userAgent: headers?.get('user-agent') ?? undefined,
    });
    if (event === 'passwordReset') {
      // The link came to the owner's mailbox: sign-in here does not wait for an attack to end.
      const { name, value, attributes } = this.devices.cookieFor(user.email);
      ctx.setCookie(name, value, attributes);
    }
  }
}
