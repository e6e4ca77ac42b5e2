import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { NoticesRepository, WebhookDeliveriesRepository } from '../../notify/index.js';
import { MailsRepository } from './mails.repository.js';

const DAY_MS = 86_400_000;

const NOTICES_MS = 90 * DAY_MS;

const DELIVERIES_MS = 30 * DAY_MS;

const CHUNK = 1000;

/** Separate from the delivery jobs because it scans all rows. */
@Injectable()
@ScheduledJob({ name: 'notice-retention', everyMs: 600_000 })
export class NoticeRetentionJob {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly mails: MailsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const noticesBefore = new Date(nowMs - NOTICES_MS);
    const ended = new Date(nowMs - DELIVERIES_MS);
    while ((await this.notices.deleteBefore(noticesBefore, CHUNK)) === CHUNK);
    while ((await this.mails.deleteBefore(noticesBefore, CHUNK)) === CHUNK);
    while ((await this.deliveries.deleteBefore(ended, CHUNK)) === CHUNK);
  }
}
