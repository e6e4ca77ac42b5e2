import { Alert, Group } from '@mantine/core';
import { IconHandStop, IconShoppingBag } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { LinkAnchor, LinkButton } from '../../../components/link.js';
import { Page, PageSkeleton, Panel } from '../../../components/page.js';
import { followChange } from '../../../features/nodes/components/follow-change.js';
import { invoicesQuery } from '../../../features/purchases/api/invoices.js';
import { purchaseQuery } from '../../../features/purchases/api/purchases.js';
import { BillingClock } from '../../../features/purchases/components/billing-clock.js';
import { InvoicesTable } from '../../../features/purchases/components/invoices-table.js';
import { ProviderStopAlert } from '../../../features/purchases/components/provider-stop.js';
import {
  PurchaseDialog,
  type PurchaseQuestion,
} from '../../../features/purchases/components/purchase-dialog.js';
import { PurchaseEvents } from '../../../features/purchases/components/purchase-events.js';
import {
  MoneyTable,
  PaymentsTable,
  PurchaseFacts,
} from '../../../features/purchases/components/purchase-facts.js';
import { PurchaseStatusDot } from '../../../features/purchases/components/purchase-status.js';
import classes from '../../../features/purchases/components/purchases.module.css';
import { StateMachine } from '../../../features/purchases/components/state-machine.js';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { formatDay } from '../../../lib/time-format.js';

const route = getRouteApi('/shell/purchases/$purchaseId');
type Purchase = NonNullable<PurchaseQuery['purchase']>;

/** One purchase: how it stands, what happened to it, and what can be done. */
export function PurchasePage() {
  const t = useTranslations('purchases');
  const { purchaseId } = route.useParams();
  const { data: purchase, error, refetch } = useQuery(purchaseQuery(purchaseId));
  if (error && purchase === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (purchase === undefined) return <PageSkeleton />;
  return purchase === null ? <NoSuchPurchase /> : <PurchaseView purchase={purchase} title={t('purchases')} />;
}

function PurchaseView({ purchase, title }: { purchase: Purchase; title: string }) {
  const t = useTranslations('purchases');
  const [asking, setAsking] = useState<PurchaseQuestion>();
  const { label, status, kind, tenantKey, offer, provider, graceEndsAt, moneyEntries } = purchase;
  const until = graceEndsAt ? formatDay(graceEndsAt) : '';
  return (
    <Page
      title={label}
      parent={{ label: title, to: '/purchases' }}
      marks={<PurchaseStatusDot status={status} />}
      description={
        <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} underline="always">
          {t('boughtBy', { tenant: tenantKey })}
        </LinkAnchor>
      }
      actions={<PurchaseActions purchase={purchase} onAsk={setAsking} />}
    >
      {status === 'HELD' && (
        <Alert color="ember" icon={<IconHandStop size={18} aria-hidden />}>
          {t('HELD_means')}
        </Alert>
      )}
      <ProviderStopAlert purchase={purchase} onRetry={() => setAsking({ kind: 'stopRetry' })} />
      <Panel title={t('howItStands')} note={t(`${status}_means`, { until })}>
        <StateMachine status={status} kind={kind} />
      </Panel>
      <div className={classes.columns}>
        <Panel title={t('events')} note={t('eventsHint')}>
          <PurchaseEvents purchase={purchase} />
        </Panel>
        <Panel title={t('facts')}>
          <PurchaseFacts
            purchase={purchase}
            offer={
              <LinkAnchor to="/offers/$offerKey" params={{ offerKey: offer.key }}>
                {offer.name}
              </LinkAnchor>
            }
          />
        </Panel>
      </div>
      <Panel title={t('payments')} flush>
        <PaymentsTable
          purchase={purchase}
          actionsOf={(payment) => <PaymentActions payment={payment} onAsk={setAsking} />}
        />
      </Panel>
      {provider === 'INVOICE' && <InvoicesOf purchase={purchase} />}
      {moneyEntries.length > 0 && (
        <Panel title={t('money')} note={t('moneyHint')} flush>
          <MoneyTable purchase={purchase} />
        </Panel>
      )}
      <BillingClock tenantKey={tenantKey} timeZone="UTC" />
      {asking && (
        <PurchaseDialog
          purchase={purchase}
          question={asking}
          onClose={() => setAsking(undefined)}
          onChanged={followChange}
        />
      )}
    </Page>
  );
}

interface AskProps {
  onAsk: (question: PurchaseQuestion) => void;
}

function PurchaseActions({ purchase, onAsk }: AskProps & { purchase: Purchase }) {
  const t = useTranslations('purchases');
  const { status, renews, tenantKey } = purchase;
  if (status !== 'PENDING' && !renews) return null;
  return (
    <GatedButton
      permission="purchases:write"
      tenantKey={tenantKey}
      variant="default"
      onClick={() => onAsk({ kind: 'cancel' })}
    >
      {t(status === 'PENDING' ? 'giveUp' : 'cancel')}
    </GatedButton>
  );
}

function PaymentActions({ payment, onAsk }: AskProps & { payment: Purchase['payments'][number] }) {
  const t = useTranslations('purchases');
  const { standing, amountMinor, refundedMinor, disputedMinor } = payment;
  const isHeld = standing === 'HELD';
  if (!isHeld && (standing !== 'ACCEPTED' || amountMinor === refundedMinor + disputedMinor)) return null;
  const kinds = isHeld ? (['reject', 'release'] as const) : (['refund'] as const);
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {kinds.map((kind) => (
        <GatedButton
          key={kind}
          permission="payments:write"
          variant={kind === 'release' ? 'filled' : 'default'}
          onClick={() => onAsk({ kind, payment })}
        >
          {t(kind)}
        </GatedButton>
      ))}
    </Group>
  );
}

function InvoicesOf({ purchase: { id, tenantKey } }: { purchase: Purchase }) {
  const t = useTranslations('purchases');
  const { data } = useInfiniteQuery(invoicesQuery({ tenantKey }));
  const own = data?.pages.flatMap(({ nodes }) => nodes).filter((invoice) => invoice.purchase.id === id);
  return (
    <Panel title={t('invoices')} flush>
      {own && <InvoicesTable invoices={own} onChanged={followChange} />}
    </Panel>
  );
}

function NoSuchPurchase() {
  const t = useTranslations('purchases');
  return (
    <Page title={t('noSuch')} parent={{ label: t('purchases'), to: '/purchases' }}>
      <EmptyState
        icon={<IconShoppingBag size={30} stroke={1.5} aria-hidden />}
        title={t('noSuch')}
        action={
          <LinkButton to="/purchases" variant="default">
            {t('all')}
          </LinkButton>
        }
      >
        {t('noSuchHint')}
      </EmptyState>
    </Page>
  );
}
