import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Queue } from 'bullmq';
import { AppConfig } from '../../config/app-config.js';
import { Log } from '../logging/log.js';
import { POLICY_QUEUE, producerOptions } from './policy-queue.js';

const CONNECT_WAIT_MS = 2000;

/** The queue as producers see it. */
@Injectable()
export class PolicyQueue extends Queue implements OnModuleInit, OnApplicationShutdown {
  private isConnected = false;

  constructor(config: AppConfig, log: Log) {
    super(POLICY_QUEUE, producerOptions(config));
    this.on('error', (error) => log.debug({ error: String(error) }, 'The job queue cannot be reached'));
  }

  /** Waits for the connection, which refuses commands before it stands; a Redis that is away only delays the start. */
  async onModuleInit(): Promise<void> {
    const signal = AbortSignal.timeout(CONNECT_WAIT_MS);
    const late = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([
      this.waitUntilReady()
        .then(() => {
          this.isConnected = true;
        })
        .catch(() => undefined),
      late,
    ]);
  }

  /**
   * Call it before any command. Until the first connection stands, BullMQ holds commands back without end, whatever
   * their deadline is; after it they fail fast.
   * @throws Error while that first connection is still to come.
   */
  requireConnection(): void {
    if (!this.isConnected) throw new Error('Redis was not reached yet');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}
