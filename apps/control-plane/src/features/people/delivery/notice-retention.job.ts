import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { ScheduledJob } from '../../../platform/jobs/scheduled-job.js';
import { NoticesRepository, WebhookDeliveriesRepository } from '../../notify/index.js';
import { MailsRepository } from './mails.repository.js';

const DAY_MS = 86_400_000;

/** Notices, and the mails made of them. */
const TOLD_MS = 90 * DAY_MS;

/** Deliveries, after they ended. */
const DELIVERIES_MS = 30 * DAY_MS;

/** Rows that one statement removes. */
const CHUNK = 1000;

/** Removes what people were told long ago. Apart from the jobs that tell: looking for old rows reads all of them. */
@Injectable()
@ScheduledJob({ name: 'forget-told', everyMs: 600_000 })
export class ForgetToldJob {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly mails: MailsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const told = new Date(nowMs - TOLD_MS);
    const ended = new Date(nowMs - DELIVERIES_MS);
    while ((await this.notices.forget(told, CHUNK)) === CHUNK);
    while ((await this.mails.forget(told, CHUNK)) === CHUNK);
    while ((await this.deliveries.forget(ended, CHUNK)) === CHUNK);
  }
}
