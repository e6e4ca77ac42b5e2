import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { formatDay, formatMoment } from '../../../lib/time-format.js';
import type { TenantInList } from '../api/tenants.js';
import { TenantStatusDot } from './tenant-status.js';
import classes from './tenants.module.css';

interface TenantRowProps {
  tenant: TenantInList;
  /** From 0, among all that match. */
  index: number;
  selected: boolean;
  /** The same function for every row and every time, so that scrolling draws only rows that come into view. */
  onSelect: (key: string, selected: boolean) => void;
}

/** One tenant of the list. Its parts are the browser's own: dozens of them are drawn while a list is scrolled through. */
export const TenantRow = memo(function TenantRow({ tenant, index, selected, onSelect }: TenantRowProps) {
  const { tier, tierVersion, pinned } = tenant.subscription;
  return (
    <tr aria-rowindex={index + 2} data-selected={selected || undefined}>
      <td className={classes.selectCell}>
        <input
          type="checkbox"
          className={classes.select}
          aria-label={`Select ${tenant.name}`}
          checked={selected}
          disabled={tenant.status === 'ARCHIVED'}
          onChange={({ currentTarget: { checked } }) => onSelect(tenant.key, checked)}
        />
      </td>
      <th scope="row">
        <Link
          to="/tenants/$tenantKey"
          params={{ tenantKey: tenant.key }}
          className={classes.name}
          preload={false}
        >
          {tenant.name}
        </Link>
        <span className={classes.key}>{tenant.key}</span>
      </th>
      <td className={classes.tierCell}>
        {tier.name}{' '}
        <span className={classes.soft}>
          {pinned ? `v${String(tierVersion.number)}, pinned` : `v${String(tierVersion.number)}`}
        </span>
      </td>
      <td>
        <TenantStatusDot status={tenant.status} />
      </td>
      <td className={`${classes.wideOnly} ${classes.soft}`}>{tenant.timeZone}</td>
      <td className={`${classes.wideOnly} ${classes.soft}`} title={formatMoment(tenant.createdAt)}>
        {formatDay(tenant.createdAt)}
      </td>
    </tr>
  );
});

/** Holds the place of a tenant that is on the way. */
export const LoadingRow = memo(function LoadingRow({ index }: { index: number }) {
  return (
    <tr aria-rowindex={index + 2} aria-busy="true">
      <td />
      <td colSpan={5}>
        <div className={classes.loading} />
      </td>
    </tr>
  );
});
