import type { UsageFrame } from '@tollgate/contracts';

/** ClickHouse's `DateTime` ends early in 2106. */
const MAX_DATE_TIME_S = Date.UTC(2105, 0) / 1000;

/** Columns of the exported table, as in docs/operate/usage-export.md. */
export interface ExportedRow {
  /** Start of the minute in Unix seconds. */
  minute: number;
  tenant: string;
  api: string;
  operation: string;
  /** Empty without a limit. */
  limit_key: string;
  outcome: string;
  count: number;
  units: number;
  candidate_count: number;
  candidate_denied: number;
  candidate_denied_units: number;
  node_id: string;
  epoch: string;
  sequence: number;
  row_number: number;
}

/**
 * One row per count of a frame. (node_id, epoch, sequence, row_number) identifies a row: a frame always has the same
 * rows, however often it is exported.
 */
export function exportedRows({ nodeId, epoch, sequence, rows }: UsageFrame): ExportedRow[] {
  return rows.map(
    ({ minute, tenant, api, operation, limit, outcome, count, units, ...candidate }, index) => ({
      minute: Math.min(minute * 60, MAX_DATE_TIME_S),
      tenant,
      api,
      operation,
      limit_key: limit ?? '',
      outcome,
      count,
      units,
      candidate_count: candidate.candidateCount ?? 0,
      candidate_denied: candidate.candidateDenied ?? 0,
      candidate_denied_units: candidate.candidateDeniedUnits ?? 0,
      node_id: nodeId,
      epoch,
      sequence,
      row_number: index,
    }),
  );
}

/** Columns that tables of earlier releases lack. */
const LATER_COLUMNS: readonly string[] = ['candidate_count', 'candidate_denied', 'candidate_denied_units'];

/** Columns to insert into a table with `existing` columns. */
export function insertedColumns(
  row: ExportedRow,
  existing: ReadonlySet<string>,
): [keyof ExportedRow, ...(keyof ExportedRow)[]] {
  const columns = Object.keys(row) as (keyof ExportedRow)[];
  return columns.filter((name) => existing.has(name) || !LATER_COLUMNS.includes(name)) as [keyof ExportedRow];
}

export function hasAllColumns(existing: ReadonlySet<string>): boolean {
  return LATER_COLUMNS.every((name) => existing.has(name));
}

/** Processes of nodes that are remembered. */
const MAX_SOURCES = 10_000;

/** Counts frames that were missing between the exported ones of each node process, since the start of this worker. */
export class FrameGaps {
  private readonly lastSequences = new Map<string, number>();

  /** Returns the number of frames between this frame and the previous one of its process; 0 for the first. */
  missingBefore({ nodeId, epoch, sequence }: UsageFrame): number {
    const source = JSON.stringify([nodeId, epoch]);
    const last = this.lastSequences.get(source);
    if (last !== undefined && sequence <= last) return 0;
    this.lastSequences.delete(source);
    this.lastSequences.set(source, sequence);
    const [oldest] = this.lastSequences.keys();
    if (this.lastSequences.size > MAX_SOURCES && oldest !== undefined) this.lastSequences.delete(oldest);
    return last === undefined ? 0 : sequence - last - 1;
  }
}
