import { Injectable } from '@nestjs/common';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { TestDeliveries } from './test-deliveries.js';

/** Renewals with test cards, and events that a crash has kept from being delivered. */
@Injectable()
@ScheduledJob({ name: 'test-provider', everyMs: 2000 })
export class TestProviderJob implements Job {
  constructor(private readonly deliveries: TestDeliveries) {}

  run(): Promise<void> {
    return this.deliveries.run();
  }
}
