import { Page } from '../../../components/page.js';
import { HeadersHelp } from '../../../features/portal/components/headers-help.js';
import { WithTenant } from './with-tenant.js';

/** What the headers of an answer say. */
export function PortalHeadersPage() {
  return (
    <WithTenant>
      {(tenant) => (
        <Page title="Headers" description={`Rate limit headers, with current values of ${tenant.name}.`}>
          <HeadersHelp tenant={tenant} />
        </Page>
      )}
    </WithTenant>
  );
}
