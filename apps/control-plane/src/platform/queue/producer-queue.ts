import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Queue } from 'bullmq';
import type { AppConfig } from '../../config/app-config.js';
import type { Log } from '../logging/log.js';
import { producerOptions } from './policy-queue.js';

const CONNECT_WAIT_MS = 2000;

/** A queue as producers see it. */
export abstract class ProducerQueue extends Queue implements OnModuleInit, OnApplicationShutdown {
  private isConnected = false;

  constructor(name: string, config: AppConfig, log: Log) {
    super(name, producerOptions(config));
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
    // By force: to say goodbye to a Redis that is gone fails, and leaves a client that tries to get it back without end.
    await this.backend.close(true);
    await this.close();
  }
}
