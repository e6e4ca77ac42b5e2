import { Alert, Group, SegmentedControl, Select, Text } from '@mantine/core';
import { IconHandStop, IconShoppingBag } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { GatedButton, MoreButton } from '../../components/buttons.js';
import { LinkAnchor } from '../../components/links.js';
import { EmptyState, MissingPage, Page, Panel, QueryFallback } from '../../components/page.js';
import { followChange } from '../../features/nodes/follow-change.js';
import {
  type AwaitedRefund,
  invoicesQuery,
  isRefunding,
  purchaseQuery,
  purchasesQuery,
} from '../../features/purchases/api.js';
import { BillingClock } from '../../features/purchases/billing-clock.js';
import { EventReviews } from '../../features/purchases/event-reviews.js';
import { InvoicesTable } from '../../features/purchases/invoices-table.js';
import {
  ProviderStopAlert,
  PurchaseDialog,
  type PurchaseQuestion,
} from '../../features/purchases/purchase-dialog.js';
import {
  MoneyTable,
  PaymentsTable,
  PurchaseEvents,
  PurchaseFacts,
  StateMachine,
} from '../../features/purchases/purchase-facts.js';
import classes from '../../features/purchases/purchases.module.css';
import {
  PurchaseStatusDot,
  PurchasesTable,
  purchaseStatusText,
} from '../../features/purchases/purchases-table.js';
import type {
  InvoiceStatus,
  PaymentEventReviewStatus,
  PurchaseQuery,
  PurchaseStatus,
} from '../../generated/graphql.js';
import { PAYMENT_PROVIDER_TEXT, PURCHASE_STATUS_TEXT } from '../../lib/labels.js';
import { formatDay } from '../../lib/time-format.js';
import { type PurchasesSearch, parsePurchasesSearch, STATUSES_OF } from '../search-params.js';

const STATUS_TEXT = {
  ...PURCHASE_STATUS_TEXT,
  ...({ OPEN: 'Open', PAID: 'Paid', VOID: 'Void' } as const),
  ...({ BOOKED: 'Booked', DISMISSED: 'Dismissed' } as const),
};

const route = getRouteApi('/shell/purchases');
const LISTS = [
  { value: 'purchases', label: 'Purchases' },
  { value: 'invoices', label: 'Invoices' },
  { value: 'events', label: 'Needs review' },
] as const;

/** Purchases and invoices of all tenants, and payment events that need review. */
export function PurchasesPage() {
  // The router keeps search values that the route does not know.
  const { show = 'purchases', status } = parsePurchasesSearch({ ...route.useSearch() });
  const navigate = route.useNavigate();
  const go = (search: PurchasesSearch) => void navigate({ search, replace: true });
  const shown = show === 'purchases' ? {} : { show };
  return (
    <Page title="Purchases" description="Customer orders, their status and payments.">
      <Panel flush>
        <div className={`tg-filters ${classes.filters}`}>
          <SegmentedControl
            aria-label="View"
            data={[...LISTS]}
            value={show}
            onChange={(choice) => go(choice === 'purchases' ? {} : { show: choice })}
          />
          <Select
            aria-label="Status"
            placeholder="Any status"
            data={STATUSES_OF[show].map((value) => ({ value, label: STATUS_TEXT[value] }))}
            value={status ?? null}
            onChange={(value) => go(value === null ? shown : { ...shown, status: value as PurchaseStatus })}
            clearable
            w={150}
          />
        </div>
        {show === 'purchases' && <Purchases status={status as PurchaseStatus | undefined} />}
        {show === 'invoices' && <Invoices status={status as InvoiceStatus | undefined} />}
        {show === 'events' && <EventReviews status={status as PaymentEventReviewStatus | undefined} />}
      </Panel>
    </Page>
  );
}

function Purchases({ status }: { status: PurchaseStatus | undefined }) {
  const list = useInfiniteQuery(purchasesQuery({ status }));
  const purchases = list.data?.nodes;
  if (!purchases) return <QueryFallback query={list} rows={5} />;
  if (purchases.length === 0) {
    return (
      <EmptyState icon={IconShoppingBag} title={status ? 'No matching purchases' : 'No purchases yet'}>
        {status
          ? 'Choose another status.'
          : 'Purchases appear here when customers order an offer in the portal.'}
      </EmptyState>
    );
  }
  return (
    <>
      <PurchasesTable
        purchases={purchases}
        withTenant
        nameOf={({ id, label }) => (
          <LinkAnchor to="/purchases/$purchaseId" params={{ purchaseId: id }}>
            {label}
          </LinkAnchor>
        )}
      />
      <MoreButton list={list} />
    </>
  );
}

function Invoices({ status }: { status: InvoiceStatus | undefined }) {
  const list = useInfiniteQuery(invoicesQuery({ status }));
  const invoices = list.data?.nodes;
  if (!invoices) return <QueryFallback query={list} rows={5} />;
  return (
    <>
      <InvoicesTable invoices={invoices} withTenant onChanged={followChange} />
      <MoreButton list={list} />
    </>
  );
}

const KIND_TEXT = { refund: 'Refund', reject: 'Reject payment', approve: 'Approve payment' } as const;

const purchaseRoute = getRouteApi('/shell/purchases/$purchaseId');
type Purchase = NonNullable<PurchaseQuery['purchase']>;
const PARENT = { label: 'Purchases', to: '/purchases' } as const;

