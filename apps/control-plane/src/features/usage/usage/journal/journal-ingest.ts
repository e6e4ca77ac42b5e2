import { Injectable } from '@nestjs/common';
import type { NodeJournalEntry } from '@tollgate/contracts';
import { JOURNAL_STREAM } from '@tollgate/decision-plane/internals';
import { ScheduledJob } from '../../../../platform/jobs/scheduled-job.js';
import type { Tx } from '../../../../platform/prisma/database.js';
import { StreamReader } from '../ingest/stream-reader.js';
import { TenantDirectory } from '../ingest/tenant-directory.js';
import { CheckpointsRepository } from './checkpoints.repository.js';
import { type NewSample, SamplesRepository } from './samples.repository.js';

/** Keeps what nodes have seen: sampled decisions, and how much of quotas was used. */
@Injectable()
@ScheduledJob({ name: 'journal-ingest', everyMs: 1000 })
export class JournalIngest {
  constructor(
    private readonly reader: StreamReader,
    private readonly tenants: TenantDirectory,
    private readonly samples: SamplesRepository,
    private readonly checkpoints: CheckpointsRepository,
  ) {}

  run(): Promise<number> {
    return this.reader.drain('journal', JOURNAL_STREAM, (tx, entries) => this.store(tx, entries));
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
