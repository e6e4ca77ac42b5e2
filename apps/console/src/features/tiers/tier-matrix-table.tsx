import { Badge } from '@mantine/core';
import type { LimitPolicy } from '@tollgate/contracts';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { ScrollSideways } from '../../components/data-table.js';
import { LinkAnchor } from '../../components/links.js';
import { TypedProblem } from '../../components/typed-field.js';
import { diffLimits } from '../../lib/limit-diff.js';
import { ruleOf, type StoredLimit } from '../../lib/limit-fields.js';
import { describePer, describeReach, describeRule, describeTerms } from '../../lib/limit-text.js';
import { plural } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import type { ApiInMatrix, TierInOverview } from './api.js';
import type { FieldProblem } from './limit-edits.js';
import {
  applyEdits,
  cellKey,
  type MatrixEdits,
  type MatrixGroup,
  type MatrixRow,
  type RowShape,
  readBlock,
  readCell,
  tierMatrix,
} from './matrix-edits.js';
import classes from './tiers.module.css';

type MatrixEditor = ReturnType<typeof useMatrixEditor>;

/** Unapplied edits of the matrix, by cell. */
export function useMatrixEditor(tiers: readonly TierInOverview[], apis: readonly ApiInMatrix[]) {
  const groups = useMemo(() => tierMatrix(tiers, apis), [tiers, apis]);
  const [edits, setEdits] = useState<MatrixEdits>(() => new Map());
  const rows = useMemo(() => groups.flatMap((group) => group.rows), [groups]);
  const textOf = (row: MatrixRow, tier: TierInOverview) => edits.get(cellKey({ ...row, tierKey: tier.key }));
  const edited = tiers.flatMap((tier) => {
    const own = ownOf(tier);
    const limits = applyEdits(tier.key, own, edits, rows);
    const changes = limits ? diffLimits(own, limits) : [];
    return limits && changes.length > 0 ? [{ tier, limits, changes }] : [];
  });
  const problems = rows.flatMap((row) =>
    tiers.flatMap((tier, column): FieldProblem[] => {
      const { problem } = readCell(textOf(row, tier), row.cells[column]?.policy, row);
      const id = cellKey({ ...row, tierKey: tier.key });
      return problem === undefined ? [] : [{ id, text: `${row.name} in ${tier.name}: ${problem.message}` }];
    }),
  );
  return {
    groups,
    /** The text of an edited cell. */
    textOf,
    /** Tiers that would change, with all of their own limits. */
    edited,
    /** Every error, with the ID of its cell. */
    problems,
    /** Fills cells to the right and down. */
    fill: (row: MatrixRow, column: number, block: readonly (readonly string[])[]) => {
      const next = new Map(edits);
      const from = rows.indexOf(row);
      block.forEach((line, down) => {
        line.forEach((text, right) => {
          const [target, tier] = [rows[from + down], tiers[column + right]];
          if (!target || !tier || !canEdit(tier, target, column + right)) return;
          next.set(cellKey({ ...target, tierKey: tier.key }), text);
        });
      });
      setEdits(next);
    },
    discard: () => setEdits(new Map()),
  };
}

/** The limits of a tier without inherited defaults. */
const ownOf = (tier: TierInOverview): LimitPolicy[] =>
  (tier.published?.limits ?? []).flatMap(({ origin, policy }) => (origin === 'TIER' ? [policy] : []));

/** Managed and archived tiers and API defaults are read-only here. */
function canEdit(tier: TierInOverview, row: MatrixRow, column: number): boolean {
  return tier.managedBy === 'CONSOLE' && !tier.archivedAt && row.cells[column]?.origin !== 'DEFAULT';
}

/** `per tenant · burst 9 · also counts search`. */
function noteOf(policy: LimitPolicy): string {
  const reach = describeReach(policy);
  const parts = [describePer(policy.per), describeRule(ruleOf(policy)), reach && `also counts ${reach}`];
  return [...parts.filter((part) => part !== undefined), ...describeTerms(policy)].join(' · ');
}

interface MatrixCellProps {
  row: RowShape;
  stored: StoredLimit | undefined;
  /** The edited text; undefined: not edited. */
  text: string | undefined;
  editable: boolean;
  id: string;
  label: string;
  /** Called with one text, or with the rows of a pasted block. */
  onType: (block: string[][]) => void;
}

/** One limit of one tier, editable in place. */
function MatrixCell({ row, stored, text, editable, id, label, onType }: MatrixCellProps) {
  const noteId = useId();
  const written = stored ? formatAmount(ruleOf(stored.policy)) : '';
  const { policy, problem } = readCell(text, stored?.policy, row);
  const changed = text !== undefined && text !== written;
  const note = problem ? (
    <TypedProblem problem={problem} onChoose={(reading) => onType([[reading]])} />
  ) : (
    policy && noteOf(policy)
  );
  const paste = (event: ClipboardEvent) => {
    const block = readBlock(event.clipboardData.getData('text/plain'));
    if (!block) return;
    event.preventDefault();
    onType(block);
  };
  return (
    <td data-changed={changed || undefined} title={changed ? undefined : stored?.summary}>
      {editable ? (
        <input
          id={id}
          className={classes.cellInput}
          aria-label={label}
          aria-invalid={problem !== undefined}
          {...(note ? { 'aria-describedby': noteId } : {})}
          data-cell
          placeholder="no limit"
          value={text ?? written}
          onChange={(event) => onType([[event.currentTarget.value]])}
          onPaste={paste}
          onKeyDown={moveByKeys}
          spellCheck={false}
          autoComplete="off"
        />
      ) : (
        <span className={classes.cellText}>{written || 'no limit'}</span>
      )}
      {note && (
        <span id={noteId} className={problem ? classes.cellProblem : classes.small}>
          {note}
          {stored?.origin === 'DEFAULT' && ' · API default'}
        </span>
      )}
    </td>
  );
}

