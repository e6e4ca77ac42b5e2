import { Page } from '../../../components/page.js';
import { AlertSettings } from '../../../features/alerts/components/alert-settings.js';
import { LimitCrossings } from '../../../features/usage/components/limit-crossings.js';
import { limitsByApi, WithTenant } from './with-tenant.js';

/** When the tenant's people are told, and when they were. */
export function PortalAlertsPage() {
  return (
    <WithTenant>
      {(tenant) => (
        <Page title="Alerts" description="Get an email, and webhook events, when usage approaches a limit.">
          <AlertSettings tenantKey={tenant.key} limitsByApi={limitsByApi(tenant)} />
          <LimitCrossings tenantKey={tenant.key} timeZone={tenant.timeZone} />
        </Page>
      )}
    </WithTenant>
  );
}
