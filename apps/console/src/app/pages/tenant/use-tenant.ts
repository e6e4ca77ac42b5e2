import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { AdjustmentTenant } from '../../../features/adjustments/adjustment-dialog.js';
import { type TenantDetail, tenantQuery } from '../../../features/tenants/api.js';

/** The tenant of a page below `/tenants/$tenantKey`; the parent page handles an unknown one. */
export function useTenant(): TenantDetail | undefined {
  const { tenantKey } = useParams({ from: '/shell/tenants/$tenantKey' });
  return useQuery(tenantQuery(tenantKey)).data ?? undefined;
}

export function toAdjustmentTenant({
  key,
  name,
  version,
  timeZone,
  effectiveLimits,
}: TenantDetail): AdjustmentTenant {
  const limits = effectiveLimits.map(({ limit: { policy } }) => policy);
  return { key, name, version, timeZone, limits };
}
