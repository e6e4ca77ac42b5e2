import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { QuotaStore } from '@tollgate/decision-plane/internals';
import { Clock } from '../../../../platform/clock/clock.js';
import { ScheduledJob } from '../../../../platform/jobs/scheduled-job.js';
import { Log } from '../../../../platform/logging/log.js';
import { Database } from '../../../../platform/prisma/database.js';
import { RedisConnections } from '../../../../platform/redis/redis-connections.js';
import { TenantDirectory } from '../ingest/tenant-directory.js';
import { CheckpointsRepository } from './checkpoints.repository.js';

const PAGE = 2000;

/** Puts checkpoints of quotas back into a Redis that was emptied: nodes then raise the counters that they have lost. */
@Injectable()
@ScheduledJob({ name: 'quota-put-back', everyMs: 1000 })
export class QuotaPutBack {
  private readonly store: QuotaStore;

  constructor(
    private readonly checkpoints: CheckpointsRepository,
    private readonly clock: Clock,
    private readonly log: Log,
    redis: RedisConnections,
  ) {
    this.store = new QuotaStore(redis.config);
  }

  /** Returns how many were put back. What Redis knows already stays where it is more. */
  async run(): Promise<number> {
    if ((await this.store.readPutBack()) !== null) return 0;
    let count = 0;
    for await (const page of this.checkpoints.listOpen(this.clock.now(), PAGE)) {
      await this.store.write(page);
      count += page.length;
    }
    // Only now: a run that died on its way begins anew.
    await this.store.markPutBack(randomUUID());
    if (count > 0) this.log.info({ count }, 'quota checkpoints put back into Redis');
    return count;
  }
}

/** Takes in what the journal has no room for, or nobody has read in time: all that Redis holds. */
@Injectable()
@ScheduledJob({ name: 'quota-sweep', everyMs: 600_000 })
export class QuotaSweep {
  private readonly store: QuotaStore;

  constructor(
    private readonly checkpoints: CheckpointsRepository,
    private readonly tenants: TenantDirectory,
    private readonly database: Database,
    redis: RedisConnections,
  ) {
    this.store = new QuotaStore(redis.config);
  }

  async run(): Promise<void> {
    for await (const some of this.store.list()) {
      await this.database.transaction(async (tx) => {
        const tenants = await this.tenants.listByKey(
          tx,
          some.map(({ tenant }) => tenant),
        );
        await this.checkpoints.raise(tx, some, tenants);
      });
    }
  }
}
