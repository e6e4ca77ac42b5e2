import { AlertSettings } from '../../../features/alerts/components/alert-settings.js';
import { LimitCrossings } from '../../../features/usage/components/limit-crossings.js';
import { useTenant } from './use-tenant.js';

/** When the tenant's people are told, and when they were. */
export function TenantAlertsPage() {
  const tenant = useTenant();
  if (!tenant) return null;
  const policies = tenant.effectiveLimits.map(({ limit }) => limit.policy);
  const byApi = Map.groupBy(policies, ({ api }) => api);
  const limitsByApi = new Map([...byApi].map(([api, own]) => [api, own.map(({ name }) => name)]));
  return (
    <>
      <AlertSettings tenantKey={tenant.key} limitsByApi={limitsByApi} />
      <LimitCrossings tenantKey={tenant.key} timeZone={tenant.timeZone} />
    </>
  );
}
