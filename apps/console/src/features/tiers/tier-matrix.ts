import type { TierInOverview } from './api/tiers.js';

type LimitInOverview = NonNullable<TierInOverview['published']>['limits'][number];

export interface MatrixRow {
  name: string;
  /** In the order of the tiers; undefined where a tier has no such limit. */
  cells: Array<LimitInOverview | undefined>;
  /** Operations of the first tier that has the limit; empty: every operation. */
  operations: readonly string[];
}

export interface MatrixGroup {
  apiKey: string;
  rows: MatrixRow[];
}

/** The tiers side by side: one group for each API, one row for each limit's name, one cell for each tier. */
export function tierMatrix(tiers: readonly TierInOverview[]): MatrixGroup[] {
  const groups = new Map<string, Map<string, MatrixRow>>();
  tiers.forEach((tier, column) => {
    for (const limit of tier.published?.limits ?? []) {
      const rows = groups.get(limit.apiKey) ?? new Map<string, MatrixRow>();
      groups.set(limit.apiKey, rows);
      const row = rows.get(limit.name) ?? {
        name: limit.name,
        cells: tiers.map(() => undefined),
        operations: limit.operations,
      };
      rows.set(limit.name, row);
      row.cells[column] = limit;
    }
  });
  return [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([apiKey, rows]) => ({ apiKey, rows: [...rows.values()] }));
}
