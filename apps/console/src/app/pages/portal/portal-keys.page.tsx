import { Page } from '../../../components/page.js';
import { ApiKeysPanel } from '../../../features/api-keys/components/api-keys-panel.js';
import { WithTenant } from './with-tenant.js';

/** The tenant's API keys. */
export function PortalKeysPage() {
  return (
    <WithTenant>
      {({ key }) => (
        <Page title="API keys">
          <ApiKeysPanel tenantKey={key} />
        </Page>
      )}
    </WithTenant>
  );
}
