import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { LinkButton } from '../../../components/link.js';
import { Page, PageSkeleton, Panel } from '../../../components/page.js';
import { purchaseQuery } from '../../../features/purchases/api/purchases.js';
import { PurchaseDialog } from '../../../features/purchases/components/purchase-dialog.js';
import { PurchaseEvents } from '../../../features/purchases/components/purchase-events.js';
import { PaymentsTable, PurchaseFacts } from '../../../features/purchases/components/purchase-facts.js';
import { PurchaseStatusDot } from '../../../features/purchases/components/purchase-status.js';
import classes from '../../../features/purchases/components/purchases.module.css';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { formatDay } from '../../../lib/time-format.js';

const route = getRouteApi('/portal/$tenantKey/receipts/$purchaseId');
type Purchase = NonNullable<PurchaseQuery['purchase']>;

/** One purchase of the tenant, fit to be printed. */
export function PortalReceiptPage() {
  const t = useTranslations('purchases');
  const { tenantKey, purchaseId } = route.useParams();
  const { data: purchase, error, refetch } = useQuery(purchaseQuery(purchaseId));
  if (error && purchase === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (purchase === undefined) return <PageSkeleton />;
  const back = (
    <LinkButton to="/portal/$tenantKey/receipts" params={{ tenantKey }} variant="default">
      {t('toReceipts')}
    </LinkButton>
  );
  if (purchase === null || purchase.tenantKey !== tenantKey) {
    return (
      <Page title={t('noSuch')}>
        <EmptyState icon={null} title={t('noSuch')} action={back}>
          {t('noSuchHint')}
        </EmptyState>
      </Page>
    );
  }
  return <Receipt purchase={purchase} back={back} />;
}

function Receipt({ purchase, back }: { purchase: Purchase; back: React.ReactNode }) {
  const t = useTranslations('purchases');
  const [asking, setAsking] = useState(false);
  const { label, status, tenantKey, renews, checkoutUrl, graceEndsAt } = purchase;
  const canStop = renews || status === 'PENDING';
  return (
    <Page
      title={label}
      marks={<PurchaseStatusDot status={status} />}
      description={t(`${status}_means`, { until: graceEndsAt ? formatDay(graceEndsAt) : '' })}
      actions={
        <>
          {back}
          <Button
            variant="default"
            leftSection={<IconPrinter size={15} aria-hidden />}
            onClick={() => window.print()}
          >
            {t('print')}
          </Button>
          {canStop && (
            <GatedButton
              permission="purchases:write"
              tenantKey={tenantKey}
              variant="default"
              onClick={() => setAsking(true)}
            >
              {t(status === 'PENDING' ? 'giveUp' : 'cancel')}
            </GatedButton>
          )}
          {checkoutUrl && (
            <Button component="a" href={new URL(checkoutUrl).pathname}>
              {t('payNow')}
            </Button>
          )}
        </>
      }
    >
      <div className={classes.columns}>
        <Panel title={t('facts')}>
          <PurchaseFacts purchase={purchase} offer={purchase.offer.name} />
        </Panel>
        <Panel title={t('events')}>
          <PurchaseEvents purchase={purchase} />
        </Panel>
      </div>
      <Panel title={t('payments')} flush>
        <PaymentsTable purchase={purchase} />
      </Panel>
      {asking && (
        <PurchaseDialog purchase={purchase} question={{ kind: 'cancel' }} onClose={() => setAsking(false)} />
      )}
    </Page>
  );
}
