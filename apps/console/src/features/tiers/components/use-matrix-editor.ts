import type { LimitPolicy } from '@tollgate/contracts';
import { useMemo, useState } from 'react';
import type { ApiInMatrix } from '../api/apis-for-matrix.js';
import type { TierInOverview } from '../api/tiers.js';
import { diffLimits, type LimitChange } from '../limit-diff.js';
import { applyEdits, cellKey, type MatrixEdits, readCell } from '../matrix-edits.js';
import { type MatrixGroup, type MatrixRow, tierMatrix } from '../tier-matrix.js';

/** A tier with edits that nobody has applied. */
export interface EditedTier {
  tier: TierInOverview;
  limits: LimitPolicy[];
  changes: LimitChange[];
}

export interface MatrixEditor {
  groups: MatrixGroup[];
  edits: MatrixEdits;
  /** Tiers that would change, with all of their own limits. */
  edited: EditedTier[];
  /** Cells whose text cannot be read. */
  unreadable: number;
  type: (row: MatrixRow, column: number, text: string) => void;
  /** Fills cells from one on, to the right and down. */
  paste: (row: MatrixRow, column: number, block: readonly (readonly string[])[]) => void;
  /** Forgets what was typed, for these tiers or for all. */
  discard: (tierKeys?: readonly string[]) => void;
}

/** The matrix under edit: what was typed, cell by cell, until it is applied. */
export function useMatrixEditor(
  tiers: readonly TierInOverview[],
  apis: readonly ApiInMatrix[],
): MatrixEditor {
  const groups = useMemo(() => tierMatrix(tiers, apis), [tiers, apis]);
  const [edits, setEdits] = useState<MatrixEdits>(() => new Map());
  const rows = useMemo(() => groups.flatMap((group) => group.rows), [groups]);
  const put = (cells: ReadonlyArray<{ row: MatrixRow; column: number; text: string }>) => {
    const next = new Map(edits);
    for (const { row, column, text } of cells) {
      const tier = tiers[column];
      if (tier && canEdit(tier, row, column)) next.set(cellKey({ ...row, tierKey: tier.key }), text);
    }
    setEdits(next);
  };
  const edited = tiers.flatMap((tier) => {
    const own = ownOf(tier);
    const limits = applyEdits(tier.key, own, edits, rows);
    const changes = limits ? diffLimits(own, limits) : [];
    return limits && changes.length > 0 ? [{ tier, limits, changes }] : [];
  });
  const unreadable = rows.reduce(
    (count, row) =>
      count +
      tiers.filter((tier, column) => {
        const text = edits.get(cellKey({ ...row, tierKey: tier.key }));
        return readCell(text, row.cells[column]?.policy, row).problem !== undefined;
      }).length,
    0,
  );
  return {
    groups,
    edits,
    edited,
    unreadable,
    type: (row, column, text) => put([{ row, column, text }]),
    paste: (row, column, block) => {
      const from = rows.indexOf(row);
      put(
        block.flatMap((line, down) =>
          line.flatMap((text, right) => {
            const target = rows[from + down];
            return target ? [{ row: target, column: column + right, text }] : [];
          }),
        ),
      );
    },
    discard: (tierKeys) =>
      setEdits((typed) =>
        tierKeys === undefined
          ? new Map()
          : new Map([...typed].filter(([key]) => !tierKeys.includes(key.split(' ')[0] ?? ''))),
      ),
  };
}

/** A tier's own limits; those that it has from defaults are not its to publish. */
export const ownOf = (tier: TierInOverview): LimitPolicy[] =>
  (tier.published?.limits ?? []).flatMap(({ origin, policy }) => (origin === 'TIER' ? [policy] : []));

/** What a file keeps, what is archived and what is a default of the API is not edited here. */
export function canEdit(tier: TierInOverview, row: MatrixRow, column: number): boolean {
  return tier.managedBy === 'CONSOLE' && !tier.archivedAt && row.cells[column]?.origin !== 'DEFAULT';
}
