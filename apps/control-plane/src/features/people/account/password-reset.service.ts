import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { optionalNote } from '../../../platform/changes/text.js';
import { runInScope } from '../../../platform/scope/tenant-scope.js';
import { AttemptLimiter, accountActor, KnownDevices, UsersRepository } from '../../identity/index.js';
import type { NoticeMail, NoticeRow } from '../../notify/index.js';
import type { Visitor } from '../members/visitor.js';
import type { PasswordResetRequestInput } from './account.graphql.js';
import { requestPasswordReset } from './account.service.js';

/** The data of a notice about an account. */
interface AccountFacts {
  email: string;
  /** Of a password reset. */
  userId?: string;
  /** Set when somebody else did it. */
  by?: string;
}

const RESET_KIND = 'account.password_reset_requested';

/** Subject and first sentence for each kind. */
const TEXTS: Readonly<Record<string, readonly [subject: string, sentence: string]>> = {
  'account.password_changed': [
    'Your password was changed',
    'The password of your account was changed. All other sessions were signed out.',
  ],
  'account.password_reset': [
    'Your password was reset',
    'A new password was set for your account with a link from a mail. All sessions were signed out.',
  ],
  'account.two_factor_enabled': [
    'Two-factor authentication is on',
    'Sign-in to your account now asks for a code from your authenticator app.',
  ],
  'account.two_factor_disabled': [
    'Two-factor authentication is off',
    'Sign-in to your account no longer asks for a second factor.',
  ],
  'account.recovery_codes_regenerated': [
    'You have new recovery codes',
    'New recovery codes were created for your account. The old ones no longer work.',
  ],
  'account.recovery_code_used': [
    'A recovery code was used',
    'Somebody signed in to your account with a recovery code.',
  ],
  'account.passkey_added': ['A passkey was added', 'A passkey was added to your account.'],
  'account.passkey_removed': ['A passkey was removed', 'A passkey was removed from your account.'],
};

/** The mail to the person that a notice is about. `MailSender` appends the link of a password reset when it sends the mail. */
export function accountMailsOf({ id, kind, data }: NoticeRow, consoleUrl: string): NoticeMail[] {
  const { email, userId, by } = data as unknown as AccountFacts;
  const mail = { tenantId: null, noticeId: id, recipient: email };
  if (kind === RESET_KIND && userId !== undefined) {
    const body = [
      by === undefined
        ? 'Somebody, probably you, asked to reset the password of your account.'
        : `${by} sent you a link to reset the password of your account.`,
      '',
      'To choose a new password, open the link below. It works once, for one hour.',
      'If you did not expect this mail, ignore it: your password stays the same.',
      '',
    ];
    return [{ ...mail, resetUserId: userId, subject: 'Reset your password', body: body.join('\n') }];
  }
  const text = TEXTS[kind];
  if (text === undefined) return [];
  const [subject, sentence] = text;
  const body = [
    sentence,
    ...(by === undefined ? [] : [`Done by: ${by}`]),
    '',
    `If this was not you, reset your password now: ${consoleUrl}/forgot-password`,
    '',
  ];
  return [{ ...mail, subject, body: body.join('\n') }];
}

/** Every request takes at least this long, so that its duration does not say whether there is an account. */
const ANSWER_MS = 400;

const requestSchema = z.object({
  email: z.string().trim().max(254).toLowerCase().pipe(z.email('Enter a mail address')),
  reason: optionalNote,
});

/** Lets people who forgot their password ask for a link to their mailbox. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly users: UsersRepository,
    private readonly limiter: AttemptLimiter,
    private readonly devices: KnownDevices,
    private readonly changes: ChangeRunner,
  ) {}

  /** Same answer whether the account exists or not. Refused: INVALID for an invalid address. @throws ApiError THROTTLED */
  async request(visitor: Visitor, input: PasswordResetRequestInput): Promise<Outcome<null>> {
    const parsed = parseInput(requestSchema, input);
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
