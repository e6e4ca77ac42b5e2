import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { optionalNote } from '../../../platform/changes/text.js';
import { runInScope } from '../../../platform/scope/tenant-scope.js';
import { AttemptLimiter, accountActor, KnownDevices, UsersRepository } from '../../identity/index.js';
import { type Visitor } from '../members/visitor.js';
import type { PasswordResetRequestInput } from './account.graphql.js';
import { requestPasswordReset } from './account.service.js';

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
