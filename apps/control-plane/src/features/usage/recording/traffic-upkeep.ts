import { Injectable } from '@nestjs/common';
import { unpackBlock } from '@tollgate/replay';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { type MergeGroup, TrafficBlocksRepository } from './traffic-blocks.repository.js';
import { FULL_ROWS, mergeBlocks, runsOf, SEALED } from './traffic-blocks.rules.js';

/** Blocks of nodes arrive within this time after their hour. */
const LATE_MS = 300_000;

/** Groups per query, and queries per run: a run must not take much longer than its interval. */
const GROUPS = 500;
const QUERIES = 20;

/** Merges blocks of few seconds into larger ones, which compress better and are fewer. */
@Injectable()
@ScheduledJob({ name: 'traffic-merge', everyMs: 60_000 })
export class TrafficMerge {
  constructor(
    private readonly blocks: TrafficBlocksRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const completeBefore = new Date(this.clock.now().getTime() - LATE_MS);
    for (let query = 0; query < QUERIES; query++) {
      const groups = await this.blocks.listMergeable(completeBefore, GROUPS);
      for (const group of groups) await this.merge(group);
      if (groups.length < GROUPS) return;
    }
  }

  private async merge({ ids, isComplete, level }: MergeGroup): Promise<void> {
    for (const run of runsOf(await this.blocks.load(ids))) {
      const [first] = run;
      const rows = run.reduce((sum, block) => sum + block.rows, 0);
      const next = isComplete || rows >= FULL_ROWS ? SEALED : level + 1;
      if (first === undefined) continue;
      if (run.length === 1) {
        if (next === SEALED) await this.blocks.setLevel(first.id, SEALED);
        continue;
      }
      const merged = mergeBlocks(run.map(({ packed }) => unpackBlock(packed)));
      const block = { ...merged, tenantId: first.tenantId, level: next };
      await this.blocks.replace(
        run.map(({ id }) => id),
        block,
        this.clock.now(),
      );
    }
  }
}

/** Time for which replaced blocks remain for readers that began before. */
const REPLACED_KEEP_MS = 3_600_000;

/** Deletes recorded traffic that has expired, of archived tenants, and the oldest beyond its maximum size. */
@Injectable()
@ScheduledJob({ name: 'traffic-retention', everyMs: 300_000 })
export class TrafficRetention {
  private readonly bytes;

  constructor(
    private readonly blocks: TrafficBlocksRepository,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.bytes = metrics.gauge('tollgate_traffic_bytes', 'Size of the stored traffic');
  }

  async run(): Promise<void> {
    const { traffic } = this.config;
    const nowMs = this.clock.now().getTime();
    await this.blocks.removeExpired(new Date(nowMs - traffic.keepMs), new Date(nowMs - REPLACED_KEEP_MS));
    this.bytes.set(await this.blocks.removeBeyond(traffic));
  }
}
