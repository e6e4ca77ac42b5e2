import { useTranslations } from 'use-intl';
import { Page } from '../../../components/page.js';
import { HeadersHelp } from '../../../features/portal/components/headers-help.js';
import { WithTenant } from './with-tenant.js';

/** What the headers of an answer say. */
export function PortalHeadersPage() {
  const t = useTranslations('portal');
  return (
    <WithTenant>
      {(tenant) => (
        <Page title={t('headers')} description={t('headersHint', { tenant: tenant.name })}>
          <HeadersHelp tenant={tenant} />
        </Page>
      )}
    </WithTenant>
  );
}
