import { IconShoppingBag } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { LinkButton } from '../../../components/link.js';
import { Page, Panel, RowsSkeleton } from '../../../components/page.js';
import { offersKey, offersOnSaleQuery } from '../../../features/offers/api/offers.js';
import type { PortalTenant } from '../../../features/portal/api/portal-tenant.js';
import { paymentProvidersQuery } from '../../../features/purchases/api/purchase-start.js';
import { OfferShelf } from '../../../features/purchases/components/offer-shelf.js';
import { WithTenant } from './with-tenant.js';

/** What can be bought, two clicks from a higher limit. */
export function PortalBuyPage() {
  return <WithTenant>{(tenant) => <Shop tenant={tenant} />}</WithTenant>;
}

function Shop({ tenant }: { tenant: PortalTenant }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: offers, error, refetch } = useQuery(offersOnSaleQuery);
  const { data: providers } = useQuery(paymentProvidersQuery);
  const { key: tenantKey, subscription } = tenant;
  const fitting = offers?.filter(
    ({ tierKeys }) => tierKeys.length === 0 || tierKeys.includes(subscription.tier.key),
  );
  const home = `/portal/${tenantKey}`;
  return (
    <Page
      title="Buy more"
      description="Upgrades renew until you cancel them. Top-ups are used once and expire. Both raise your limits immediately."
    >
      {!(fitting && providers) &&
        (error ? <Failure error={error} onRetry={() => void refetch()} /> : <RowsSkeleton rows={3} framed />)}
      {fitting && providers && (fitting.length === 0 || providers.length === 0) && (
        <Panel>
          <EmptyState
            icon={<IconShoppingBag size={30} stroke={1.5} aria-hidden />}
            title={fitting.length === 0 ? 'No offers for your tier' : 'Payment is not available'}
            action={
              <LinkButton to="/portal/$tenantKey/requests" params={{ tenantKey }}>
                Request more
              </LinkButton>
            }
          >
            {fitting.length === 0
              ? 'Request a higher limit instead.'
              : 'No payment method is set up. Request a higher limit instead.'}
          </EmptyState>
        </Panel>
      )}
      {fitting && providers && fitting.length > 0 && providers.length > 0 && (
        <OfferShelf
          tenantKey={tenantKey}
          offers={fitting}
          providers={providers}
          returnPathOf={(offerKey) => `${home}?ordered=${offerKey}`}
          onOrdered={(ordered) =>
            void navigate({ to: '/portal/$tenantKey', params: { tenantKey }, search: { ordered } })
          }
          onStale={() => void queryClient.invalidateQueries({ queryKey: offersKey })}
        />
      )}
    </Page>
  );
}
