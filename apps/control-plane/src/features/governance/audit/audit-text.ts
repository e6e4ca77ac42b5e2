import type { ChainedEntry } from '@tollgate/contracts/audit-chain';

/** Columns of an export, in order; a JSON line has the same members. */
const COLUMNS = [
  'chain',
  'sequence',
  'at',
  'actorKind',
  'actorId',
  'actor',
  'action',
  'entity',
  'entityId',
  'tenantId',
  'tenantKey',
  'before',
  'after',
  'reason',
  'requestId',
  'changeId',
  'address',
  'userAgent',
  'id',
  'version',
  'previousHash',
  'hash',
] as const satisfies (keyof ChainedEntry)[];

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** One line of CSV (RFC 4180). */
export function csvLine(entry: ChainedEntry): string {
  return `${COLUMNS.map((column) => csvCell(entry[column])).join(',')}\r\n`;
}

/** A cell that a spreadsheet shows and never runs: what could begin a formula gets an apostrophe before it. */
export function csvCell(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);
  const safe = /^[\s]*[=+\-@|%]|^[\t\r\n]/.test(text) && typeof value !== 'number' ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
