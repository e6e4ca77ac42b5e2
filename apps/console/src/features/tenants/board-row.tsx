import { IconBolt, IconHelpCircle, IconTag } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { formatNumber } from '../../lib/number-format.js';
import classes from './board.module.css';
import type { BoardTenant } from './board-api.js';
import { Exhaustion, Sparkline, TenantStatusDot, TightestLimit } from './utilization-cells.js';

interface BoardRowProps {
  row: BoardTenant;
  /** From 0, among all matching tenants. */
  index: number;
  /** Whether the row is in the tab order. */
  isActive: boolean;
  isSelected: boolean | undefined;
  onSelect: ((key: string, selected: boolean) => void) | undefined;
  onBoost: (tenant: BoardTenant) => void;
  mayBoost: boolean;
  /** Why not. */
  why: string | undefined;
}

/** One tenant. Uses native elements: scrolling draws dozens of rows. */
export const BoardRow = memo(function BoardRow(props: BoardRowProps) {
  const { row, index, isActive, isSelected, onSelect, onBoost, mayBoost, why } = props;
  const { tenant, tightest, requests, denied } = row;
  const { tier, tierVersion, pinned } = tenant.subscription;
  const tierText = `v${tierVersion.number}${pinned ? ', pinned' : ''}`;
  const params = { tenantKey: tenant.key };
  const canBoost = mayBoost && tightest != null;
  return (
    <tr
      aria-rowindex={index + 2}
      data-index={index}
      data-selected={isSelected || undefined}
      tabIndex={isActive ? 0 : -1}
    >
      {onSelect && (
        <td className={classes.selectCell}>
          <input
            type="checkbox"
            className={classes.select}
            aria-label={`Select ${tenant.name}`}
            checked={isSelected ?? false}
            disabled={tenant.status === 'ARCHIVED'}
            onChange={({ currentTarget: { checked } }) => onSelect(tenant.key, checked)}
          />
        </td>
      )}
      <th scope="row" className={classes.tenantCell}>
        <Link to="/tenants/$tenantKey" params={params} className={classes.name} preload={false}>
          {tenant.name}
        </Link>
        <span className={classes.note}>
          <span className={classes.key}>{tenant.key}</span>
          <span className={classes.tierNote}>
            {tier.name} {tierText}
          </span>
        </span>
      </th>
      <td className={classes.wide}>
        {tier.name} <span className="tg-soft">v{tierVersion.number}</span>
        {pinned && <span className={classes.note}>pinned</span>}
      </td>
      <td className={classes.limitCell}>
        {tightest ? <TightestLimit limit={tightest} /> : <span className="tg-soft">No requests</span>}
      </td>
      <td className={classes.sparkCell}>
        <Sparkline requests={row.requestsByHour} denied={row.deniedByHour} />
      </td>
      <td className={`${classes.wide} ${classes.number}`} data-label="Requests 24 h">
        {formatNumber(requests)}
      </td>
      <td className={classes.number} data-label="Denied 24 h" data-denied={denied > 0 || undefined}>
        {formatNumber(denied)}
      </td>
      <td className={classes.exhaustionCell} data-label="Time to exhaustion">
        <Exhaustion tenant={row} />
      </td>
      <td className={classes.wide}>
        <TenantStatusDot status={tenant.status} />
      </td>
      <td className={classes.actionCell}>
        <div className={classes.actions}>
          <button
            type="button"
            className={classes.action}
            aria-label={`Boost ${tenant.name}`}
            aria-disabled={!canBoost || undefined}
            title={mayBoost ? (tightest ? 'Boost' : 'No limit in use to boost') : why}
            onClick={() => canBoost && onBoost(row)}
          >
            <IconBolt size={15} aria-hidden />
            <span>Boost</span>
          </button>
          <Link
            to="/portal/$tenantKey/buy"
            params={params}
            className={classes.action}
            preload={false}
            aria-label={`Offer upgrade to ${tenant.name}`}
            title="Offer upgrade"
          >
            <IconTag size={15} aria-hidden />
            <span>Offer upgrade</span>
          </Link>
          <Link
            to="/why"
            search={{ q: tenant.key }}
            className={classes.action}
            preload={false}
            aria-label={`Why is ${tenant.name} limited?`}
            title="Why?"
          >
            <IconHelpCircle size={15} aria-hidden />
            <span>Why?</span>
          </Link>
        </div>
      </td>
    </tr>
  );
});
