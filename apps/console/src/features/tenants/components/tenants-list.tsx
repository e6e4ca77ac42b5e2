import { Checkbox, Skeleton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { LinkAnchor } from '../../../components/link.js';
import { formatDay, formatMoment } from '../../../lib/time-format.js';
import { TENANTS_PAGE, type TenantFilter, type TenantInList, tenantsPageQuery } from '../api/tenants.js';
import { TenantStatusDot } from './tenant-status.js';
import classes from './tenants.module.css';

const ROW_HEIGHT = 54;

interface TenantsListProps {
  filter: TenantFilter;
  totalCount: number;
  /** Whether a tenant is chosen. */
  isSelected: (key: string) => boolean;
  onSelect: (key: string, selected: boolean) => void;
}

/**
 * Tenants as rows of which only those in view exist. The list is as long as it is from the beginning, so that the scroll bar
 * leads to any place of it; pages are asked for when they come into view, and left when they are scrolled past.
 */
export function TenantsList({ filter, totalCount, isSelected, onSelect }: TenantsListProps) {
  const t = useTranslations('tenants.list');
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    setScrollMargin(top + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: totalCount,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    scrollMargin,
  });
  const rows = virtualizer.getVirtualItems();
  const pages = [...new Set(rows.map(({ index }) => Math.floor(index / TENANTS_PAGE)))];
  const loaded = useQueries({
    queries: pages.map((page) => tenantsPageQuery(filter, page)),
    combine: (results) => new Map(results.map(({ data }, at) => [pages[at], data])),
  });
  const above = (rows[0]?.start ?? scrollMargin) - scrollMargin;
  const below = virtualizer.getTotalSize() - (rows.at(-1)?.end ?? scrollMargin) + scrollMargin;
  return (
    <table className={classes.list} aria-label="Tenants" aria-rowcount={totalCount + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col" className={classes.selectCell} aria-label={t('select', { tenant: '' })} />
          <th scope="col" className={classes.nameCell}>
            Tenant
          </th>
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
          const tenant = loaded.get(Math.floor(index / TENANTS_PAGE))?.[index % TENANTS_PAGE];
          return tenant ? (
            <TenantRow
              key={index}
              tenant={tenant}
              index={index}
              selected={isSelected(tenant.key)}
              onSelect={(selected) => onSelect(tenant.key, selected)}
            />
          ) : (
            <LoadingRow key={index} index={index} />
          );
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
      <td colSpan={6} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function LoadingRow({ index }: { index: number }) {
  return (
    <tr aria-rowindex={index + 2} aria-busy="true">
      <td />
      <td colSpan={5}>
        <Skeleton h={12} w={180} animate={false} />
      </td>
    </tr>
  );
}

interface TenantRowProps {
  tenant: TenantInList;
  index: number;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}

function TenantRow({ tenant, index, selected, onSelect }: TenantRowProps) {
  const t = useTranslations('tenants.list');
  const { tier, tierVersion, pinned } = tenant.subscription;
  return (
    <tr aria-rowindex={index + 2} data-selected={selected || undefined}>
      <td className={classes.selectCell}>
        <Checkbox
          size="xs"
          aria-label={t('select', { tenant: tenant.name })}
          checked={selected}
          disabled={tenant.status === 'ARCHIVED'}
          onChange={({ currentTarget: { checked } }) => onSelect(checked)}
        />
      </td>
      <th scope="row">
        <LinkAnchor
          to="/tenants/$tenantKey"
          params={{ tenantKey: tenant.key }}
          c="inherit"
          fw={500}
          preload={false}
        >
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
