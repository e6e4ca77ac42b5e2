import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type DotTone, StateDot } from '../../components/marks.js';
import type { TenantStatus } from '../../generated/graphql.js';
import { formatDay, formatMoment } from '../../lib/time-format.js';
import {
  TENANTS_PAGE,
  type TenantFilter,
  type TenantInList,
  tenantsPageQuery,
  tierChoicesQuery,
} from './api.js';
import classes from './tenants.module.css';

const TENANT_STATUS_TEXT = { ACTIVE: 'Active', SUSPENDED: 'Suspended', ARCHIVED: 'Archived' } as const;

const TONES: Readonly<Record<TenantStatus, DotTone>> = {
  ACTIVE: 'good',
  SUSPENDED: 'bad',
  ARCHIVED: 'quiet',
};

export function TenantStatusDot({ status }: { status: TenantStatus }) {
  return <StateDot tone={TONES[status]}>{TENANT_STATUS_TEXT[status]}</StateDot>;
}

interface TenantRowProps {
  tenant: TenantInList;
  /** From 0, among all matching tenants. */
  index: number;
  selected: boolean;
  /** Referentially stable, so that scrolling draws only rows that come into view. */
  onSelect: (key: string, selected: boolean) => void;
}

/** One tenant. Uses native elements: scrolling draws dozens of rows. */
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
        <span className="tg-soft">
          v{tierVersion.number}
          {pinned && ', pinned'}
        </span>
      </td>
      <td>
        <TenantStatusDot status={tenant.status} />
      </td>
      <td className={`${classes.wideOnly} tg-soft`}>{tenant.timeZone}</td>
      <td className={`${classes.wideOnly} tg-soft`} title={formatMoment(tenant.createdAt)}>
        {formatDay(tenant.createdAt)}
      </td>
    </tr>
  );
});

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

interface TenantsFiltersProps {
  filter: TenantFilter;
  onChange: (filter: TenantFilter) => void;
  /** Number of matching tenants; undefined while it loads. */
  count: string | undefined;
}

export function TenantsFilters({ filter, onChange, count }: TenantsFiltersProps) {
  const { data: tiers } = useQuery(tierChoicesQuery);
  const [typed, setTyped] = useState(filter.search ?? '');
  const search = useDebouncedCallback(
    (text: string) => onChange({ ...filter, search: text.trim() || undefined }),
    250,
  );
  useEffect(
    () => setTyped((text) => (text.trim() === (filter.search ?? '') ? text : (filter.search ?? ''))),
    [filter.search],
  );
  return (
    <search className={`tg-filters ${classes.filters}`}>
      <TextInput
        type="search"
        aria-label="Search tenants"
        placeholder="Search by name or key"
        size="xs"
        maw={340}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          search(value);
        }}
      />
      <Select
        aria-label="Tier"
        placeholder="Any tier"
        size="xs"
        w={140}
        clearable
        clearButtonProps={{ 'aria-label': 'Any tier' }}
        data={tiers?.map(({ key, name }) => ({ value: key, label: name })) ?? []}
        value={filter.tier ?? null}
        onChange={(tier) => onChange({ ...filter, tier: tier ?? undefined })}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        size="xs"
        w={140}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={Object.entries(TENANT_STATUS_TEXT).map(([value, label]) => ({ value, label }))}
        value={filter.status ?? null}
        onChange={(status) => onChange({ ...filter, status: (status as TenantStatus) ?? undefined })}
      />
      <span className={classes.count} role="status">
        {count}
      </span>
    </search>
  );
}

const ROW_HEIGHT = 54;

interface TenantsListProps {
  filter: TenantFilter;
  totalCount: number;
  isSelected: (key: string) => boolean;
  /** Referentially stable. */
  onSelect: (key: string, selected: boolean) => void;
}

/**
 * Virtualized list of tenants. Its height is that of the full list, so that the scroll bar reaches any row; pages
 * load when they scroll into view and are canceled when they scroll out.
 */
export function TenantsList({ filter, totalCount, isSelected, onSelect }: TenantsListProps) {
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
          <td className={classes.selectCell} />
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
              onSelect={onSelect}
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

/** As tall as the rows outside the viewport. */
function Gap({ height }: { height: number }) {
  return height <= 0 ? null : (
    <tr>
      <td colSpan={6} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
