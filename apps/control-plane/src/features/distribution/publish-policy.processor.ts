import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Worker } from 'bullmq';
import { AppConfig } from '../../config/app-config.js';
import { Log } from '../../platform/logging/log.js';
import { POLICY_QUEUE, workerOptions } from '../../platform/queue/policy-queue.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { RelayService } from './relay.service.js';

/** Runs the relay. Every job asks the same: publish whatever is pending; so jobs may be lost, repeated or merged. */
@Injectable()
export class PublishPolicyProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private worker: Worker | undefined;

  constructor(
    private readonly relay: RelayService,
    private readonly redis: RedisConnections,
    private readonly config: AppConfig,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.worker = new Worker(POLICY_QUEUE, () => this.relay.run(), workerOptions(this.config));
    this.worker.on('error', (error) => this.log.debug({ error: String(error) }, 'The worker lost Redis'));
    this.worker.on('failed', (_job, error) => this.log.warn({ err: error }, 'Policy could not be published'));
  }

  /**
   * Before connections are closed: a publication that has begun is finished. Without Redis none can be, and BullMQ would
   * wait for it without end.
   */
  async onModuleDestroy(): Promise<void> {
    const answers = await this.redis.ping().then(
      () => true,
      () => false,
    );
    await this.worker?.close(!answers);
  }
}
