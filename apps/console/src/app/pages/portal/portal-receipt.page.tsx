import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { LinkButton } from '../../../components/link.js';
import { Page, PageSkeleton, Panel } from '../../../components/page.js';
import { purchaseQuery } from '../../../features/purchases/api/purchases.js';
import { PurchaseDialog } from '../../../features/purchases/components/purchase-dialog.js';
import { PurchaseEvents } from '../../../features/purchases/components/purchase-events.js';
import { PaymentsTable, PurchaseFacts } from '../../../features/purchases/components/purchase-facts.js';
import {
  PurchaseStatusDot,
  purchaseStatusText,
} from '../../../features/purchases/components/purchase-status.js';
import classes from '../../../features/purchases/components/purchases.module.css';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { formatDay } from '../../../lib/time-format.js';

const route = getRouteApi('/portal/$tenantKey/receipts/$purchaseId');
type Purchase = NonNullable<PurchaseQuery['purchase']>;

/** One purchase of the tenant, fit to be printed. */
export function PortalReceiptPage() {
  const { tenantKey, purchaseId } = route.useParams();
  const { data: purchase, error, refetch } = useQuery(purchaseQuery(purchaseId));
  if (error && purchase === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (purchase === undefined) return <PageSkeleton />;
  const back = (
    <LinkButton to="/portal/$tenantKey/receipts" params={{ tenantKey }} variant="default">
      All receipts
    </LinkButton>
  );
  if (purchase === null || purchase.tenantKey !== tenantKey) {
    return (
      <Page title="Purchase not found">
        <EmptyState icon={null} title="Purchase not found" action={back}>
          It belongs to another account, or the address is incomplete.
        </EmptyState>
      </Page>
    );
  }
  return <Receipt purchase={purchase} back={back} />;
}

function Receipt({ purchase, back }: { purchase: Purchase; back: React.ReactNode }) {
  const [asking, setAsking] = useState(false);
  const { label, status, tenantKey, renews, checkoutUrl, graceEndsAt } = purchase;
  const canStop = renews || status === 'PENDING';
  return (
    <Page
      title={label}
      marks={<PurchaseStatusDot status={status} />}
      description={purchaseStatusText(status, graceEndsAt ? formatDay(graceEndsAt) : '')}
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
              onClick={() => setAsking(true)}
            >
              {status === 'PENDING' ? 'Cancel order' : 'Cancel renewal'}
            </GatedButton>
          )}
          {checkoutUrl && (
            <Button component="a" href={new URL(checkoutUrl).pathname}>
              Go to payment
            </Button>
          )}
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
      {asking && (
        <PurchaseDialog purchase={purchase} question={{ kind: 'cancel' }} onClose={() => setAsking(false)} />
      )}
    </Page>
  );
}
