import { Button } from '@mantine/core';
import { IconBuilding, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';

import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { followChange } from '../../features/nodes/components/follow-change.js';
import { type TenantFilter, tenantsQuery } from '../../features/tenants/api/tenants.js';
import { TenantCreate } from '../../features/tenants/components/tenant-create.js';
import { TenantsFilters } from '../../features/tenants/components/tenants-filters.js';
import { TenantsList } from '../../features/tenants/components/tenants-list.js';
import { plural } from '../../lib/number-format.js';
import { parseTenantsSearch } from '../search-params.js';

const route = getRouteApi('/shell/tenants');

/** All tenants; the filter lives in the address, so that a list can be passed on. */
export function TenantsPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const query = useInfiniteQuery({ ...tenantsQuery(filter), placeholderData: keepPreviousData });
  const { data, error, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const tenants = data?.pages.flatMap((page) => page.nodes) ?? [];
  const totalCount = data?.pages[0]?.totalCount;
  const filtered = Object.keys(filter).length > 0;
  const setFilter = (next: TenantFilter) =>
    void navigate({ to: '/tenants', search: parseTenantsSearch({ ...next }), replace: true });
  const loadMore = useCallback(() => {
    // Not after a failure: the list asks anew at every change, and would do so without end.
    if (!isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isFetching, isFetchNextPageError, fetchNextPage]);
  return (
    <Page
      title="Tenants"
      description="Customer organisations, each on one tier."
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
      <Panel flush>
        <TenantsFilters
          filter={filter}
          onChange={setFilter}
          count={totalCount === undefined ? undefined : plural(totalCount, 'tenant')}
        />
        {error && !data && <Failure error={error} onRetry={() => void query.refetch()} />}
        {!data && !error && <RowsSkeleton rows={8} />}
        {totalCount === 0 && <NoTenants filtered={filtered} onClear={() => setFilter({})} />}
        {tenants.length > 0 && (
          <TenantsList
            tenants={tenants}
            totalCount={totalCount ?? tenants.length}
            hasMore={hasNextPage}
            loadMore={loadMore}
          />
        )}
        {error && isFetchNextPageError && <Failure error={error} onRetry={() => void fetchNextPage()} />}
      </Panel>
      {creating && (
        <TenantCreate
          opened
          onClose={() => setCreating(false)}
          onCreated={({ key, changeId }) => {
            if (changeId) followChange(changeId, `${key} created`);
            void navigate({ to: '/tenants/$tenantKey', params: { tenantKey: key } });
          }}
        />
      )}
    </Page>
  );
}

function NoTenants({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconBuilding size={30} stroke={1.5} aria-hidden />;
  if (!filtered) {
    return (
      <EmptyState icon={icon} title="No tenants yet">
        A tenant is a customer organisation whose requests are counted together. Create the first one above.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title="No tenant matches"
      action={
        <Button variant="default" onClick={onClear}>
          Clear the filter
        </Button>
      }
    >
      Nothing has this text in its name or key, with this tier and status.
    </EmptyState>
  );
}
