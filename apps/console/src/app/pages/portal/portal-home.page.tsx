import { Alert } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { LinkButton } from '../../../components/link.js';
import { Page } from '../../../components/page.js';
import type { PortalTenant } from '../../../features/portal/api/portal-tenant.js';
import { LimitsList } from '../../../features/portal/components/limits-list.js';
import { isRaisedBy, RaisedLimits } from '../../../features/portal/components/raised-limits.js';
import { OrderOutcome } from '../../../features/purchases/components/order-outcome.js';
import { usageSummaryQuery } from '../../../features/usage/api/usage-summary.js';
import { WithTenant } from './with-tenant.js';

const route = getRouteApi('/portal/$tenantKey/');

/** What a tenant's people see first: every limit, how much of it is used, and the way to more. */
export function PortalHomePage() {
  return <WithTenant>{(tenant) => <Overview tenant={tenant} />}</WithTenant>;
}

function Overview({ tenant }: { tenant: PortalTenant }) {
  const { ordered } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: summary } = useQuery(usageSummaryQuery(tenant.key));
  const params = { tenantKey: tenant.key };
  return (
    <Page
      title={tenant.name}
      description={`${tenant.subscription.tier.name} tier`}
      actions={
        <>
          <LinkButton to="/portal/$tenantKey/requests" params={params} variant="default">
            Request more
          </LinkButton>
          <LinkButton to="/portal/$tenantKey/buy" params={params}>
            Buy more
          </LinkButton>
        </>
      }
    >
      {tenant.status === 'SUSPENDED' && (
        <Alert color="ember" icon={<IconBan size={18} aria-hidden />} title="All requests are denied">
          Your organisation is suspended. Contact the operator of this service. Your data is kept.
        </Alert>
      )}
      {ordered && (
        <OrderOutcome
          tenantKey={tenant.key}
          offerKey={ordered}
          raisedBy={(label) => (isRaisedBy(tenant, label) ? <RaisedLimits {...{ tenant, label }} /> : null)}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
      <LimitsList tenant={tenant} forecasts={summary?.quotas ?? []} />
    </Page>
  );
}
