import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Log } from '../logging/log.js';
import { ProducerQueue } from '../queue/producer-queue.js';

export const JOBS_QUEUE = 'jobs';

/** The queue of scheduled jobs. */
@Injectable()
export class JobsQueue extends ProducerQueue {
  constructor(config: AppConfig, log: Log) {
    super(JOBS_QUEUE, config, log);
  }
}
