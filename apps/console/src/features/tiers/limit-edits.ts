import { limitPolicySchema } from '@tollgate/contracts';
import type { LimitSpec } from '../../lib/limit-spec.js';
import type { UserErrorInfo } from '../../lib/user-errors.js';
import { identityOf } from './limit-diff.js';

/** A limit being edited. `rowId` stays the same while name and API change. */
export interface LimitRow extends LimitSpec {
  rowId: number;
  /** The server's sentence; undefined as soon as the row is edited. */
  summary: string | undefined;
}

export interface LimitEdits {
  rows: readonly LimitRow[];
  nextRowId: number;
}

export type LimitEditAction =
  | { type: 'load'; limits: readonly StoredLimit[] }
  | { type: 'change'; rowId: number; change: Partial<LimitSpec> }
  | { type: 'add'; limit: LimitSpec }
  | { type: 'remove'; rowId: number };

/** A limit as the server tells it; without its sentence when it is not stored as it stands. */
export type StoredLimit = LimitSpec & { summary: string | undefined };

export const NO_EDITS: LimitEdits = { rows: [], nextRowId: 1 };

/** The working copy of a tier's limits after one step of editing. */
export function reduceLimitEdits(edits: LimitEdits, action: LimitEditAction): LimitEdits {
  switch (action.type) {
    case 'load':
      return {
        rows: action.limits.map((limit, i) => ({ ...toSpec(limit), rowId: i + 1, summary: limit.summary })),
        nextRowId: action.limits.length + 1,
      };
    case 'change':
      return {
        ...edits,
        rows: edits.rows.map((row) =>
          row.rowId === action.rowId
            ? { ...row, ...withAlgorithmFields(row, action.change), summary: undefined }
            : row,
        ),
      };
    case 'add':
      return {
        rows: [...edits.rows, { ...action.limit, rowId: edits.nextRowId, summary: undefined }],
        nextRowId: edits.nextRowId + 1,
      };
    case 'remove':
      return { ...edits, rows: edits.rows.filter((row) => row.rowId !== action.rowId) };
  }
}

/** The configured part of a limit, without what the server adds to it. */
export function toSpec(limit: LimitSpec): LimitSpec {
  const { name, apiKey, operations, per, algorithm, windowMs, burst, alignment, onUnavailable } = limit;
  return {
    name,
    apiKey,
    operations,
    per,
    algorithm,
    limit: limit.limit,
    windowMs,
    burst,
    alignment,
    onUnavailable,
  };
}

/** Field names of a limit row that can carry a message; `row` is for what belongs to none of them. */
export type RowErrors = Partial<Record<keyof LimitSpec | 'row', string>>;

/** What is wrong with each row, by its `rowId`, found without asking the server. Rows in order have no entry. */
export function checkRows(rows: readonly LimitRow[]): Map<number, RowErrors> {
  const errors = new Map<number, RowErrors>();
  const seen = new Set<string>();
  for (const row of rows) {
    const found = checkRow(row);
    if (seen.has(identityOf(row))) found.name ??= `${row.apiKey} has another limit named ${row.name}`;
    seen.add(identityOf(row));
    if (Object.keys(found).length > 0) errors.set(row.rowId, found);
  }
  return errors;
}

/**
 * Puts the server's messages beside the fields that they are about. Paths look like `limits.2.windowMs`; what names
 * no row comes back as `form`.
 */
export function placeUserErrors(
  rows: readonly LimitRow[],
  userErrors: readonly UserErrorInfo[],
): { byRow: Map<number, RowErrors>; form: string[] } {
  const byRow = new Map<number, RowErrors>();
  const form: string[] = [];
  for (const { field, message } of userErrors) {
    const at = field?.indexOf('limits') ?? -1;
    const row = at >= 0 ? rows[Number(field?.[at + 1])] : undefined;
    if (!row) {
      form.push(message);
      continue;
    }
    const name = field?.[at + 2];
    const place = name && isRowField(name) ? name : 'row';
    byRow.set(row.rowId, { ...byRow.get(row.rowId), [place]: message });
  }
  return { byRow, form };
}

const ROW_FIELDS = [
  'name',
  'apiKey',
  'operations',
  'per',
  'algorithm',
  'limit',
  'windowMs',
  'burst',
  'alignment',
  'onUnavailable',
] as const satisfies ReadonlyArray<keyof LimitSpec>;

const isRowField = (name: string): name is keyof LimitSpec => ROW_FIELDS.some((field) => field === name);

/** Keeps burst and alignment where their algorithm uses them, and null elsewhere. */
function withAlgorithmFields(row: LimitSpec, change: Partial<LimitSpec>): Partial<LimitSpec> {
  if (!change.algorithm || change.algorithm === row.algorithm) return change;
  return change.algorithm === 'GCRA'
    ? { ...change, burst: row.burst ?? 0, alignment: null }
    : { ...change, burst: null, alignment: row.alignment ?? 'CLOCK' };
}

function checkRow(row: LimitSpec): RowErrors {
  const { apiKey, burst, alignment, ...shared } = row;
  const own =
    row.algorithm === 'GCRA' ? { burst: burst ?? 0 } : { alignment: (alignment ?? 'CLOCK').toLowerCase() };
  const { name, operations, per, limit, windowMs } = shared;
  const checked = limitPolicySchema.safeParse({
    ...{ name, operations, per, limit, windowMs, api: apiKey, ...own },
    algorithm: row.algorithm.toLowerCase(),
    onUnavailable: row.onUnavailable.toLowerCase(),
  });
  const errors: RowErrors = {};
  for (const issue of checked.error?.issues ?? []) {
    const path = String(issue.path[0] ?? '');
    const place = path === 'api' ? 'apiKey' : isRowField(path) ? path : 'row';
    errors[place] ??= issue.message;
  }
  return errors;
}
