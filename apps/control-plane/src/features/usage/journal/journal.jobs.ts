import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { NodeJournalEntry } from '@tollgate/contracts';
import { JOURNAL_STREAM, QuotaStore } from '@tollgate/decision-plane/operate';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { RedisConnections } from '../../../platform/redis.js';
import { TenantDirectory } from '../ingest/series-ids.js';
import { StreamReader } from '../ingest/stream-reader.js';
import { CheckpointsRepository, type NewSample, SamplesRepository } from './journal.repository.js';

/** Stores sampled decisions and quota checkpoints from the nodes' journal. */
@Injectable()
@ScheduledJob({ name: 'journal-ingest', everyMs: 1000 })
export class JournalIngest {
  constructor(
    private readonly reader: StreamReader,
    private readonly tenants: TenantDirectory,
    private readonly samples: SamplesRepository,
    private readonly checkpoints: CheckpointsRepository,
    private readonly database: Database,
  ) {}

  run(): Promise<number> {
    return this.reader.drain('journal', JOURNAL_STREAM, (tx, entries) => this.store(tx, entries));
  }

  /** Stores entries from another source than the stream. */
  add(entries: readonly NodeJournalEntry[]): Promise<void> {
    return this.database.transaction((tx) => this.store(tx, entries));
  }

  private async store(tx: Tx, entries: readonly NodeJournalEntry[]): Promise<void> {
    const samples = entries.flatMap(({ nodeId, samples }) =>
      samples.map((sample) => ({ ...sample, nodeId })),
    );
    const checkpoints = entries.flatMap((entry) => entry.checkpoints);
    const tenants = await this.tenants.listByKey(
      tx,
      [...samples, ...checkpoints].map(({ tenant }) => tenant),
    );
    const known = samples.flatMap((sample): NewSample[] => {
      const tenant = tenants.get(sample.tenant);
      return tenant === undefined ? [] : [{ ...sample, tenantId: tenant.id }];
    });
    await this.samples.add(tx, known);
    await this.checkpoints.raise(tx, checkpoints, tenants);
  }
}

const PAGE = 2000;

/** Restores quota checkpoints into an emptied Redis, so that nodes raise the lost counters. */
@Injectable()
@ScheduledJob({ name: 'quota-restore', everyMs: 1000 })
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

  /** Returns the number of restored checkpoints. Higher values in Redis are kept. */
  async run(): Promise<number> {
    if ((await this.store.readRestoreMark()) !== null) return 0;
    let count = 0;
    for await (const page of this.checkpoints.listOpen(this.clock.now(), PAGE)) {
      await this.store.write(page);
      count += page.length;
    }
    // Last, so that an interrupted run is repeated.
    await this.store.markRestored(randomUUID());
    if (count > 0) this.log.info({ count }, 'quota checkpoints restored into redis');
    return count;
  }
}

/** Stores all checkpoints in Redis, to cover those that the journal dropped. */
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
