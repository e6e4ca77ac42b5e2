import { Page } from '../../../components/page.js';
import { People } from '../../../features/members/components/people.js';
import { WithTenant } from './with-tenant.js';

/** The tenant's own people. */
export function PortalMembersPage() {
  return (
    <WithTenant>
      {({ key }) => (
        <Page title="Members">
          <People tenantKey={key} />
        </Page>
      )}
    </WithTenant>
  );
}
