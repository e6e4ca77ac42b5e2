import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import { checkGrant, type Grant, operatorGrant } from '../../../platform/access/grants.js';
import { RequireRecentSignIn } from '../../../platform/access/recent-sign-in.js';
import {
  Anonymous,
  CurrentCaller,
  RequirePermission,
  RequireSignIn,
} from '../../../platform/access/require-permission.decorator.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import type { OperatorRole } from '../../../platform/prisma/schema.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import {
  AttemptLimiter,
  accountActor,
  countRecoveryCodes,
  KnownDevices,
  MailLimits,
  noteAccountEvent,
  UsersRepository,
} from '../../identity/index.js';
import { CurrentVisitor, type Visitor } from '../members/visitor.js';
import {
  AccountHelpInput,
  AccountHelpPayload,
  AccountSecurity,
  accountHelpSchema,
  PasswordResetRequestInput,
  PasswordResetRequestPayload,
  passwordResetSchema,
  SessionRevokeInput,
  SessionRevokeOthersInput,
  SessionRevokePayload,
} from './account.graphql.js';
import { AccountRepository } from './account.repository.js';

type Account = NonNullable<Awaited<ReturnType<AccountRepository['lockByEmail']>>>;

/** Users manage their own sign-in settings; operators help users who are locked out. */
@Injectable()
export class AccountService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly changes: ChangeRunner,
    private readonly access: AccessChanges,
    private readonly clock: Clock,
    private readonly limits: MailLimits,
  ) {}

  /** Null for a service token. */
  async findSecurity({ actor }: Caller): Promise<AccountSecurity | null> {
    if (actor.kind !== 'USER') return null;
    return runInScope('all', async () => {
      const account = await this.accounts.findWithSecurity(actor.id, this.clock.now());
      if (account === null) return null;
      const { twoFactorEnabled, twoFactors, passkeys, sessions } = account;
      const codes = twoFactors[0]?.backupCodes;
      return {
        twoFactorEnabled,
        recoveryCodesLeft: twoFactorEnabled && codes !== undefined ? countRecoveryCodes(codes) : 0,
        passkeys,
        sessions: sessions.map(({ id, userAgent, ipAddress, createdAt, updatedAt }) => ({
          id,
          userAgent,
          ipAddress,
          createdAt,
          lastUsedAt: updatedAt,
          isCurrent: id === actor.sessionId,
        })),
      };
    });
  }

  /** Also ends its streams. Returns 1. Errors: NOT_FOUND. */
  revokeSession(caller: Caller, id: string, reason: string | null): Promise<Outcome<number>> {
    return this.change(caller, reason, async (change) => {
      const { actor } = caller;
      const session = await this.accounts.findSession(change.tx, actor.id, id);
      if (session === null) return refuse([notFound(['id'], 'session with this id')]);
      await this.accounts.removeSession(change.tx, actor.id, id);
      const { ipAddress, userAgent } = session;
      const facts = { entityId: id, entityName: ipAddress ?? 'unknown address' };
      await change.audit({
        ...{ action: 'account.sessionRevoke', ...facts },
        ...{ before: { ipAddress, userAgent }, after: null },
      });
      return 1;
    });
  }

  /** Returns the number of sessions. */
  revokeOtherSessions(caller: Caller, reason: string | null): Promise<Outcome<number>> {
    return this.change(caller, reason, async (change) => {
      const { id, sessionId = '' } = caller.actor;
      const revoked = await this.accounts.removeOtherSessions(change.tx, id, sessionId);
      const facts = { entityId: id, entityName: caller.actor.label, before: null, after: { revoked } };
      if (revoked > 0) await change.audit({ action: 'account.sessionsRevoke', ...facts });
      return revoked;
    });
  }

  /** Errors: NOT_FOUND, INVALID. @throws ApiError THROTTLED */
  sendPasswordReset(caller: Caller, input: AccountHelpInput): Promise<Outcome<string>> {
    return this.help(caller, input, async (change, account) => {
      await requestPasswordReset(change, account);
      return account.email;
    });
  }

  /** Errors: NOT_FOUND, INVALID. @throws ApiError THROTTLED */
  removeTwoFactor(caller: Caller, input: AccountHelpInput): Promise<Outcome<string>> {
    return this.help(caller, input, async (change, account) => {
      if (!account.twoFactorEnabled)
        return refuse([invalid(['email'], 'This account has no two-factor authentication.')]);
      await this.accounts.removeTwoFactor(change.tx, account.id);
      await noteAccountEvent(change, 'twoFactorDisable', account);
      return account.email;
    });
  }

  private async help(
    caller: Caller,
    input: AccountHelpInput,
    work: (change: Change, account: Account) => Promise<string | Refusal<string>>,
  ): Promise<Outcome<string>> {
    const parsed = parseInput(accountHelpSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { email, reason } = parsed.data;
    return this.change(caller, reason, async (change) => {
      const account = await this.accounts.lockByEmail(change.tx, email);
      if (account === null) return refuse([notFound(['email'], 'account with this address')]);
      // Otherwise support staff and limited tokens could weaken the accounts of owners.
      const excess =
        account.role !== null && checkGrant(caller.actor, operatorHelpGrant(account.role), ['email']);
      if (excess) return refuse([excess]);
      if (account.suspendedAt !== null)
        return refuse([invalid(['email'], 'This account is suspended. Resume it first.')]);
      await this.limits.count(caller, { recipient: email, tenantId: undefined });
      const outcome = await work(change, account);
      if (typeof outcome === 'string') await this.endAccess(change, account);
      return outcome;
    });
  }

  /** A thief may be signed in, or have added a passkey. */
  private async endAccess(change: Change, { id, email }: Account): Promise<void> {
    const removed = await this.accounts.removeSessionsAndPasskeys(change.tx, id);
    const facts = { entityId: id, entityName: email, before: null, after: removed };
    await change.audit({ action: 'account.accessEnd', ...facts });
  }

  private async change<T>(
    caller: Caller,
    reason: string | null,
    work: (change: Change) => Promise<T | Refusal<T>>,
  ): Promise<Outcome<T>> {
    const outcome = await runInScope('all', () => this.changes.run<T>(caller, { reason }, work));
    if (outcome.ok && outcome.changeId !== null) await this.access.announce();
    return outcome;
  }
}