export function PurchasePage() {
  const { purchaseId } = purchaseRoute.useParams();
  const [refund, setRefund] = useState<AwaitedRefund>();
  const query = useQuery(purchaseQuery(purchaseId, refund));
  const { data: purchase } = query;
  if (purchase === undefined) return <QueryFallback query={query} />;
  if (purchase) return <PurchaseView purchase={purchase} refund={refund} onRefunding={setRefund} />;
  return (
    <MissingPage title="Purchase not found" parent={PARENT} back="All purchases" icon={IconShoppingBag}>
      It belongs to another account, or the address is incomplete.
    </MissingPage>
  );
}

interface PurchaseViewProps {
  purchase: Purchase;
  refund: AwaitedRefund | undefined;
  onRefunding: (refund: AwaitedRefund) => void;
}

function PurchaseView({ purchase, refund, onRefunding }: PurchaseViewProps) {
  const [dialog, setDialog] = useState<PurchaseQuestion>();
  const { label, status, kind, tenantKey, offer, provider, graceEndsAt, moneyEntries, payments } = purchase;
  const until = graceEndsAt ? formatDay(graceEndsAt) : '';
  return (
    <Page
      title={label}
      parent={PARENT}
      marks={<PurchaseStatusDot status={status} />}
      description={
        <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} underline="always">
          Bought by {tenantKey}
        </LinkAnchor>
      }
      actions={<PurchaseActions purchase={purchase} onAsk={setDialog} />}
    >
      {status === 'NEEDS_REVIEW' && (
        <Alert color="ember" icon={<IconHandStop size={18} aria-hidden />}>
          {payments.length > 0
            ? 'Payment does not match the order. Needs review.'
            : `${PAYMENT_PROVIDER_TEXT[provider]} has not reported whether the payment succeeded. Check it there, then cancel the order or wait for the payment.`}
        </Alert>
      )}
      <ProviderStopAlert purchase={purchase} onRetry={() => setDialog({ kind: 'stopRetry' })} />
      <Panel title="Status" note={purchaseStatusText(status, until)}>
        <StateMachine status={status} kind={kind} />
      </Panel>
      <div className={classes.columns}>
        <Panel title="Events" note="In billing time. The status is computed from these events.">
          <PurchaseEvents purchase={purchase} />
        </Panel>
        <Panel title="Order">
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
      <Panel title="Payments" flush>
        <PaymentsTable
          purchase={purchase}
          actionsOf={(payment) =>
            payment.ref === refund?.payment && isRefunding(purchase, refund) ? (
              <Text size="sm" c="dimmed" role="status">
                Refund pending
              </Text>
            ) : (
              <PaymentActions payment={payment} onAsk={setDialog} />
            )
          }
        />
      </Panel>
      {provider === 'INVOICE' && <InvoicesOf purchase={purchase} />}
      {moneyEntries.length > 0 && (
        <Panel title="Ledger" note="The two entries of each booking sum to zero." flush>
          <MoneyTable purchase={purchase} />
        </Panel>
      )}
      <BillingClock tenantKey={tenantKey} />
      {dialog && (
        <PurchaseDialog
          purchase={purchase}
          question={dialog}
          onClose={() => setDialog(undefined)}
          onChanged={followChange}
          onRefunding={onRefunding}
        />
      )}
    </Page>
  );
}

interface AskProps {
  onAsk: (question: PurchaseQuestion) => void;
}

function PurchaseActions({ purchase, onAsk }: AskProps & { purchase: Purchase }) {
  const { status, renews, tenantKey, payments } = purchase;
  const isUnpaid = status === 'PENDING' || (status === 'NEEDS_REVIEW' && payments.length === 0);
  if (!isUnpaid && !renews) return null;
  return (
    <GatedButton
      permission="purchases:write"
      tenantKey={tenantKey}
      variant="default"
      onClick={() => onAsk({ kind: 'cancel' })}
    >
      {isUnpaid ? 'Cancel order' : 'Cancel renewal'}
    </GatedButton>
  );
}

function PaymentActions({ payment, onAsk }: AskProps & { payment: Purchase['payments'][number] }) {
  const { status, amountMinor, refundedMinor, disputedMinor } = payment;
  const needsReview = status === 'NEEDS_REVIEW';
  if (!needsReview && (status !== 'ACCEPTED' || amountMinor === refundedMinor + disputedMinor)) return null;
  const kinds = needsReview ? (['reject', 'approve'] as const) : (['refund'] as const);
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {kinds.map((kind) => (
        <GatedButton
          key={kind}
          permission="payments:write"
          variant={kind === 'approve' ? 'filled' : 'default'}
          onClick={() => onAsk({ kind, payment })}
        >
          {KIND_TEXT[kind]}
        </GatedButton>
      ))}
    </Group>
  );
}

function InvoicesOf({ purchase: { id, tenantKey } }: { purchase: Purchase }) {
  const { data } = useInfiniteQuery(invoicesQuery({ tenantKey }));
  const own = data?.nodes.filter((invoice) => invoice.purchase.id === id);
  return (
    <Panel title="Invoices" flush>
      {own && <InvoicesTable invoices={own} onChanged={followChange} />}
    </Panel>
  );
}
