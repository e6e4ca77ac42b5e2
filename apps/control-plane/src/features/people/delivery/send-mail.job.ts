import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { ScheduledJob } from '../../../platform/jobs/scheduled-job.js';
import { Log } from '../../../platform/logging/log.js';
import { MailSender } from './mail-sender.js';
import { type MailRow, MailsRepository } from './mails.repository.js';

const AT_ONCE = 20;

/** A worker that dies over a mail leaves it to the next one after this. */
const CLAIM_MS = 60_000;

const MINUTE_MS = 60_000;

/** After the first, second, … failure; then it is given up. */
const DELAYS_MS = [1, 5, 30, 120, 720].map((minutes) => minutes * MINUTE_MS);

/** Sends mail that is due. */
@Injectable()
@ScheduledJob({ name: 'send-mail', everyMs: 1000 })
export class SendMailJob {
  constructor(
    private readonly mails: MailsRepository,
    private readonly sender: MailSender,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    for (;;) {
      const now = this.clock.now();
      const claimed = await this.mails.claim(now, new Date(now.getTime() + CLAIM_MS), AT_ONCE);
      await Promise.all(claimed.map((mail) => this.send(mail)));
      if (claimed.length < AT_ONCE) return;
    }
  }

  private async send(mail: MailRow): Promise<void> {
    try {
      if (await this.sender.send(mail)) await this.mails.markSent(mail.id, this.clock.now());
      else await this.mails.markFailed(mail.id, 'the link is no longer valid', null);
    } catch (error) {
      const delayMs = DELAYS_MS[mail.attempts - 1];
      const next = delayMs === undefined ? null : new Date(this.clock.now().getTime() + delayMs);
      const reason = error instanceof Error ? error.message : String(error);
      await this.mails.markFailed(mail.id, reason.slice(0, 300), next);
      this.log.warn({ mail: mail.id, attempts: mail.attempts, reason }, 'A mail could not be sent');
    }
  }
}
