import type { LimitPeak, UsageFrame, UsageRow } from '@tollgate/contracts';

/** A frame before its first attempt to be written, which gives it its number. */
export type UnsentFrame = Omit<UsageFrame, 'sequence'>;

const MINUTE_MS = 60_000;

/** Of both frames together. */
const MAX_ENTRIES = 10_000;

/** One frame with the content of two of the same minute; undefined: of different minutes, or too large. */
export function mergeFrames(a: UnsentFrame, b: UnsentFrame): UnsentFrame | undefined {
  if (minuteOf(a) !== minuteOf(b) || entriesOf(a) + entriesOf(b) > MAX_ENTRIES) return undefined;
  const crossings = joined(a.crossings, b.crossings);
  const crossingsDropped = (a.crossingsDropped ?? 0) + (b.crossingsDropped ?? 0);
  const offenders = joined(a.offenders, b.offenders);
  const peaks = mergePeaks(joined(a.peaks, b.peaks));
  const keys = joined(a.keys, b.keys);
  const durations = sums(a.durations, b.durations);
  return {
    nodeId: b.nodeId,
    epoch: b.epoch,
    atMs: b.atMs,
    rows: mergeRows([...a.rows, ...b.rows]),
    ...(crossings.length === 0 ? {} : { crossings }),
    ...(crossingsDropped === 0 ? {} : { crossingsDropped }),
    ...(offenders.length === 0 ? {} : { offenders }),
    ...(peaks.length === 0 ? {} : { peaks }),
    ...(keys.length === 0 ? {} : { keys }),
    ...(durations === undefined ? {} : { durations }),
  };
}

function minuteOf({ atMs }: UnsentFrame): number {
  return Math.floor(atMs / MINUTE_MS);
}

function entriesOf({ rows, crossings = [], offenders = [], peaks = [], keys = [] }: UnsentFrame): number {
  return rows.length + crossings.length + offenders.length + peaks.length + keys.length;
}

function joined<T>(a: readonly T[] = [], b: readonly T[] = []): T[] {
  return [...a, ...b];
}

function sums(a: readonly number[] | undefined, b: readonly number[] | undefined): number[] | undefined {
  if (a === undefined || b === undefined) return (a ?? b)?.slice();
  return a.map((requests, i) => requests + (b[i] ?? 0));
}

function mergeRows(rows: readonly UsageRow[]): UsageRow[] {
  const merged = new Map<string, UsageRow>();
  for (const row of rows) {
    const { tenant, api, operation, limit, outcome, minute } = row;
    const key = JSON.stringify([tenant, api, operation, limit, outcome, minute]);
    const known = merged.get(key);
    merged.set(key, known === undefined ? row : sumOf(known, row));
  }
  return [...merged.values()];
}

function sumOf(a: UsageRow, b: UsageRow): UsageRow {
  const sum: UsageRow = { ...a, count: a.count + b.count, units: a.units + b.units };
  for (const field of ['candidateCount', 'candidateDenied', 'candidateDeniedUnits'] as const) {
    if (a[field] !== undefined || b[field] !== undefined) sum[field] = (a[field] ?? 0) + (b[field] ?? 0);
  }
  return sum;
}

/** The highest usage of each limit; of quotas the newest, per period. */
function mergePeaks(peaks: readonly LimitPeak[]): LimitPeak[] {
  const merged = new Map<string, LimitPeak>();
  for (const peak of peaks) {
    const { tenant, api, limit, periodEndMs } = peak;
    const key = JSON.stringify([tenant, api, limit, periodEndMs]);
    const known = merged.get(key);
    if (known === undefined) {
      merged.set(key, peak);
      continue;
    }
    const replaces = periodEndMs !== undefined || peak.used * known.capacity > known.used * peak.capacity;
    merged.set(key, { ...(replaces ? peak : known), denied: known.denied + peak.denied });
  }
  return [...merged.values()];
}
