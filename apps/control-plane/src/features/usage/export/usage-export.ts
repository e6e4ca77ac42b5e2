import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { UsageFrame } from '@tollgate/contracts';
import { type StreamEntry, USAGE_STREAM } from '@tollgate/decision-plane/operate';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { StreamReader } from '../ingest/stream-reader.js';
import { StreamPositionsRepository } from '../ingest/usage-counts.repository.js';
import { EXPORT_POSITION } from '../ingest/usage-ingest.js';
import {
  type ExportedRow,
  exportedRows,
  FrameGaps,
  hasAllColumns,
  insertedColumns,
} from './usage-export.rows.js';

/** Frames per read; a frame has up to 5,000 rows. */
const PAGE = 20;

/** Rows of an insert: few large inserts are cheap for ClickHouse. The last page may exceed it. */
const INSERT_ROWS = 50_000;

/** Inserts of a run, so that a long backlog does not hold the job's slot. */
const MAX_INSERTS = 100;

/** Also bounds the stop of the worker, which waits for the insert in progress. */
const REQUEST_MS = 10_000;

interface Batch {
  frames: UsageFrame[];
  rows: ExportedRow[];
  /** Undefined: nothing to export. */
  lastId: string | undefined;
}

/**
 * Exports usage frames to ClickHouse, in the order of the stream. The position follows the insert: after a crash in
 * between, the same rows are inserted again and `ReplacingMergeTree` keeps one of each. Frames wait in the stream while
 * ClickHouse is unavailable; counting does not wait for the export.
 */
@Injectable()
@ScheduledJob({ name: 'usage-export', everyMs: 5000 })
export class UsageExport implements OnApplicationShutdown {
  private readonly client: ClickHouseClient | undefined;
  private readonly gaps = new FrameGaps();
  private columns: ReadonlySet<string> = new Set();
  private readonly exportedRows;
  private readonly missingFrames;

  constructor(
    private readonly reader: StreamReader,
    private readonly positions: StreamPositionsRepository,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.exportedRows = metrics.counter(
      'tollgate_usage_exported_rows_total',
      'Rows inserted into ClickHouse',
    );
    this.missingFrames = metrics.counter(
      'tollgate_usage_export_missing_frames_total',
      'Usage frames that left the stream before their export, or that nodes lost',
    );
    if (config.usageExport === undefined) return;
    this.client = createClient({
      url: config.usageExport.url,
      application: 'tollgate',
      request_timeout: REQUEST_MS,
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  /** Exports all available frames. Returns their number; 0 without a ClickHouse. @throws Error of ClickHouse */
  async run(): Promise<number> {
    if (this.client === undefined || this.config.usageExport === undefined) return 0;
    let exported = 0;
    for (let insert = 0; insert < MAX_INSERTS; insert++) {
      const position = await this.positions.find(EXPORT_POSITION);
      const batch = await this.readBatch(position);
      if (batch.lastId === undefined) break;
      await this.insert(this.client, this.config.usageExport.table, batch.rows);
      const isMine = await this.positions.move(EXPORT_POSITION, position, batch.lastId, this.clock.now());
      if (!isMine) break; // Another worker exports the same frames.
      this.record(batch);
      exported += batch.frames.length;
      if (batch.rows.length < INSERT_ROWS) break;
    }
    return exported;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client?.close();
  }

  private async readBatch(position: string): Promise<Batch> {
    const batch: Batch = { frames: [], rows: [], lastId: undefined };
    let page: StreamEntry<UsageFrame>[];
    do {
      page = await this.reader.readAfter(USAGE_STREAM, batch.lastId ?? position, PAGE);
      for (const { id, value } of page) {
        batch.lastId = id;
        if (value === undefined) continue;
        batch.frames.push(value);
        batch.rows.push(...exportedRows(value));
      }
    } while (page.length === PAGE && batch.rows.length < INSERT_ROWS);
    return batch;
  }

  private async insert(client: ClickHouseClient, table: string, rows: ExportedRow[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const columns = insertedColumns(first, await this.readColumns(client, table));
    const values = rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
    await client.insert({ table, columns, values, format: 'JSONEachRow' });
  }

  /** Columns of the table; read again until the operator has added those of this release. */
  private async readColumns(client: ClickHouseClient, table: string): Promise<ReadonlySet<string>> {
    if (hasAllColumns(this.columns)) return this.columns;
    const result = await client.query({ query: `SELECT * FROM ${table} LIMIT 0`, format: 'JSON' });
    const { meta = [] } = await result.json();
    this.columns = new Set(meta.map(({ name }) => name));
    return this.columns;
  }

  private record({ frames, rows }: Batch): void {
    this.exportedRows.inc(rows.length);
    const missing = frames.reduce((sum, frame) => sum + this.gaps.missingBefore(frame), 0);
    if (missing === 0) return;
    this.missingFrames.inc(missing);
    this.log.warn({ missing }, 'usage frames missing in the export');
  }
}
