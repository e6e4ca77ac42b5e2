import { Button } from '@mantine/core';
import { IconBuilding, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { EmptyState, Page, Panel, QueryFallback } from '../../components/page.js';
import { BulkActionsPanel } from '../../features/bulk/bulk-actions-panel.js';
import { BulkDialog, type BulkTarget } from '../../features/bulk/bulk-dialog.js';
import { type TenantFilter, tenantsCountQuery } from '../../features/tenants/api.js';
import classes from '../../features/tenants/tenants.module.css';
import { TenantsFilters, TenantsList } from '../../features/tenants/tenants-list.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { parseTenantsSearch } from '../search-params.js';
import { NewTenant } from './tenant/new-tenant.js';

type TenantSelection = ReturnType<typeof useSelection>;

const NONE: ReadonlySet<string> = new Set();

/** Selected tenants; resets when the filter changes. */
function useSelection(filter: string) {
  const [chosen, setChosen] = useState<ReadonlySet<string> | 'all'>(NONE);
  useEffect(() => setChosen(NONE), [filter]);
  const select = useCallback(
    (key: string, selected: boolean) =>
      setChosen((now) => {
        const next = new Set(now === 'all' ? NONE : now);
        if (selected) next.add(key);
        else next.delete(key);
        return next;
      }),
    [],
  );
  return {
    /** Keys of the selected tenants, or `all` that match the filter. */
    chosen,
    isSelected: (key: string) => chosen === 'all' || chosen.has(key),
    /** Referentially stable. */
    select,
    selectAll: () => setChosen('all'),
    clear: () => setChosen(NONE),
  };
}

interface SelectionBarProps {
  selection: TenantSelection;
  filter: TenantFilter;
  totalCount: number;
}

/** Number of selected tenants and bulk actions; empty without a selection. */
function SelectionBar({ selection, filter, totalCount }: SelectionBarProps) {
  const [acting, setActing] = useState(false);
  const { chosen, selectAll, clear } = selection;
  const count = chosen === 'all' ? totalCount : chosen.size;
  if (count === 0) return null;
  const { search = null, tier = null, status = null } = filter;
  const target: BulkTarget =
    chosen === 'all'
      ? { filter: { search, tier, status, expectedCount: totalCount } }
      : { tenantKeys: [...chosen] };
  return (
    <div className={classes.bulkBar}>
      <span role="status">{formatNumber(count)} selected</span>
      {chosen !== 'all' && totalCount > count && (
        <Button variant="subtle" size="compact-sm" onClick={selectAll}>
          Select all {formatNumber(totalCount)} matching
        </Button>
      )}
      <Button variant="subtle" color="gray" size="compact-sm" onClick={clear}>
        Clear selection
      </Button>
      <GatedButton
        permission="bulk-actions:write"
        style={{ marginLeft: 'auto' }}
        onClick={() => setActing(true)}
      >
        Bulk actions
      </GatedButton>
      {acting && (
        <BulkDialog
          target={target}
          count={count}
          onClose={() => setActing(false)}
          onStarted={() => {
            setActing(false);
            clear();
          }}
        />
      )}
    </div>
  );
}

const route = getRouteApi('/shell/tenants');

/** The filter is in the address, so that a list can be shared. */
export function TenantsPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const count = useQuery({ ...tenantsCountQuery(filter), placeholderData: keepPreviousData });
  const { data: totalCount } = count;
  const filtered = Object.keys(filter).length > 0;
  const selection = useSelection(JSON.stringify(filter));
  const setFilter = (next: TenantFilter) =>
    void navigate({ to: '/tenants', search: parseTenantsSearch({ ...next }), replace: true });
  return (
    <Page
      title="Tenants"
      description="Customer organizations. Each is on one tier."
      actions={
        <GatedButton
          permission="tenants:write"
          leftSection={<IconPlus size={15} aria-hidden />}
          onClick={() => setCreating(true)}
        >
          Create tenant
        </GatedButton>
      }
    >
      <BulkActionsPanel />
      <Panel flush>
        <TenantsFilters
          filter={filter}
          onChange={setFilter}
          count={totalCount === undefined ? undefined : plural(totalCount, 'tenant')}
        />
        <QueryFallback query={count} rows={8} />
        {totalCount === 0 && <NoTenants filtered={filtered} onClear={() => setFilter({})} />}
        {totalCount !== undefined && totalCount > 0 && (
          <TenantsList
            filter={filter}
            totalCount={totalCount}
            isSelected={selection.isSelected}
            onSelect={selection.select}
          />
        )}
        <SelectionBar selection={selection} filter={filter} totalCount={totalCount ?? 0} />
      </Panel>
      {creating && <NewTenant onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoTenants({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconBuilding size={30} stroke={1.5} aria-hidden />;
  if (!filtered) {
    return (
      <EmptyState icon={icon} title="No tenants yet">
        A tenant is a customer organization whose requests share limits. Create the first one above.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title="No matching tenants"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      No tenant with this tier and status matches your search.
    </EmptyState>
  );
}
