import { Button } from '@mantine/core';
import { IconCreditCard, IconInfinity, IconPrinter, IconReceipt, IconShoppingBag } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GatedButton, MoreButton } from '../../../components/buttons.js';
import { LinkAnchor, LinkButton } from '../../../components/links.js';
import { EmptyState, Page, Panel, Problem, QueryFallback, RowsSkeleton } from '../../../components/page.js';
import { offersKey, offersOnSaleQuery } from '../../../features/offers/api.js';
import type { PortalTenant } from '../../../features/portal/api.js';
import { PurchaseEstimate, wouldFit } from '../../../features/portal/purchase-estimate.js';
import {
  invoicesQuery,
  paymentProvidersQuery,
  purchaseQuery,
  purchasesQuery,
  usePaymentPortalLink,
} from '../../../features/purchases/api.js';
import { BillingClock } from '../../../features/purchases/billing-clock.js';
import { BillingDetailsPanel } from '../../../features/purchases/billing-details.js';
import { InvoicesTable } from '../../../features/purchases/invoices-table.js';
import { OfferShelf, PaymentLink } from '../../../features/purchases/offer-shelf.js';
import { PurchaseDialog } from '../../../features/purchases/purchase-dialog.js';
import { PaymentsTable, PurchaseEvents, PurchaseFacts } from '../../../features/purchases/purchase-facts.js';
import classes from '../../../features/purchases/purchases.module.css';
import {
  PurchaseStatusDot,
  PurchasesTable,
  purchaseStatusText,
} from '../../../features/purchases/purchases-table.js';
import { quotaRequestsQuery } from '../../../features/quota-requests/api.js';
import { OwnRequests, RequestForm } from '../../../features/quota-requests/own-requests.js';
import { limitHistoryQuery } from '../../../lib/limit-history.js';
import { formatDayInZone } from '../../../lib/time-format.js';
import { WithTenant } from './with-tenant.js';

export function PortalBuyPage() {
  return <WithTenant>{(tenant) => <Shop tenant={tenant} />}</WithTenant>;
}

function Shop({ tenant }: { tenant: PortalTenant }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const onSale = useQuery(offersOnSaleQuery);
  const offers = onSale.data;
  const { data: providers } = useQuery(paymentProvidersQuery);
  const { data: histories } = useQuery(limitHistoryQuery(tenant.key));
  const { key: tenantKey, subscription } = tenant;
  const fitting = offers?.filter(
    ({ tierKeys }) => tierKeys.length === 0 || tierKeys.includes(subscription.tier.key),
  );
  const home = `/portal/${tenantKey}`;
  return (
    <Page
      title="Buy more"
      description="Estimated from your own usage of the last 30 days. Upgrades renew until you cancel them. Top-ups expire; on monthly limits their units are used once."
    >
      <QueryFallback query={onSale} rows={3} framed />
      {fitting && !providers && <RowsSkeleton rows={3} framed />}
      {fitting && providers && (fitting.length === 0 || providers.length === 0) && (
        <Panel>
          <EmptyState
            icon={IconShoppingBag}
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
          renderLimit={(limit) => (
            <PurchaseEstimate
              key={`${limit.apiKey}/${limit.limitName}`}
              tenant={tenant}
              histories={histories}
              limit={limit}
            />
          )}
          isEnough={(limits) => wouldFit(histories, limits)}
          onStale={() => void queryClient.invalidateQueries({ queryKey: offersKey })}
        />
      )}
    </Page>
  );
}

export function PortalReceiptsPage() {
  return <WithTenant>{(tenant) => <Receipts tenant={tenant} />}</WithTenant>;
}

function Receipts({ tenant }: { tenant: PortalTenant }) {
  const { key: tenantKey, name, timeZone } = tenant;
  const { data: providers } = useQuery(paymentProvidersQuery);
  const list = useInfiniteQuery(purchasesQuery({ tenantKey }));
  const invoiceList = useInfiniteQuery(invoicesQuery({ tenantKey }));
  const purchases = list.data?.nodes;
  const invoices = invoiceList.data?.nodes ?? [];
  return (
    <Page
      title="Invoices"
      description={`Purchases and payments of ${name}. Dates in ${timeZone}.`}
      actions={providers?.includes('STRIPE') && <CardButton tenantKey={tenantKey} />}
    >
      <Panel title="Purchases" flush>
        <QueryFallback query={list} rows={3} />
        {purchases?.length === 0 && (
          <EmptyState
            icon={IconReceipt}
            title="No purchases yet"
            action={
              <LinkButton to="/portal/$tenantKey/buy" params={{ tenantKey }}>
                Buy more
              </LinkButton>
            }
          >
            Upgrades renew until you cancel them. Top-ups expire; on monthly limits their units are used once.
            Both raise your limits immediately.
          </EmptyState>
        )}
        {purchases && purchases.length > 0 && (
          <PurchasesTable
            purchases={purchases}
            nameOf={({ id, label }) => (
              <LinkAnchor to="/portal/$tenantKey/receipts/$purchaseId" params={{ tenantKey, purchaseId: id }}>
                {label}
              </LinkAnchor>
            )}
          />
        )}
        <MoreButton list={list} />
      </Panel>
      {invoices.length > 0 && (
        <Panel title="Invoices" flush>
          <InvoicesTable invoices={invoices} />
          <MoreButton list={invoiceList} />
        </Panel>
      )}
      <BillingDetailsPanel tenantKey={tenantKey} />
      <BillingClock tenantKey={tenantKey} />
    </Page>
  );
}

