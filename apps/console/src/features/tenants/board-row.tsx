import { IconBolt, IconHelpCircle, IconTag } from '@tabler/icons-react';
import { defaultStringifySearch } from '@tanstack/react-router';
import { memo } from 'react';
import { formatNumber } from '../../lib/number-format.js';
import classes from './board.module.css';
import type { BoardTenant } from './board-api.js';
import { Exhaustion, Sparkline, TenantStatusDot, TightestLimit } from './utilization-cells.js';

interface BoardRowProps {
  row: BoardTenant;
  /** With fewer columns. */
  short: boolean;
  /** As a card. */
  isPhone: boolean;
  onBoost: (tenant: BoardTenant) => void;
  /** From 0, among all matching tenants. */
  index: number;
  /** Whether the row is in the tab order. */
  isActive: boolean;
  isSelected: boolean | undefined;
  onSelect: ((key: string, selected: boolean) => void) | undefined;
  mayBoost: boolean;
  /** Why not. */
  why: string | undefined;
}

/**
 * One tenant. Scrolling draws dozens of rows per frame, so it has few elements, and plain links, which the table body
 * follows.
 */
export const BoardRow = memo(function BoardRow(props: BoardRowProps) {
  const { row, index, short, isPhone, isActive, isSelected, onSelect, onBoost, mayBoost, why } = props;
  const { tenant, tightest, requests, denied } = row;
  const { key, name, status } = tenant;
  const { tier, tierVersion, pinned } = tenant.subscription;
  const tierText = `${tier.name} v${tierVersion.number}${pinned ? ', pinned' : ''}`;
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
            aria-label={`Select ${name}`}
            checked={isSelected ?? false}
            disabled={status === 'ARCHIVED'}
            onChange={({ currentTarget: { checked } }) => onSelect(key, checked)}
          />
        </td>
      )}
      <th scope="row" className={classes.tenantCell}>
        <a href={`/tenants/${key}`} className={classes.name}>
          {name}
        </a>
        <span className={classes.note}>
          {!short && <span className={classes.key}>{key}</span>}
          <span className={short ? undefined : classes.tierNote}>{tierText}</span>
        </span>
      </th>
      {!short && (
        <td className={classes.wide}>
          {tier.name} <span className="tg-soft">v{tierVersion.number}</span>
          {pinned && <span className={classes.note}>pinned</span>}
        </td>
      )}
      <td className={classes.limitCell}>
        {tightest ? (
          <TightestLimit limit={tightest} short={short} />
        ) : (
          <span className="tg-soft">No requests</span>
        )}
      </td>
      <td className={classes.sparkCell}>
        <Sparkline requests={row.requestsByHour} denied={row.deniedByHour} />
      </td>
      {!short && (
        <td className={`${classes.wide} ${classes.number}`} data-label="Requests 24 h">
          {formatNumber(requests)}
        </td>
      )}
      <td className={classes.number} data-label="Denied 24 h" data-denied={denied > 0 || undefined}>
        {formatNumber(denied)}
      </td>
      <td className={classes.exhaustionCell} data-label="Time to exhaustion">
        <Exhaustion tenant={row} />
      </td>
      {!short && (
        <td className={classes.wide}>
          <TenantStatusDot status={status} />
        </td>
      )}
      <td className={classes.actionCell}>
        <button
          type="button"
          className={classes.action}
          aria-label={`Boost ${name}`}
          aria-disabled={!canBoost || undefined}
          title={mayBoost ? (tightest ? 'Boost' : 'No limit in use to boost') : why}
          onClick={() => canBoost && onBoost(row)}
        >
          {isPhone ? 'Boost' : <IconBolt size={15} aria-hidden />}
        </button>
        <a
          href={`/portal/${key}/buy`}
          className={classes.action}
          aria-label={`Offer upgrade to ${name}`}
          title="Offer upgrade"
        >
          {isPhone ? 'Offer upgrade' : <IconTag size={15} aria-hidden />}
        </a>
        <a
          href={`/why${defaultStringifySearch({ q: key })}`}
          className={classes.action}
          aria-label={`Why is ${name} limited?`}
          title="Why?"
        >
          {isPhone ? 'Why?' : <IconHelpCircle size={15} aria-hidden />}
        </a>
      </td>
    </tr>
  );
});
