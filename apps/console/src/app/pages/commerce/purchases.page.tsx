import { SegmentedControl, Select } from '@mantine/core';
import { IconShoppingBag } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { LinkAnchor } from '../../../components/link.js';
import { MoreButton } from '../../../components/more-button.js';
import { Page, Panel, RowsSkeleton } from '../../../components/page.js';
import { followChange } from '../../../features/nodes/components/follow-change.js';
import { invoicesQuery } from '../../../features/purchases/api/invoices.js';
import { purchasesQuery } from '../../../features/purchases/api/purchases.js';
import { EventReviews } from '../../../features/purchases/components/event-reviews.js';
import { InvoicesTable } from '../../../features/purchases/components/invoices-table.js';
import classes from '../../../features/purchases/components/purchases.module.css';
import { PurchasesTable } from '../../../features/purchases/components/purchases-table.js';
import type { InvoiceStatus, PaymentEventReviewStatus, PurchaseStatus } from '../../../generated/graphql.js';
import { type PurchasesSearch, parsePurchasesSearch, STATUSES_OF } from '../../commerce-search.js';

const STATUS_TEXT = {
  ACTIVE: 'Active',
  BOOKED: 'Booked',
  DISMISSED: 'Dismissed',
  DISPUTED: 'Disputed',
  ENDED: 'Ended',
  EXPIRED: 'Expired',
  GRACE: 'Past due',
  HELD: 'Needs review',
  OPEN: 'Open',
  PAID: 'Paid',
  PENDING: 'Pending',
  REFUNDED: 'Refunded',
  REJECTED: 'Rejected',
  VOID: 'Void',
} as const;

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
        <div className={classes.filters}>
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
  const purchases = list.data?.pages.flatMap(({ nodes }) => nodes);
  if (!purchases) {
    return list.error ? (
      <Failure error={list.error} onRetry={() => void list.refetch()} />
    ) : (
      <RowsSkeleton rows={5} />
    );
  }
  if (purchases.length === 0) {
    return (
      <EmptyState
        icon={<IconShoppingBag size={30} stroke={1.5} aria-hidden />}
        title={status ? 'No matching purchases' : 'No purchases yet'}
      >
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
  const invoices = list.data?.pages.flatMap(({ nodes }) => nodes);
  if (!invoices) {
    return list.error ? (
      <Failure error={list.error} onRetry={() => void list.refetch()} />
    ) : (
      <RowsSkeleton rows={5} />
    );
  }
  return (
    <>
      <InvoicesTable invoices={invoices} withTenant onChanged={followChange} />
      <MoreButton list={list} />
    </>
  );
}
