import { useTranslations } from 'use-intl';
import { Page } from '../../../components/page.js';
import { ApiKeysPanel } from '../../../features/api-keys/components/api-keys-panel.js';
import { WithTenant } from './with-tenant.js';

/** The tenant's API keys. */
export function PortalKeysPage() {
  const t = useTranslations('apiKeys');
  return (
    <WithTenant>
      {({ key }) => (
        <Page title={t('keys')}>
          <ApiKeysPanel tenantKey={key} />
        </Page>
      )}
    </WithTenant>
  );
}
