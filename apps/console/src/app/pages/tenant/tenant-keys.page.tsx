import { ApiKeysPanel } from '../../../features/api-keys/components/api-keys-panel.js';
import { useTenant } from './use-tenant.js';

/** A tenant's API keys. */
export function TenantKeysPage() {
  const tenant = useTenant();
  return tenant ? <ApiKeysPanel tenantKey={tenant.key} /> : null;
}
