import { Injectable } from '@nestjs/common';
import type { UsageFrame, UsageRow } from '@tollgate/contracts';
import { USAGE_STREAM } from '@tollgate/decision-plane/operate';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { ApiKeysRepository } from '../../identity/index.js';
import { UsageInterval } from '../query/usage.graphql.js';
import { keptSince } from '../retention/retention.job.js';
import { LimitEventsRepository, LimitPeaksRepository, noticeOf } from './limit-events.repository.js';
import {
  type KnownTenant,
  NO_TENANT,
  outcomeOf,
  SeriesIds,
  type SeriesName,
  TenantDirectory,
} from './series-ids.js';
import { StreamReader } from './stream-reader.js';
import {
  type SourceRow,
  StreamPositionsRepository,
  UsageCountsRepository,
} from './usage-counts.repository.js';
import { type FoldInput, fold, foldTraffic, minuteOf, newFrames } from './usage-fold.rules.js';

const HOUR_MS = 3_600_000;

/** Position of the export in the usage stream. */
export const EXPORT_POSITION = 'usage-export';

/** Crossings stored per batch. */
const MAX_CROSSINGS = 5000;

/** Older crossings are stored without a notice: nobody can act on them. */
const NOTICED_MS = 24 * HOUR_MS;

/** Stores usage frames. A frame's sequence number is stored in the transaction that adds its counts. */
@Injectable()
export class UsageFrameWriter {
  constructor(
    private readonly tenants: TenantDirectory,
    private readonly series: SeriesIds,
    private readonly counts: UsageCountsRepository,
    private readonly events: LimitEventsRepository,
    private readonly peaks: LimitPeaksRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  /** Counts frames that are not counted yet, in order; by minute only from `minutesFromMs` on. */
  async store(tx: Tx, frames: readonly UsageFrame[], minutesFromMs = 0): Promise<void> {
    const fresh = await this.acceptNewFrames(tx, frames);
    if (fresh.length === 0) return;
    const tenants = await this.tenants.listByKey(tx, tenantsOf(fresh));
    await this.addCounts(tx, fresh, tenants, minutesFromMs);
    await this.addCrossings(tx, fresh, tenants);
    await this.addOffenders(tx, fresh, tenants);
    const peaks = fresh.flatMap((frame) => withTenant(frame.peaks ?? [], tenants));
    await this.peaks.add(tx, peaks);
    await this.peaks.markLowQuotas(tx, peaks, this.clock.now());
    await this.apiKeys.recordUses(
      tx,
      fresh.flatMap(({ keys = [] }) => keys),
    );
    await this.peaks.markStale(
      tx,
      [...tenants.values()].map(({ id }) => id),
      this.clock.now(),
    );
  }

  /** Frames that are not counted yet; stores the new position of each source. */
  private async acceptNewFrames(tx: Tx, frames: readonly UsageFrame[]): Promise<UsageFrame[]> {
    const bySource = Map.groupBy(frames, ({ nodeId, epoch }) => JSON.stringify([nodeId, epoch]));
    const names = [...bySource.values()].flatMap(([first]) => first ?? []);
    const known = new Map(
      (await this.counts.listSources(tx, names)).map((row) => [JSON.stringify([row.nodeId, row.epoch]), row]),
    );
    const sources: SourceRow[] = [];
    const fresh: UsageFrame[] = [];
    for (const [name, framesOfSource] of bySource) {
      const row = known.get(name) ?? newSource(framesOfSource[0] as UsageFrame);
      const result = newFrames(framesOfSource, Number(row.sequence));
      fresh.push(...result.fresh);
      sources.push(sourceAfter(row, result));
    }
    await this.counts.putSources(tx, sources);
    return fresh;
  }

  private async addCounts(
    tx: Tx,
    frames: readonly UsageFrame[],
    tenants: ReadonlyMap<string, KnownTenant>,
    minutesFromMs: number,
  ): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const rows = frames.flatMap((frame) => frame.rows);
    const seriesIds = await this.series.resolve(rows.map(seriesOf));
    const resolved = rows.map((row, i): FoldInput => {
      const tenant = tenants.get(row.tenant);
      return {
        tenantId: tenant?.id ?? NO_TENANT,
        timeZone: tenant?.timeZone ?? 'UTC',
        seriesId: seriesIds[i] as number,
        atMs: minuteOf(row.minute, nowMs),
        count: row.count,
        units: row.units,
        candidateCount: row.candidateCount ?? 0,
        candidateDenied: row.candidateDenied ?? 0,
        candidateDeniedUnits: row.candidateDeniedUnits ?? 0,
      };
    });
    const { minutes, hours, days } = fold(resolved);
    await this.counts.add(
      tx,
      'minute',
      minutes.filter(({ atMs }) => atMs >= minutesFromMs),
    );
    await this.counts.add(tx, 'hour', hours);
    await this.counts.add(tx, 'day', days);
    await this.counts.addTraffic(tx, foldTraffic(frames, nowMs));
    await this.counts.addPeaks(
      tx,
      minutes.filter(({ tenantId }) => tenantId !== NO_TENANT),
    );
  }

