import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TRAFFIC_STREAM } from '@tollgate/decision-plane/operate';
import type { TrafficBlock } from '@tollgate/replay';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { StreamReader } from '../ingest/stream-reader.js';
import { SubjectHash } from '../journal/journal.repository.js';
import { TrafficBlocksRepository } from './traffic-blocks.repository.js';
import {
  acceptBlocks,
  FULL_ROWS,
  GAP_REASONS,
  type NewGap,
  recordedValue,
  remembering,
  SEALED,
  type SourcePosition,
  TrafficFold,
} from './traffic-blocks.rules.js';
import { TrafficSourcesRepository } from './traffic-sources.repository.js';

/** Blocks per transaction; each has up to 2,048 decisions. */
const BATCH = 64;

/** About 20 MB; at most twice as many are kept. */
const MAX_HASHES = 100_000;

/** Decisions in the future by more than this are discarded: they would never expire. */
const FUTURE_MS = 3_600_000;

/**
 * Stores recorded traffic exactly once: blocks, the sequence number of each source and the stream position are stored in one
 * transaction. Values of subjects become keyed hashes here, because nodes do not know the key.
 */
@Injectable()
@ScheduledJob({ name: 'traffic-ingest', everyMs: 5000 })
export class TrafficIngest {
  private readonly hash;
  private readonly stored;
  private readonly discarded;
  private readonly gaps;

  constructor(
    private readonly reader: StreamReader,
    private readonly blocks: TrafficBlocksRepository,
    private readonly sources: TrafficSourcesRepository,
    subjects: SubjectHash,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.hash = remembering((...of) => recordedValue(subjects.of(...of)), MAX_HASHES);
    this.stored = metrics.counter('tollgate_traffic_decisions_total', 'Recorded decisions that were stored');
    this.discarded = metrics.counter(
      'tollgate_traffic_decisions_discarded_total',
      'Recorded decisions of deleted tenants or with times outside of the retention',
    );
    this.gaps = metrics.counter('tollgate_traffic_gaps_total', 'Gaps in recorded traffic by reason', [
      'reason',
    ]);
    // Before the first gap, so that an alert sees the increase.
    for (const reason of GAP_REASONS) this.gaps.inc({ reason: reason.toLowerCase() }, 0);
  }

  /** Stores all available blocks. Returns the number of blocks read. */
  run(): Promise<number> {
    return this.reader.drain('traffic', TRAFFIC_STREAM, (tx, blocks) => this.store(tx, blocks), {
      ...{ batch: BATCH, keepMs: 0 },
    });
  }

  private async store(tx: Tx, blocks: readonly TrafficBlock[]): Promise<void> {
    const { keepMs } = this.config.traffic;
    if (keepMs === 0) return;
    const now = this.clock.now();
    const { fresh, positions, gaps } = await this.accept(tx, blocks);
    const keys = fresh.flatMap(({ subjects }) => subjects.map(({ tenant }) => tenant));
    const fold = new TrafficFold(
      await this.blocks.listTenants(tx, keys),
      this.hash,
      (now.getTime() - keepMs) * 1000,
      (now.getTime() + FUTURE_MS) * 1000,
    );
    let rows = 0;
    for (const block of fresh) {
      fold.add(block);
      rows += block.rows;
      // The process may also serve requests.
      await turn();
    }
    for (const packed of fold.finish(now.getTime())) {
      await this.blocks.add(tx, [{ ...packed, level: packed.rows >= FULL_ROWS ? SEALED : 0 }]);
    }
    await this.sources.put(tx, positions, now);
    await this.sources.addGaps(tx, gaps);
    this.stored.inc(rows - fold.discarded);
    this.discarded.inc(fold.discarded);
    for (const { reason } of gaps) this.gaps.inc({ reason: reason.toLowerCase() });
  }

  private async accept(
    tx: Tx,
    blocks: readonly TrafficBlock[],
  ): Promise<{ fresh: TrafficBlock[]; positions: SourcePosition[]; gaps: NewGap[] }> {
    const known = await this.sources.list(
      tx,
      blocks.map(({ node }) => node),
    );
    const accepted = { fresh: [] as TrafficBlock[], positions: [] as SourcePosition[], gaps: [] as NewGap[] };
    for (const of of Map.groupBy(blocks, ({ node, epoch }) => JSON.stringify([node, epoch])).values()) {
      const [{ node = '', epoch = '' } = {}] = of;
      const ofNode = [...accepted.positions.toReversed(), ...known].filter(({ nodeId }) => nodeId === node);
      const position = ofNode.find((one) => one.epoch === epoch);
      const result = acceptBlocks(
        of,
        position,
        ofNode.find((one) => one.epoch !== epoch),
      );
      accepted.fresh.push(...result.fresh);
      accepted.gaps.push(...result.gaps);
      if (result.position !== undefined) accepted.positions.push(result.position);
    }
    return accepted;
  }
}
