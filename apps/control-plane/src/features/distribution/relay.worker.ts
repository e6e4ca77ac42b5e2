import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Worker } from 'bullmq';
import { AppConfig } from '../../config/app-config.js';
import {
  KEPT_JOBS,
  POLICY_QUEUE,
  PolicyQueue,
  PUBLISH_JOB,
  RelayTrigger,
  workerOptions,
} from '../../platform/jobs/queues.js';
import { Log } from '../../platform/log.js';
import { RedisConnections } from '../../platform/redis.js';
import { RelayService } from './relay.service.js';

const SCHEDULER = 'publish-pending';
const EVERY_MS = 1000;
const CHECK_EVERY_MS = 2000;

/**
 * Runs the relay every second, so that changes are published without their trigger and an emptied Redis is filled.
 * Restores the schedule.
 */
@Injectable()
export class RelaySchedule implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();

  constructor(
    private readonly queue: PolicyQueue,
    private readonly trigger: RelayTrigger,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const check = () => {
      this.checking = this.ensure();
    };
    check();
    void this.trigger.fire();
    this.timer = setInterval(check, CHECK_EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  private async ensure(): Promise<void> {
    try {
      this.queue.requireConnection();
      if ((await this.queue.getJobScheduler(SCHEDULER)) !== undefined) return;
      await this.queue.upsertJobScheduler(
        SCHEDULER,
        { every: EVERY_MS },
        { name: PUBLISH_JOB, opts: KEPT_JOBS },
      );
    } catch (error) {
      this.log.debug({ error: String(error) }, 'relay schedule check failed');
    }
  }
}

/** Jobs publish all pending changes, so they may be lost, repeated or merged. */
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
    this.worker.on('error', (error) => this.log.debug({ error: String(error) }, 'relay worker lost redis'));
    this.worker.on('failed', (_job, error) => this.log.warn({ err: error }, 'policy publication failed'));
  }

  /** Finishes a running publication before connections close. Without Redis, BullMQ would wait forever. */
  async onModuleDestroy(): Promise<void> {
    const isAvailable = await this.redis.ping().then(
      () => true,
      () => false,
    );
    await this.worker?.close(!isAvailable);
  }
}
