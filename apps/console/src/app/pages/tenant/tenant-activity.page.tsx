import { getRouteApi } from '@tanstack/react-router';
import { Activity } from '../../../features/audit/components/activity.js';

const route = getRouteApi('/shell/tenants/$tenantKey/activity');

/** What was done to a tenant. */
export function TenantActivityPage() {
  const { tenantKey } = route.useParams();
  return <Activity tenantKey={tenantKey} />;
}