  private async addCrossings(
    tx: Tx,
    frames: readonly UsageFrame[],
    tenants: ReadonlyMap<string, KnownTenant>,
  ): Promise<void> {
    const crossings = frames
      .flatMap(({ crossings = [] }) => withTenant(crossings, tenants))
      .slice(0, MAX_CROSSINGS);
    const added = await this.events.addCrossings(tx, crossings);
    const sinceMs = this.clock.now().getTime() - NOTICED_MS;
    const notices = added.flatMap((crossing) => {
      if (crossing.atMs < sinceMs) return [];
      const tenant = tenants.get(crossing.tenant);
      return (tenant && noticeOf(crossing, tenant)) ?? [];
    });
    await this.events.addNotices(tx, notices);
  }

  private async addOffenders(
    tx: Tx,
    frames: readonly UsageFrame[],
    tenants: ReadonlyMap<string, KnownTenant>,
  ): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const byHour = Map.groupBy(frames, ({ atMs }) => hourOf(Math.min(atMs, nowMs)));
    for (const [hourMs, some] of byHour) {
      const offenders = some.flatMap(({ offenders = [] }) => withTenant(offenders, tenants));
      await this.events.addOffenders(tx, offenders, new Date(hourMs));
    }
  }
}

function tenantsOf(frames: readonly UsageFrame[]): Set<string> {
  const keys = new Set<string>();
  for (const { rows, crossings = [], offenders = [], peaks = [] } of frames) {
    for (const { tenant } of rows) keys.add(tenant);
    for (const { tenant } of crossings) keys.add(tenant);
    for (const { tenant } of offenders) keys.add(tenant);
    for (const { tenant } of peaks) keys.add(tenant);
  }
  return keys;
}

/** Events of existing tenants. */
function withTenant<T extends { tenant: string }>(
  things: readonly T[],
  tenants: ReadonlyMap<string, KnownTenant>,
): (T & { tenantId: string })[] {
  return things.flatMap((thing) => {
    const tenant = tenants.get(thing.tenant);
    return tenant === undefined ? [] : [{ ...thing, tenantId: tenant.id }];
  });
}

function hourOf(atMs: number): number {
  return atMs - (atMs % HOUR_MS);
}

function seriesOf({ api, operation, limit, outcome }: UsageRow): SeriesName {
  return { api, operation, limit: limit ?? '', outcome: outcomeOf(outcome) };
}

function newSource({ nodeId, epoch, atMs }: UsageFrame): SourceRow {
  const none = { sequence: 0n, frames: 0n, missed: 0n, repeated: 0n, crossingsDropped: 0n };
  return { nodeId, epoch, ...none, lastAt: new Date(atMs) };
}

function sourceAfter(row: SourceRow, result: ReturnType<typeof newFrames>): SourceRow {
  const dropped = result.fresh.reduce((sum, frame) => sum + (frame.crossingsDropped ?? 0), 0);
  return {
    ...row,
    sequence: BigInt(result.last),
    frames: row.frames + BigInt(result.fresh.length),
    missed: row.missed + BigInt(result.missed),
    repeated: row.repeated + BigInt(result.repeated),
    crossingsDropped: row.crossingsDropped + BigInt(dropped),
    lastAt: new Date(result.fresh.at(-1)?.atMs ?? row.lastAt),
  };
}

const ADD_MS = 30_000;

/**
 * Counts decisions exactly once, even if nodes or workers crash: the frame's number, its counts by minute, hour and
 * day, and the stream position are stored in one transaction.
 */
@Injectable()
@ScheduledJob({ name: 'usage-ingest', everyMs: 1000 })
export class UsageIngest {
  constructor(
    private readonly reader: StreamReader,
    private readonly frames: UsageFrameWriter,
    private readonly counts: UsageCountsRepository,
    private readonly positions: StreamPositionsRepository,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** Counts all available frames. Returns the number of frames read. */
  run(): Promise<number> {
    const secondReader = this.config.usageExport === undefined ? undefined : EXPORT_POSITION;
    return this.reader.drain('usage', USAGE_STREAM, (tx, frames) => this.frames.store(tx, frames), {
      secondReader,
    });
  }

  /** When the newest counted frame was written; null before the first. */
  findNewest(): Promise<Date | null> {
    return this.counts.findNewest();
  }

  /** When the oldest frame that is not counted was written to the stream; null: all are counted. */
  async findUnreadSince(): Promise<Date | null> {
    const position = await this.positions.find('usage');
    const [first] = await this.reader.readAfter(USAGE_STREAM, position, 1);
    return first === undefined ? null : new Date(Number(first.id.split('-')[0]));
  }

  /** Counts frames from another source than the stream. Expired minutes are left out. */
  add(frames: readonly UsageFrame[]): Promise<void> {
    const since = keptSince(this.config.retention, UsageInterval.MINUTE, this.clock.now()).getTime();
    return this.database.exclusive((tx) => this.frames.store(tx, frames, since), { timeout: ADD_MS });
  }
}
