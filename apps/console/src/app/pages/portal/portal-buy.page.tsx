import { IconShoppingBag } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
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
  const t = useTranslations('portal');
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
    <Page title={t('buyTitle')} description={t('buyHint')}>
      {!(fitting && providers) &&
        (error ? <Failure error={error} onRetry={() => void refetch()} /> : <RowsSkeleton rows={3} framed />)}
      {fitting && providers && (fitting.length === 0 || providers.length === 0) && (
        <Panel>
          <EmptyState
            icon={<IconShoppingBag size={30} stroke={1.5} aria-hidden />}
            title={t(fitting.length === 0 ? 'nothingForSale' : 'noPayment')}
            action={
              <LinkButton to="/portal/$tenantKey/requests" params={{ tenantKey }}>
                {t('requests')}
              </LinkButton>
            }
          >
            {t(fitting.length === 0 ? 'nothingForSaleHint' : 'noPaymentHint')}
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
