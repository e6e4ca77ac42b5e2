import { People } from '../../../features/members/components/people.js';
import { useTenant } from './use-tenant.js';

/** The tenant's own people. */
export function TenantPeoplePage() {
  const tenant = useTenant();
  return tenant ? <People tenantKey={tenant.key} /> : null;
}
