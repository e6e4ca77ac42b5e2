import { Badge } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ScrollSideways } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/links.js';
import { plural } from '../../../lib/number-format.js';
import type { TierInOverview } from '../api/tiers.js';
import { cellKey } from '../matrix-edits.js';
import type { MatrixGroup } from '../tier-matrix.js';
import { MatrixCell } from './matrix-cell.js';
import classes from './tiers.module.css';
import { canEdit, type MatrixEditor } from './use-matrix-editor.js';

interface TierMatrixTableProps {
  tiers: readonly TierInOverview[];
  editor: MatrixEditor;
  editable: boolean;
}

/** Every tier beside the others: what each allows on each API, to be typed over in place. */
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

/** `api/operation` for each operation that a row is about, to be found by. */
const placesOf = ({ api, operations }: MatrixGroup['rows'][number]): string =>
  operations.map((operation) => `${api}/${operation}`).join(' ');

/** Puts the cursor into the row of an operation that an address names. */
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
        <tr key={row.name} data-limits={placesOf(row)}>
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
              text={editor.edits.get(cellKey({ ...row, tierKey: tier.key }))}
              editable={editable && canEdit(tier, row, column)}
              label={`${row.name} of ${row.api} in ${tier.name}`}
              onType={(text) => editor.type(row, column, text)}
              onPaste={(block) => editor.paste(row, column, block)}
            />
          ))}
        </tr>
      ))}
    </tbody>
  );
}
