import { Button } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, parseSearchWith, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { AddButton, GatedButton } from '../../components/buttons.js';
import { EmptyState, Page, Panel, QueryFallback } from '../../components/page.js';
import { BulkActionsPanel } from '../../features/bulk/bulk-actions-panel.js';
import { BulkDialog, type BulkTarget } from '../../features/bulk/bulk-dialog.js';
import { followChange } from '../../features/nodes/follow-change.js';
import classes from '../../features/tenants/board.module.css';
import {
  type BoardSearch,
  type BoardView,
  filterOf,
  isFiltered,
  tenantBoardCountQuery,
} from '../../features/tenants/board-api.js';
import { TenantBoard } from '../../features/tenants/tenant-board.js';
import { TenantFilters, TenantViews } from '../../features/tenants/tenant-filters.js';
import { formatNumber } from '../../lib/number-format.js';
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
  view: BoardView;
  totalCount: number;
}

/** Number of selected tenants and bulk actions; empty without a selection. */
function SelectionBar({ selection, view, totalCount }: SelectionBarProps) {
  const [acting, setActing] = useState(false);
  const { chosen, selectAll, clear } = selection;
  const count = chosen === 'all' ? totalCount : chosen.size;
  if (count === 0) return null;
  const target: BulkTarget =
    chosen === 'all'
      ? { filter: { ...filterOf(view), expectedCount: totalCount } }
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

/** Reads the search part of a saved view as the router reads an address. */
const parseView = (search: string): BoardSearch => parseTenantsSearch(parseSearchWith(JSON.parse)(search));

/** Tenants by utilization. Filter and order are in the address, so that a list can be shared and saved. */
export function TenantsPage() {
  const view = route.useSearch();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const count = useQuery({ ...tenantBoardCountQuery(view), placeholderData: keepPreviousData });
  const { data: totalCount } = count;
  const { sort: _, reverse: __, ...filter } = view;
  const selection = useSelection(JSON.stringify(filter));
  const setView = (next: BoardView) =>
    void navigate({
      to: '/tenants',
      search: parseTenantsSearch({ ...next }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Page
      title="Tenants"
      description="Ranked by percent of their tightest limit: busiest window of the last hour for rates, current period for quotas."
      actions={
        <AddButton permission="tenants:write" onClick={() => setCreating(true)}>
          Create tenant
        </AddButton>
      }
    >
      <BulkActionsPanel />
      <Panel flush>
        <TenantViews view={view} parse={parseView} />
        <TenantFilters view={view} onView={setView} />
        <QueryFallback query={count} rows={8} />
        {totalCount === 0 && <NoTenants filtered={isFiltered(view)} onClear={() => setView({})} />}
        {totalCount !== undefined && totalCount > 0 && (
          <TenantBoard view={view} onView={setView} selection={selection} onStarted={followChange} />
        )}
        <SelectionBar selection={selection} view={view} totalCount={totalCount ?? 0} />
      </Panel>
      {creating && <NewTenant onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoTenants({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered) {
    return (
      <EmptyState icon={IconBuilding} title="No tenants yet">
        A tenant is a customer organization whose requests share limits. Create the first one above.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconBuilding}
      title="No matching tenants"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      No tenant matches these filters.
    </EmptyState>
  );
}
