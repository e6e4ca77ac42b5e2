import { Injectable } from '@nestjs/common';
import { type Caller, isPermitted } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { countRecoveryCodes, noteAccountEvent } from '../../identity/index.js';
import { type AccountHelpInput, type AccountSecurity, accountHelpSchema } from './account.graphql.js';
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

  /** Errors: NOT_FOUND, INVALID. */
  sendPasswordReset(caller: Caller, input: AccountHelpInput): Promise<Outcome<string>> {
    return this.help(caller, input, async (change, account) => {
      await requestPasswordReset(change, account);
      return account.email;
    });
  }

  /** Errors: NOT_FOUND, INVALID. */
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
      // Otherwise support staff could weaken the accounts of owners.
      if (account.role !== null && !isPermitted(caller.actor, 'operators:write'))
        return refuse([
          invalid(['email'], 'This account belongs to an operator. Ask a person who manages operators.'),
        ]);
      if (account.suspendedAt !== null)
        return refuse([invalid(['email'], 'This account is suspended. Resume it first.')]);
      return work(change, account);
    });
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
