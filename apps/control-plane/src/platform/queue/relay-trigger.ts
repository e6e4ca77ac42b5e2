import { Injectable } from '@nestjs/common';
import { Log } from '../logging/log.js';
import { KEPT_JOBS, PUBLISH_JOB } from './policy-queue.js';
import { PolicyQueue } from './policy-queue.provider.js';

/** Tells the relay that there is something to publish. */
@Injectable()
export class RelayTrigger {
  constructor(
    private readonly queue: PolicyQueue,
    private readonly log: Log,
  ) {}

  /**
   * Call it after commit. Any number of calls while a publication waits are one; a call while one runs causes one
   * more. Never throws: what is committed gets published by the relay's schedule all the same, a second later.
   */
  async fire(): Promise<void> {
    try {
      this.queue.requireConnection();
      await this.queue.add(
        PUBLISH_JOB,
        {},
        { ...KEPT_JOBS, deduplication: { id: PUBLISH_JOB, keepLastIfActive: true } },
      );
    } catch (error) {
      this.log.warn({ error: String(error) }, 'The relay could not be told of a change');
    }
  }
}
