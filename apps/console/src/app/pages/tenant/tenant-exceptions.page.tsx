import { OverridesPanel } from '../../../features/adjustments/components/overrides-panel.js';
import { followChange } from '../../../features/nodes/components/follow-change.js';
import { toAdjustmentTenant, useTenant } from './use-tenant.js';

/** Overrides and boosts of a tenant. */
export function TenantExceptionsPage() {
  const tenant = useTenant();
  return tenant ? <OverridesPanel tenant={toAdjustmentTenant(tenant)} onChanged={followChange} /> : null;
}
