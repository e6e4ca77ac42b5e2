import { Injectable } from '@nestjs/common';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { PurchaseDueService } from './purchase-due.service.js';

/** Advances purchases by real time, and what a crash has left undone of those on test clocks. */
@Injectable()
@ScheduledJob({ name: 'purchases', everyMs: 2000 })
export class PurchasesJob implements Job {
  constructor(private readonly due: PurchaseDueService) {}

  run(): Promise<number> {
    return this.due.run();
  }
}
