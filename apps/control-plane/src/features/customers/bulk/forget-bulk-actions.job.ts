import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { BulkActionsRepository } from './bulk-actions.repository.js';

/** What was done stays in the audit trail; how far it had come is of no use for longer. */
const KEPT_MS = 90 * 86_400_000;

/** Removes bulk actions that ended long ago. */
@ScheduledJob({ name: 'forget-bulk-actions', everyMs: 3_600_000 })
@Injectable()
export class ForgetBulkActionsJob {
  constructor(
    private readonly actions: BulkActionsRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.actions.forget(new Date(this.clock.now().getTime() - KEPT_MS));
  }
}
