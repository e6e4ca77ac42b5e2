import type { LimitPolicy } from '@tollgate/contracts';
import type { StoredLimit } from '../../lib/limit-fields.js';
import type { ApiInMatrix } from './api/apis-for-matrix.js';
import type { TierInOverview } from './api/tiers.js';
import type { RowShape } from './matrix-edits.js';
import { slugOf } from './new-limit.js';

export interface MatrixRow extends RowShape {
  /** In the order of the tiers; undefined where a tier has no such limit. */
  cells: Array<StoredLimit | undefined>;
}

export interface MatrixGroup {
  apiKey: string;
  name: string;
  rows: MatrixRow[];
}

/**
 * The tiers side by side: one group for each API; in it a row for each limit's name, and one for each operation that no tier
 * limits, to begin with.
 */
export function tierMatrix(tiers: readonly TierInOverview[], apis: readonly ApiInMatrix[]): MatrixGroup[] {
  const groups = new Map<string, Map<string, MatrixRow>>();
  tiers.forEach((tier, column) => {
    for (const limit of tier.published?.limits ?? []) {
      const { api, name, operations, per } = limit.policy;
      const rows = groups.get(api) ?? new Map<string, MatrixRow>();
      groups.set(api, rows);
      const row = rows.get(name) ?? { api, name, operations, per, cells: tiers.map(() => undefined) };
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

/** A row to type into for each operation that no tier limits; none where a limit is on the API as a whole. */
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