/** Who helps an operator could also have granted its role. */
function operatorHelpGrant(role: OperatorRole): Grant {
  const { rights, tenantKeys } = operatorGrant(role);
  return { rights: ['operators:write', ...rights], tenantKeys };
}

/** The link is generated when the mail is sent and never stored. */
export async function requestPasswordReset(
  change: Change,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const { actor } = change.caller;
  const facts = { entityId: id, entityName: email, before: null, after: { email } };
  await change.audit({ action: 'account.passwordResetRequest', ...facts });
  const by = actor.id === id ? {} : { by: actor.label };
  await change.notify({ kind: 'account.password_reset_requested', data: { email, userId: id, ...by } });
}

/** Minimum duration of a request, so that it does not reveal whether the account exists. */
const ANSWER_MS = 400;

@Injectable()
export class PasswordResetService {
  constructor(
    private readonly users: UsersRepository,
    private readonly limiter: AttemptLimiter,
    private readonly devices: KnownDevices,
    private readonly changes: ChangeRunner,
  ) {}

  /** The response does not reveal whether the account exists. Errors: INVALID. @throws ApiError THROTTLED */
  async request(visitor: Visitor, input: PasswordResetRequestInput): Promise<Outcome<null>> {
    const parsed = parseInput(passwordResetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { email, reason } = parsed.data;
    const { address, cookie } = visitor;
    const deviceId = this.devices.find(cookie, email);
    await this.limiter.take({ kind: 'password-reset', address, account: email, deviceId });
    await Promise.all([delay(ANSWER_MS), this.sendIfKnown(visitor, email, reason)]);
    return { ok: true, value: null, changeId: null, impact: null };
  }

  private sendIfKnown(
    { requestId, address, dryRun }: Visitor,
    email: string,
    reason: string | null,
  ): Promise<void> {
    return runInScope('all', async () => {
      const user = await this.users.findByEmail(email);
      if (user === null || user.suspendedAt !== null) return;
      const caller = { actor: accountActor(user), requestId, address, dryRun };
      await this.changes.run(caller, { reason }, async (change) => {
        await requestPasswordReset(change, user);
        return null;
      });
    });
  }
}

@Resolver(() => AccountSecurity)
export class AccountResolver {
  constructor(
    private readonly service: AccountService,
    private readonly resets: PasswordResetService,
  ) {}

