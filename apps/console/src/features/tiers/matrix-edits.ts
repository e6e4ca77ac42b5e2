import type { LimitPolicy } from '@tollgate/contracts';
import { identityOf } from '../../lib/limit-diff.js';
import { ruleOf, type StoredLimit, withRule, withStorage } from '../../lib/limit-fields.js';
import { isUnlimited, parseAmount, type Unread } from '../../lib/rate.js';
import type { ApiInMatrix, TierInOverview } from './api.js';
import { slugOf } from './limit-edits.js';

export interface MatrixRow extends RowShape {
  /** In the order of the tiers; undefined where a tier has no such limit. */
  cells: Array<StoredLimit | undefined>;
}

export interface MatrixGroup {
  apiKey: string;
  name: string;
  rows: MatrixRow[];
}

/** One group per API, with a row for each limit name and for each operation without a limit. */
export function tierMatrix(tiers: readonly TierInOverview[], apis: readonly ApiInMatrix[]): MatrixGroup[] {
  const groups = new Map<string, Map<string, MatrixRow>>();
  tiers.forEach((tier, column) => {
    for (const limit of tier.published?.limits ?? []) {
      const { api, name, alsoApis, operations, per, storage, expectedSubjects } = limit.policy;
      const rows = groups.get(api) ?? new Map<string, MatrixRow>();
      groups.set(api, rows);
      const row = rows.get(name) ?? {
        ...{ api, name, alsoApis, operations, per, storage, expectedSubjects },
        cells: tiers.map(() => undefined),
      };
      rows.set(name, row);
      row.cells[column] = limit;
    }
  });
  const names = new Map(apis.map(({ key, name }) => [key, name]));
  const keys = new Set([...groups.keys(), ...apis.map(({ key }) => key)]);
  return [...keys]
    .sort((a, b) => a.localeCompare(b))
    .map((apiKey) => {
      const rows = [...(groups.get(apiKey)?.values() ?? [])];
      const api = apis.find(({ key }) => key === apiKey);
      return {
        apiKey,
        name: names.get(apiKey) ?? apiKey,
        rows: [...rows, ...(api ? unlimitedRows(api, rows, tiers.length) : [])],
      };
    })
    .filter(({ rows }) => rows.length > 0);
}

/** A row for each operation that no tier limits; none if a limit covers the whole API. */
function unlimitedRows(
  api: ApiInMatrix,
  rows: readonly Pick<LimitPolicy, 'operations' | 'name'>[],
  columns: number,
): MatrixRow[] {
  if (rows.some(({ operations }) => operations.length === 0)) return [];
  const limited = new Set(rows.flatMap(({ operations }) => operations));
  const taken = new Set(rows.map(({ name }) => name));
  return api.operations
    .filter(({ name }) => !limited.has(name))
    .map(({ name: operation }) => {
      const name = slugOf(operation);
      return {
        api: api.key,
        name: taken.has(name) ? `${name}-limit` : name,
        operations: [operation],
        per: [],
        cells: Array.from({ length: columns }, () => undefined),
      };
    });
}

/** A cell: one limit of one tier. */
export interface CellPlace {
  tierKey: string;
  api: string;
  name: string;
}

/** Edited cells by {@link cellKey}. An empty text removes the limit. */
export type MatrixEdits = ReadonlyMap<string, string>;

export const cellKey = ({ tierKey, api, name }: CellPlace): string => `${tierKey}/${api}/${name}`;

/** The fields of a new limit in a row. Limits of one name have the same storage in all tiers. */
export type RowShape = Pick<
  LimitPolicy,
  'api' | 'name' | 'alsoApis' | 'operations' | 'per' | 'storage' | 'expectedSubjects'
>;

export interface CellReading {
  /** Undefined if the tier has no such limit, or it is removed. */
  policy: LimitPolicy | undefined;
  /** Why the text is invalid, and the expected format. */
  problem: Unread | undefined;
}

/** The value of a cell; `text` is undefined if it is not edited. */
export function readCell(
  text: string | undefined,
  stored: LimitPolicy | undefined,
  row: RowShape,
): CellReading {
  if (text === undefined) return { policy: stored, problem: undefined };
  if (isUnlimited(text)) return { policy: undefined, problem: undefined };
  const read = parseAmount(text, stored && ruleOf(stored));
  if (!read.ok) return { policy: stored, problem: read };
  const { api, name, alsoApis, operations, per, storage = 'key', expectedSubjects } = row;
  const added: LimitPolicy = {
    ...{ api, name, operations, per, expectedSubjects, onUnavailable: 'share' },
    ...(alsoApis && { alsoApis }),
    ...read.value,
  };
  return { policy: withRule(stored ?? withStorage(added, storage), read.value), problem: undefined };
}

/** A tier's limits with its edited cells applied; undefined if a cell is invalid. */
export function applyEdits(
  tierKey: string,
  own: readonly LimitPolicy[],
  edits: MatrixEdits,
  rows: readonly RowShape[],
): LimitPolicy[] | undefined {
  const limits: LimitPolicy[] = [];
  const present = new Map(own.map((limit) => [identityOf(limit), limit]));
  for (const limit of own) {
    const { policy, problem } = readCell(textOf(edits, tierKey, limit), limit, limit);
    if (problem !== undefined) return undefined;
    if (policy) limits.push(policy);
  }
  for (const row of rows) {
    if (present.has(identityOf(row))) continue;
    const { policy, problem } = readCell(textOf(edits, tierKey, row), undefined, row);
    if (problem !== undefined) return undefined;
    if (policy) limits.push(policy);
  }
  return limits;
}

const textOf = (edits: MatrixEdits, tierKey: string, { api, name }: Pick<LimitPolicy, 'api' | 'name'>) =>
  edits.get(cellKey({ tierKey, api, name }));

/** Cells of a pasted block: lines are rows, tabs separate columns. Undefined for a single value. */
export function readBlock(text: string): string[][] | undefined {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  const block = lines.map((line) => line.split('\t').map((cell) => cell.trim()));
  return block.length === 1 && block[0]?.length === 1 ? undefined : block;
}
