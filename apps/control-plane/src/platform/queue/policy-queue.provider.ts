import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Log } from '../logging/log.js';
import { POLICY_QUEUE } from './policy-queue.js';
import { ProducerQueue } from './producer-queue.js';

/** The queue through which policy is published. */
@Injectable()
export class PolicyQueue extends ProducerQueue {
  constructor(config: AppConfig, log: Log) {
    super(POLICY_QUEUE, config, log);
  }
}