  @RequireSignIn()
  @Query(() => AccountSecurity, {
    name: 'accountSecurity',
    nullable: true,
    description: 'Sessions and second factors of the viewer; null for a service token.',
  })
  security(@CurrentCaller() caller: Caller): Promise<AccountSecurity | null> {
    return this.service.findSecurity(caller);
  }

  @RequireSignIn()
  @Mutation(() => SessionRevokePayload, {
    name: 'sessionRevoke',
    description: 'Ends a session of the viewer, including its streams.',
  })
  async revoke(@Input() input: SessionRevokeInput, @CurrentCaller() caller: Caller) {
    return revokePayload(await this.service.revokeSession(caller, input.id, input.reason ?? null));
  }

  @RequireSignIn()
  @Mutation(() => SessionRevokePayload, {
    name: 'sessionRevokeOthers',
    description: 'Ends all sessions of the viewer except the current one.',
  })
  async revokeOthers(@Input() input: SessionRevokeOthersInput, @CurrentCaller() caller: Caller) {
    return revokePayload(await this.service.revokeOtherSessions(caller, input.reason ?? null));
  }

  /** Anonymous: a user who forgot the password cannot sign in. The link is sent to the account's own address. */
  @Anonymous()
  @Mutation(() => PasswordResetRequestPayload, {
    name: 'passwordResetRequest',
    description:
      'Emails a one-time link to reset the password, valid for one hour. The response does not reveal whether the account exists.',
  })
  async requestReset(@Input() input: PasswordResetRequestInput, @CurrentVisitor() visitor: Visitor) {
    const outcome = await this.resets.request(visitor, input);
    return { userErrors: outcome.ok ? [] : outcome.errors };
  }

  @RequirePermission('members:write')
  @RequireRecentSignIn()
  @Mutation(() => AccountHelpPayload, {
    name: 'accountPasswordResetSend',
    description:
      'Ends all sessions and passkeys of an account and emails a password reset link to its own address. Accounts of operators also require `operators:write` and every permission of their role. People need a session of the last ten minutes (SESSION_NOT_FRESH).',
  })
  async sendReset(@Input() input: AccountHelpInput, @CurrentCaller() caller: Caller) {
    return helpPayload(await this.service.sendPasswordReset(caller, input));
  }

  @RequirePermission('members:write')
  @RequireRecentSignIn()
  @Mutation(() => AccountHelpPayload, {
    name: 'accountTwoFactorRemove',
    description:
      'Ends all sessions and passkeys of an account, turns off its two-factor authentication and notifies the owner by email. Accounts of operators also require `operators:write` and every permission of their role. People need a session of the last ten minutes (SESSION_NOT_FRESH).',
  })
  async removeTwoFactor(@Input() input: AccountHelpInput, @CurrentCaller() caller: Caller) {
    return helpPayload(await this.service.removeTwoFactor(caller, input));
  }
}

function revokePayload(outcome: Outcome<number>) {
  return outcome.ok ? { revoked: outcome.value, userErrors: [] } : { revoked: 0, userErrors: outcome.errors };
}

function helpPayload(outcome: Outcome<string>) {
  return outcome.ok ? { email: outcome.value, userErrors: [] } : { email: null, userErrors: outcome.errors };
}
