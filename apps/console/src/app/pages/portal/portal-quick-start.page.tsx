import { useState } from 'react';
import { GatedButton } from '../../../components/gated-button.js';
import { Page } from '../../../components/page.js';
import { ApiKeyCreate } from '../../../features/api-keys/components/api-key-create.js';
import { QuickStart } from '../../../features/portal/components/quick-start.js';
import { WithTenant } from './with-tenant.js';

/** From nothing to a request that works. A key that is made here is kept by this page alone, while it is open. */
export function PortalQuickStartPage() {
  const [issued, setIssued] = useState<{ name: string; key: string }>();
  const [creating, setCreating] = useState(false);
  return (
    <WithTenant>
      {(tenant) => (
        <Page title="Quick start" description="Ready-to-run requests with your key and names.">
          <QuickStart
            tenant={tenant}
            issued={issued}
            createKey={
              <GatedButton
                permission="api-keys:write"
                tenantKey={tenant.key}
                variant={issued ? 'default' : 'filled'}
                onClick={() => setCreating(true)}
              >
                Create key
              </GatedButton>
            }
          />
          {creating && (
            <ApiKeyCreate
              tenantKey={tenant.key}
              onClose={() => setCreating(false)}
              onIssued={(made) => {
                setIssued(made);
                setCreating(false);
              }}
            />
          )}
        </Page>
      )}
    </WithTenant>
  );
}
