import { useTranslations } from 'use-intl';
import { Page } from '../../../components/page.js';
import { People } from '../../../features/members/components/people.js';
import { WithTenant } from './with-tenant.js';

/** The tenant's own people. */
export function PortalMembersPage() {
  const t = useTranslations('members');
  return (
    <WithTenant>
      {({ key }) => (
        <Page title={t('members')}>
          <People tenantKey={key} />
        </Page>
      )}
    </WithTenant>
  );
}
