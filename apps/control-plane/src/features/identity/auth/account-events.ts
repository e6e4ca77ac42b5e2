import { Injectable } from '@nestjs/common';
import { abilityOf } from '../../../platform/access/ability.js';
import { AccessChanges } from '../../../platform/access/access-changes.js';
import type { Actor, Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import type { NoticeKind } from '../../../platform/changes/notice-kinds.js';
import { newId } from '../../../platform/ids/new-id.js';
import { Log } from '../../../platform/logging/log.js';
import { runInScope } from '../../../platform/scope/tenant-scope.js';

/** Changes to how a person signs in: each has an audit entry, and a mail to that person. */
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

/** After these, remembered devices and open links of the account are worth nothing. */
const FORGETTING: readonly AccountEvent[] = [
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

/** Where a request came from. */
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

  /** Does not throw: the change itself has been made. */
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

/** Writes audit entry and notice of an event within a change, and forgets trusted devices and open links where due. */
export async function noteAccountEvent(
  change: Change,
  event: AccountEvent,
  user: AccountUser,
): Promise<void> {
  const { id, email } = user;
  if (FORGETTING.includes(event)) await change.tx.verification.deleteMany({ where: { value: id } });
  await change.audit({
    action: `account.${event}`,
    entity: 'User',
    entityId: id,
    before: null,
    after: { email },
  });
  const by = change.caller.actor.id === id ? {} : { by: change.caller.actor.label };
  await change.notify({ kind: ACCOUNT_EVENTS[event], data: { email, ...by } });
}

/** A person who acts on their own account, as the audit trail names them. */
export function accountActor({ id, name, email }: AccountUser): Actor {
  const ability = abilityOf(null, []);
  return { kind: 'USER', id, name, label: email, email, role: null, memberships: [], ability };
}
