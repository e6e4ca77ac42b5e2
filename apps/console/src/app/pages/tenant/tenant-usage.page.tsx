import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { UsagePanel } from '../../../features/usage/components/usage-panel.js';
import { UsageSummary } from '../../../features/usage/components/usage-summary.js';
import type { UsageView } from '../../../features/usage/usage-view.js';
import { useTenant } from './use-tenant.js';

const route = getRouteApi('/shell/tenants/$tenantKey/usage');

/** What a tenant used, and where it stands. */
export function TenantUsagePage() {
  const { tenantKey } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const tenant = useTenant();
  if (!tenant) return null;
  const { timeZone } = tenant;
  const setView = (search: UsageView) =>
    void navigate({ to: '/tenants/$tenantKey/usage', params: { tenantKey }, search, resetScroll: false });
  return (
    <>
      <UsagePanel tenantKey={tenantKey} view={view} onView={setView} />
      <UsageSummary tenantKey={tenantKey} timeZone={timeZone} />
    </>
  );
}