function CardButton({ tenantKey }: { tenantKey: string }) {
  const link = usePaymentPortalLink();
  const open = () =>
    link.mutate(
      { tenantKey, returnPath: `/portal/${tenantKey}/receipts` },
      { onSuccess: (url) => window.location.assign(url) },
    );
  return (
    <>
      <Problem color="ochre" icon={null} py={6}>
        {link.error?.message}
      </Problem>
      <Button
        variant="default"
        leftSection={<IconCreditCard size={15} aria-hidden />}
        loading={link.isPending}
        onClick={open}
      >
        Manage card
      </Button>
    </>
  );
}

const route = getRouteApi('/portal/$tenantKey/receipts/$purchaseId');

/** A purchase, suitable for printing. */
export function PortalReceiptPage() {
  return <WithTenant>{(tenant) => <Receipt tenant={tenant} />}</WithTenant>;
}

function Receipt({ tenant }: { tenant: PortalTenant }) {
  const { tenantKey, purchaseId } = route.useParams();
  const [dialog, setDialog] = useState(false);
  const query = useQuery(purchaseQuery(purchaseId));
  const { data: purchase } = query;
  if (purchase === undefined) return <QueryFallback query={query} />;
  const back = (
    <LinkButton to="/portal/$tenantKey/receipts" params={{ tenantKey }} variant="default">
      All invoices
    </LinkButton>
  );
  if (purchase === null || purchase.tenantKey !== tenantKey) {
    return (
      <Page title="Purchase not found">
        <EmptyState title="Purchase not found" action={back}>
          It belongs to another account, or the address is incomplete.
        </EmptyState>
      </Page>
    );
  }
  const { label, status, renews, isAutomatic, checkoutUrl, graceEndsAt } = purchase;
  const canStop = renews || (status === 'PENDING' && !isAutomatic);
  return (
    <Page
      title={label}
      marks={<PurchaseStatusDot status={status} />}
      description={purchaseStatusText(
        status,
        graceEndsAt ? formatDayInZone(graceEndsAt, tenant.timeZone) : '',
      )}
      actions={
        <>
          {back}
          <Button
            variant="default"
            leftSection={<IconPrinter size={15} aria-hidden />}
            onClick={() => window.print()}
          >
            Print
          </Button>
          {canStop && (
            <GatedButton
              permission="purchases:write"
              tenantKey={tenantKey}
              variant="default"
              onClick={() => setDialog(true)}
            >
              {status === 'PENDING' ? 'Cancel order' : 'Cancel renewal'}
            </GatedButton>
          )}
          {checkoutUrl && <PaymentLink checkoutUrl={checkoutUrl} />}
        </>
      }
    >
      <div className={classes.columns}>
        <Panel title="Order">
          <PurchaseFacts purchase={purchase} offer={purchase.offer.name} />
        </Panel>
        <Panel title="Events">
          <PurchaseEvents purchase={purchase} />
        </Panel>
      </div>
      <Panel title="Payments" flush>
        <PaymentsTable purchase={purchase} />
      </Panel>
      {dialog && (
        <PurchaseDialog purchase={purchase} question={{ kind: 'cancel' }} onClose={() => setDialog(false)} />
      )}
    </Page>
  );
}

export function PortalRequestsPage() {
  return <WithTenant>{(tenant) => <Requests tenant={tenant} />}</WithTenant>;
}

function Requests({ tenant: { key: tenantKey, timeZone, effectiveLimits } }: { tenant: PortalTenant }) {
  const list = useInfiniteQuery(quotaRequestsQuery({ tenantKey }));
  const requests = list.data?.nodes;
  const policies = effectiveLimits.map(({ limit }) => limit.policy);
  return (
    <Page
      title="Request more"
      description="Need more than our plans offer? We review your request and email you."
    >
      <Panel>
        {policies.length === 0 ? (
          <EmptyState icon={IconInfinity} title="No limits">
            You have no limits to raise.
          </EmptyState>
        ) : (
          <RequestForm {...{ tenantKey, timeZone, policies }} />
        )}
      </Panel>
      <Panel title="Your requests" flush>
        <QueryFallback query={list} rows={2} />
        {requests && <OwnRequests requests={requests} />}
        <MoreButton list={list} />
      </Panel>
    </Page>
  );
}
