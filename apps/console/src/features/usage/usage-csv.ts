import type { Usage } from './api.js';
import { formatAt } from './usage-lines.js';

/** Usage as CSV: a line for each point with decisions, in order of time, with UTC and the tenant's local time. */
export function usageCsv(usage: Usage): string {
  const header = [
    'from_utc',
    `from_local (${usage.timeZone})`,
    ...['api', 'operation', 'limit', 'outcome', 'decisions', 'denied', 'units', 'candidate_denied'],
  ];
  const rows = usage.series.flatMap(({ apiKey, operation, limitName, outcome, points }) =>
    points.map(({ at, count, denied, units, candidateDenied }) => ({
      at,
      cells: [
        at,
        formatAt(Date.parse(at), usage.timeZone, 'exact'),
        ...[apiKey, operation, limitName, outcome],
        ...[count, denied, units, candidateDenied],
      ],
    })),
  );
  rows.sort((a, b) => a.at.localeCompare(b.at));
  return [header, ...rows.map(({ cells }) => cells)]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('');
}

/** Quotes where needed; prefixes spreadsheet formulas with an apostrophe. */
function cellOf(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `acme-usage-hour-2026-11-15-2026-11-22.csv`. */
export function csvName({ tenantKey, interval, from, to }: Usage): string {
  return `${tenantKey}-usage-${interval.toLowerCase()}-${from.slice(0, 10)}-${to.slice(0, 10)}.csv`;
}