/** Arrow keys and Enter move between rows, as in a spreadsheet. */
function moveByKeys(event: KeyboardEvent<HTMLInputElement>): void {
  const step = { ArrowUp: -1, ArrowDown: 1, Enter: event.shiftKey ? -1 : 1 }[event.key];
  if (step === undefined) return;
  const cell = event.currentTarget.closest('td');
  const rows = [...(cell?.closest('table')?.querySelectorAll('tbody tr') ?? [])];
  const column = cell?.cellIndex ?? 0;
  let at = rows.indexOf(cell?.closest('tr') as Element) + step;
  for (; at >= 0 && at < rows.length; at += step) {
    const input = (rows[at] as HTMLTableRowElement).cells[column]?.querySelector<HTMLInputElement>(
      '[data-cell]',
    );
    if (!input) continue;
    event.preventDefault();
    input.focus();
    input.select();
    return;
  }
}

interface TierMatrixTableProps {
  tiers: readonly TierInOverview[];
  editor: MatrixEditor;
  editable: boolean;
}

/** All tiers side by side, editable in place. */
export function TierMatrixTable({ tiers, editor, editable }: TierMatrixTableProps) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => focusRow(table.current), []);
  return (
    <ScrollSideways>
      <table ref={table} className={classes.matrix} aria-label="Tier comparison">
        <thead>
          <tr>
            <th scope="col">
              <span className={classes.small}>Operations and limit</span>
            </th>
            {tiers.map((tier) => (
              <TierHeading key={tier.id} tier={tier} />
            ))}
          </tr>
        </thead>
        {editor.groups.map((group) => (
          <MatrixBody key={group.apiKey} group={group} tiers={tiers} editor={editor} editable={editable} />
        ))}
      </table>
    </ScrollSideways>
  );
}

/** `api/operation` for each operation of a row. */
const positionsOf = ({ api, operations }: MatrixGroup['rows'][number]): string =>
  operations.map((operation) => `${api}/${operation}`).join(' ');

/** Focuses the row of the operation in the address's fragment. */
function focusRow(table: HTMLTableElement | null): void {
  const wanted = decodeURIComponent(window.location.hash.slice(1));
  if (wanted === '') return;
  const input = table?.querySelector<HTMLElement>(`[data-limits~="${CSS.escape(wanted)}"] [data-cell]`);
  input?.scrollIntoView({ block: 'center' });
  input?.focus();
}

function TierHeading({ tier }: { tier: TierInOverview }) {
  return (
    <th scope="col">
      <LinkAnchor
        to="/tiers/$tierKey"
        params={{ tierKey: tier.key }}
        className={classes.tierName}
        c="inherit"
      >
        {tier.name}
      </LinkAnchor>{' '}
      {tier.draft && <Badge color="ochre">draft</Badge>}{' '}
      {tier.archivedAt && <Badge color="gray">archived</Badge>}
      <span className={classes.small}>
        {tier.published ? `v${tier.published.number}` : 'not published'} ·{' '}
        {plural(tier.tenantCount, 'tenant')}
      </span>
    </th>
  );
}

function MatrixBody({ group, tiers, editor, editable }: TierMatrixTableProps & { group: MatrixGroup }) {
  return (
    <tbody>
      <tr className={classes.api}>
        <th scope="colgroup" colSpan={tiers.length + 1}>
          <LinkAnchor to="/apis/$apiKey" params={{ apiKey: group.apiKey }} c="inherit">
            {group.name}
          </LinkAnchor>
        </th>
      </tr>
      {group.rows.map((row) => (
        <tr key={row.name} data-limits={positionsOf(row)}>
          <th scope="row">
            {row.operations.length === 0 ? 'all operations' : row.operations.join(', ')}
            <span className={classes.name}>
              {row.cells.some(Boolean) ? row.name : `${row.name}, no tier`}
            </span>
          </th>
          {tiers.map((tier, column) => (
            <MatrixCell
              key={tier.id}
              row={row}
              stored={row.cells[column]}
              text={editor.textOf(row, tier)}
              editable={editable && canEdit(tier, row, column)}
              id={cellKey({ ...row, tierKey: tier.key })}
              label={`${row.name} of ${row.api} in ${tier.name}`}
              onType={(block) => editor.fill(row, column, block)}
            />
          ))}
        </tr>
      ))}
    </tbody>
  );
}
