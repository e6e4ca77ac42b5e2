import { Alert, Button } from '@mantine/core';
import { IconCreditCard, IconReceipt } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { LinkAnchor, LinkButton } from '../../../components/link.js';
import { MoreButton } from '../../../components/more-button.js';
import { Page, Panel, RowsSkeleton } from '../../../components/page.js';
import type { PortalTenant } from '../../../features/portal/api/portal-tenant.js';
import { usePaymentPortalLink } from '../../../features/purchases/api/billing-time.js';
import { invoicesQuery } from '../../../features/purchases/api/invoices.js';
import { paymentProvidersQuery } from '../../../features/purchases/api/purchase-start.js';
import { purchasesQuery } from '../../../features/purchases/api/purchases.js';
import { BillingClock } from '../../../features/purchases/components/billing-clock.js';
import { InvoicesTable } from '../../../features/purchases/components/invoices-table.js';
import { PurchasesTable } from '../../../features/purchases/components/purchases-table.js';
import { WithTenant } from './with-tenant.js';

/** What the tenant has bought, and what it was asked to pay. */
export function PortalReceiptsPage() {
  return <WithTenant>{(tenant) => <Receipts tenant={tenant} />}</WithTenant>;
}

function Receipts({ tenant }: { tenant: PortalTenant }) {
  const { key: tenantKey, name, timeZone } = tenant;
  const { data: providers } = useQuery(paymentProvidersQuery);
  const list = useInfiniteQuery(purchasesQuery({ tenantKey }));
  const invoiceList = useInfiniteQuery(invoicesQuery({ tenantKey }));
  const purchases = list.data?.pages.flatMap(({ nodes }) => nodes);
  const invoices = invoiceList.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  return (
    <Page
      title="Receipts"
      description={`Purchases and payments of ${name}.`}
      actions={providers?.includes('STRIPE') && <CardButton tenantKey={tenantKey} />}
    >
      <Panel title="Purchases" flush>
        {!purchases &&
          (list.error ? (
            <Failure error={list.error} onRetry={() => void list.refetch()} />
          ) : (
            <RowsSkeleton rows={3} />
          ))}
        {purchases?.length === 0 && (
          <EmptyState
            icon={<IconReceipt size={30} stroke={1.5} aria-hidden />}
            title="No purchases yet"
            action={
              <LinkButton to="/portal/$tenantKey/buy" params={{ tenantKey }}>
                Buy more
              </LinkButton>
            }
          >
            Upgrades renew until you cancel them. Top-ups are used once and expire. Both raise your limits
            immediately.
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
      <BillingClock tenantKey={tenantKey} timeZone={timeZone} />
    </Page>
  );
}

/** Opens the provider's page for cards. */
function CardButton({ tenantKey }: { tenantKey: string }) {
  const link = usePaymentPortalLink();
  const open = () =>
    link.mutate(
      { tenantKey, returnPath: `/portal/${tenantKey}/receipts` },
      { onSuccess: (url) => window.location.assign(url) },
    );
  return (
    <>
      {link.error && (
        <Alert role="alert" color="ochre" py={6}>
          {link.error.message}
        </Alert>
      )}
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
