import { Badge, Text } from '@mantine/core';
import { LinkAnchor } from '../../../components/link.js';
import { ScrollSideways } from '../../../components/scroll-sideways.js';
import { plural } from '../../../lib/number-format.js';
import { formatRate } from '../../../lib/rate.js';
import type { TierInOverview } from '../api/tiers.js';
import { type MatrixGroup, type MatrixRow, tierMatrix } from '../tier-matrix.js';
import classes from './tiers.module.css';

/** Every tier beside the others: what each allows on each API. */
export function TierMatrixTable({ tiers }: { tiers: readonly TierInOverview[] }) {
  const groups = tierMatrix(tiers);
  return (
    <ScrollSideways>
      <table className={classes.matrix} aria-label="Tiers side by side">
        <thead>
          <tr>
            <th scope="col">
              <Text span size="xs" c="dimmed">
                Limit
              </Text>
            </th>
            {tiers.map((tier) => (
              <TierHeading key={tier.id} tier={tier} />
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <MatrixBody key={group.apiKey} group={group} tiers={tiers} />
        ))}
      </table>
    </ScrollSideways>
  );
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
      {tier.draft && (
        <Badge color="ochre" ml={4}>
          draft
        </Badge>
      )}
      <span className={classes.small}>
        {tier.published ? `v${tier.published.number}` : 'not published'} ·{' '}
        {plural(tier.tenantCount, 'tenant')}
      </span>
    </th>
  );
}

function MatrixBody({ group, tiers }: { group: MatrixGroup; tiers: readonly TierInOverview[] }) {
  return (
    <tbody>
      <tr className={classes.api}>
        <th scope="colgroup" colSpan={tiers.length + 1}>
          {group.apiKey}
        </th>
      </tr>
      {group.rows.map((row) => (
        <tr key={row.name}>
          <th scope="row">
            {row.operations.length === 0 ? 'all operations' : row.operations.join(', ')}
            <span className={classes.name}>{row.name}</span>
          </th>
          {row.cells.map((cell, column) => (
            <MatrixCell key={tiers[column]?.id} cell={cell} />
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function MatrixCell({ cell }: { cell: MatrixRow['cells'][number] }) {
  if (!cell) {
    return (
      <td>
        <Text span c="dimmed">
          no limit
        </Text>
      </td>
    );
  }
  const per = cell.per.length === 0 ? 'per tenant' : `per ${cell.per.join(' + ')}`;
  const how =
    cell.algorithm === 'GCRA' ? `burst ${(cell.burst ?? 0).toLocaleString('en-US')}` : 'fixed window';
  return (
    <td title={cell.summary}>
      <span className={classes.rate}>{formatRate(cell)}</span>
      <span className={classes.small}>
        {per} · {how}
      </span>
    </td>
  );
}
