import { Injectable } from '@nestjs/common';
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import { abilityOf } from '../../../platform/access/ability.js';
import type { Actor, Caller } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import type { NoticeKind } from '../../../platform/changes/notice-kinds.js';
import { newId } from '../../../platform/ids.js';
import { Log } from '../../../platform/log.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { CLIENT_ADDRESS_HEADER, type KnownDevices } from './attempt-limits.js';

/** Each event is audited and emailed to the account's owner. */
export const ACCOUNT_EVENTS = {
  passwordChange: 'account.password_changed',
  passwordReset: 'account.password_reset',
  twoFactorEnable: 'account.two_factor_enabled',
  twoFactorDisable: 'account.two_factor_disabled',
  recoveryCodesRegenerate: 'account.recovery_codes_regenerated',
  recoveryCodeUse: 'account.recovery_code_used',
  passkeyAdd: 'account.passkey_added',
  passkeyRemove: 'account.passkey_removed',
} as const satisfies Record<string, NoticeKind>;

export type AccountEvent = keyof typeof ACCOUNT_EVENTS;

/** Events that revoke trusted devices and open links of the account. */
const INVALIDATING: readonly AccountEvent[] = [
  'passwordChange',
  'passwordReset',
  'twoFactorEnable',
  'twoFactorDisable',
];

export interface AccountUser {
  id: string;
  name: string;
  email: string;
}

export interface RequestOrigin {
  address: string;
  userAgent: string | undefined;
}

/** Records changes that users make to their own accounts through better-auth. */
@Injectable()
export class AccountEvents {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly access: AccessChanges,
    private readonly log: Log,
  ) {}

  /** Logs failures instead of throwing: the change itself is already committed. */
  async record(event: AccountEvent, user: AccountUser, origin: RequestOrigin): Promise<void> {
    const caller: Caller = { actor: accountActor(user), requestId: newId('request'), ...origin };
    try {
      await runInScope('all', () =>
        this.changes.run(caller, { reason: null }, async (change) => {
          await noteAccountEvent(change, event, user);
          return null;
        }),
      );
      await this.access.announce();
    } catch (err) {
      this.log.error({ err, event, user: user.id }, 'account event not recorded');
    }
  }
}

/** Writes the audit entry and notice; revokes trusted devices and links if required. */
export async function noteAccountEvent(
  change: Change,
  event: AccountEvent,
  user: AccountUser,
): Promise<void> {
  const { id, email } = user;
  if (INVALIDATING.includes(event)) await change.tx.verification.deleteMany({ where: { value: id } });
  await change.audit({
    action: `account.${event}`,
    entityId: id,
    entityName: email,
    before: null,
    after: { email },
  });
  const by = change.caller.actor.id === id ? {} : { by: change.caller.actor.label };
  await change.notify({ kind: ACCOUNT_EVENTS[event], data: { email, ...by } });
}

export function accountActor({ id, name, email }: AccountUser): Actor {
  const ability = abilityOf(null, []);
  return { kind: 'USER', id, name, label: email, email, role: null, memberships: [], ability };
}

/** Events by better-auth endpoint. */
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

/** Of a hook after an endpoint: whether the endpoint threw. */
export function hasFailed({ context }: GenericEndpointContext): boolean {
  return isAPIError((context as { returned?: unknown }).returned);
}

/** Records events of better-auth's endpoints. */
export class AccountHooks {
  /** Account of a request, where it is known before the endpoint runs. */
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

  /** After the reset, the token no longer identifies the user. */
  setResetUser(request: Request | undefined, user: AccountUser): void {
    if (request !== undefined) this.users.set(request, user);
  }

  private async prepare(ctx: GenericEndpointContext) {
    if (ctx.request === undefined) return;
    const session = await getSessionFromCtx(ctx);
    if (session !== null) this.users.set(ctx.request, session.user as AccountUser);
    // Sessions may belong to somebody who knew the old password.
    if (ctx.path === '/change-password')
      return { context: { body: { ...ctx.body, revokeOtherSessions: true } } };
  }

  private async record(ctx: GenericEndpointContext): Promise<void> {
    const event = EVENTS[ctx.path];
    if (event === undefined || ctx.request === undefined || hasFailed(ctx)) return;
    const user = this.users.get(ctx.request) ?? ctx.context.newSession?.user;
    if (user === undefined) return;
    // Verifying a code changes nothing if the app is already set up.
    if (event === 'twoFactorEnable' && user.twoFactorEnabled !== false) return;
    const { headers } = ctx;
    await this.events.record(event, user, {
      address: headers?.get(CLIENT_ADDRESS_HEADER) ?? '',
      userAgent: headers?.get('user-agent') ?? undefined,
    });
    if (event === 'passwordReset') {
      // The link was opened from the owner's mailbox, so this browser becomes a known device.
      const { name, value, attributes } = this.devices.cookieFor(user.email);
      ctx.setCookie(name, value, attributes);
    }
  }
}
