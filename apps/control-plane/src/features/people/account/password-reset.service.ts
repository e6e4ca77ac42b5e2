import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { AttemptLimiter, accountActor, KnownDevices, UsersRepository } from '../../identity/index.js';
import type { NoticeMail, NoticeRow } from '../../notify/index.js';
import type { Visitor } from '../members/visitor.js';
import { type PasswordResetRequestInput, passwordResetSchema } from './account.graphql.js';
import { requestPasswordReset } from './account.service.js';

interface AccountFacts {
  email: string;
  /** Set for a password reset. */
  userId?: string;
  /** The operator who made the change, if not the account's owner. */
  by?: string;
}

const RESET_KIND = 'account.password_reset_requested';

/** Subject and first sentence by notice kind. */
const TEXTS: Readonly<Record<string, readonly [subject: string, sentence: string]>> = {
  'account.password_changed': [
    'Your password was changed',
    'The password of your account was changed. All other sessions were signed out.',
  ],
  'account.password_reset': [
    'Your password was reset',
    'The password of your account was reset with a link from an email. All sessions were signed out.',
  ],
  'account.two_factor_enabled': [
    'Two-factor authentication turned on',
    'Signing in to your account now requires a code from your authenticator app.',
  ],
  'account.two_factor_disabled': [
    'Two-factor authentication turned off',
    'Signing in to your account no longer requires a second factor.',
  ],
  'account.recovery_codes_regenerated': [
    'Your recovery codes were replaced',
    'New recovery codes were generated for your account. The previous codes no longer work.',
  ],
  'account.recovery_code_used': [
    'A recovery code was used',
    'A recovery code was used to sign in to your account.',
  ],
  'account.passkey_added': ['A passkey was added', 'A passkey was added to your account.'],
  'account.passkey_removed': ['A passkey was removed', 'A passkey was removed from your account.'],
};

/** `MailSender` appends the link of a password reset. */
export function accountMailsOf({ id, kind, data }: NoticeRow, consoleUrl: string): NoticeMail[] {
  const { email, userId, by } = data as unknown as AccountFacts;
  const mail = { tenantId: null, noticeId: id, recipient: email };
  if (kind === RESET_KIND && userId !== undefined) {
    const body = [
      by === undefined
        ? 'We received a request to reset the password of your account.'
        : `${by} sent you a link to reset the password of your account.`,
      '',
      'To choose a new password, open the link below. It expires in one hour and can be used once.',
      'If you did not request this, you can ignore this email. Your password will not change.',
      '',
    ];
    return [{ ...mail, resetUserId: userId, subject: 'Reset your password', body: body.join('\n') }];
  }
  const text = TEXTS[kind];
  if (text === undefined) return [];
  const [subject, sentence] = text;
  const body = [
    sentence,
    ...(by === undefined ? [] : [`Changed by: ${by}`]),
    '',
    `If you did not do this, reset your password now: ${consoleUrl}/forgot-password`,
    '',
  ];
  return [{ ...mail, subject, body: body.join('\n') }];
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
