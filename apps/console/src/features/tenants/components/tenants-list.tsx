import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { LinkAnchor } from '../../../components/link.js';
import { formatDay, formatMoment } from '../../../lib/time-format.js';
import type { TenantInList } from '../api/tenants.js';
import { TenantStatusDot } from './tenant-status.js';
import classes from './tenants.module.css';

const ROW_HEIGHT = 54;
const ASK_AHEAD_ROWS = 20;

interface TenantsListProps {
  tenants: readonly TenantInList[];
  totalCount: number;
  hasMore: boolean;
  loadMore: () => void;
}

/** Tenants as rows of which only those in view exist; asks for more before the last one comes into view. */
export function TenantsList({ tenants, totalCount, hasMore, loadMore }: TenantsListProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    setScrollMargin(top + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: tenants.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    scrollMargin,
  });
  const rows = virtualizer.getVirtualItems();
  const lastShown = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= tenants.length - ASK_AHEAD_ROWS) loadMore();
  }, [hasMore, lastShown, tenants.length, loadMore]);
  const above = (rows[0]?.start ?? scrollMargin) - scrollMargin;
  const below = virtualizer.getTotalSize() - (rows.at(-1)?.end ?? scrollMargin) + scrollMargin;
  return (
    <table className={classes.list} aria-label="Tenants" aria-rowcount={totalCount + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col">Tenant</th>
          <th scope="col">Tier</th>
          <th scope="col">Status</th>
          <th scope="col" className={classes.wideOnly}>
            Time zone
          </th>
          <th scope="col" className={classes.wideOnly}>
            Created
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        <Gap height={above} />
        {rows.map(({ index }) => {
          const tenant = tenants[index];
          return tenant && <TenantRow key={tenant.id} tenant={tenant} index={index} />;
        })}
        <Gap height={below} />
      </tbody>
    </table>
  );
}

/** As tall as the rows that are not there. */
function Gap({ height }: { height: number }) {
  return height <= 0 ? null : (
    <tr>
      <td colSpan={5} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function TenantRow({ tenant, index }: { tenant: TenantInList; index: number }) {
  const { tier, tierVersion, pinned } = tenant.subscription;
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row">
        <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: tenant.key }} c="inherit" fw={500}>
          {tenant.name}
        </LinkAnchor>
        <span className={classes.key}>{tenant.key}</span>
      </th>
      <td>
        {tier.name}{' '}
        <span className={classes.soft}>
          v{tierVersion.number}
          {pinned && ', pinned'}
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
}
