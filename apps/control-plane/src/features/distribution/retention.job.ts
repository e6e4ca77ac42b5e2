import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { ScheduledJob } from '../../platform/jobs/scheduled-job.js';
import { OutboxRepository } from './outbox.repository.js';
import { RevisionsRepository } from './revisions.repository.js';

const OUTBOX_MS = 7 * 86_400_000;

/** Revisions that are kept at least, and as many of those that brought a new catalogue. */
export const KEPT_REVISIONS = 1000;

/** Removes published outbox rows after a week, and revisions that are neither new nor the newest to roll back to. */
@Injectable()
@ScheduledJob({ name: 'distribution-retention', everyMs: 600_000 })
export class DistributionRetentionJob {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly revisions: RevisionsRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.outbox.forgetPublished(new Date(this.clock.now().getTime() - OUTBOX_MS));
    await this.revisions.forget(KEPT_REVISIONS);
  }
}
