import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../../../components/page.js';
import { LimitCrossings } from '../../../features/usage/components/limit-crossings.js';
import { UsagePanel } from '../../../features/usage/components/usage-panel.js';
import { UsageSummary } from '../../../features/usage/components/usage-summary.js';
import type { UsageView } from '../../../features/usage/usage-view.js';
import { WithTenant } from './with-tenant.js';

const route = getRouteApi('/portal/$tenantKey/usage');

/** What the tenant used, where it stands, and which limits it reached. */
export function PortalUsagePage() {
  const { tenantKey } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const setView = (search: UsageView) =>
    void navigate({ to: '/portal/$tenantKey/usage', params: { tenantKey }, search, resetScroll: false });
  return (
    <WithTenant>
      {({ timeZone }) => (
        <Page title="Usage">
          <UsagePanel tenantKey={tenantKey} view={view} onView={setView} />
          <UsageSummary tenantKey={tenantKey} timeZone={timeZone} />
          <LimitCrossings tenantKey={tenantKey} timeZone={timeZone} />
        </Page>
      )}
    </WithTenant>
  );
}
