import { IconBuilding } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { wordsOfName } from '@tollgate/contracts/limit-title';
import { type ReactNode, useMemo } from 'react';
import { EmptyState, Page, PageOwner, QueryFallback } from '../../../components/page.js';
import { limitTitlesOf, type PortalTenant, portalTenantQuery } from '../../../features/portal/api.js';
import { CustomerPage, type LimitTitleOf } from '../../../lib/customer-page.js';

/** Loads the portal's tenant and renders a page with it. */
export function WithTenant({ children }: { children: (tenant: PortalTenant) => ReactNode }) {
  const { tenantKey } = useParams({ from: '/portal/$tenantKey' });
  const query = useQuery(portalTenantQuery(tenantKey));
  const { data: tenant } = query;
  if (tenant === undefined) return <QueryFallback query={query} />;
  if (tenant === null) {
    return (
      <Page title="Organization not found">
        <EmptyState icon={IconBuilding} title="Organization not found">
          It does not exist, or you are not a member.
        </EmptyState>
      </Page>
    );
  }
  return <TenantPage tenant={tenant}>{children(tenant)}</TenantPage>;
}

/** Gives a page the tenant's name, time zone and names of limits; they stay the same objects while counters change. */
function TenantPage({ tenant, children }: { tenant: PortalTenant; children: ReactNode }) {
  const { name, timeZone } = tenant;
  const titles = limitTitlesOf(tenant);
  const page = useMemo(() => {
    const known: Record<string, string> = JSON.parse(titles);
    const limitTitleOf: LimitTitleOf = (apiKey, limit) => known[`${apiKey}/${limit}`] ?? wordsOfName(limit);
    return { timeZone, limitTitleOf };
  }, [timeZone, titles]);
  return (
    <PageOwner value={name}>
      <CustomerPage value={page}>{children}</CustomerPage>
    </PageOwner>
  );
}

/** Names of a tenant's limits, by API. */
export function limitsByApi({ effectiveLimits }: PortalTenant): Map<string, string[]> {
  const groups = Map.groupBy(effectiveLimits, ({ limit }) => limit.policy.api);
  return new Map([...groups].map(([api, limits]) => [api, limits.map(({ limit }) => limit.policy.name)]));
}
