import { SegmentedControl, Select } from '@mantine/core';
import { IconShoppingBag } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
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

const route = getRouteApi('/shell/purchases');
const LISTS = [
  ['purchases', 'purchases'],
  ['invoices', 'invoices'],
  ['events', 'eventReviews'],
] as const;

/** Purchases and invoices of all tenants, and payment events that need review. */
export function PurchasesPage() {
  const t = useTranslations('purchases');
  // The router keeps search values that the route does not know.
  const { show = 'purchases', status } = parsePurchasesSearch({ ...route.useSearch() });
  const navigate = route.useNavigate();
  const go = (search: PurchasesSearch) => void navigate({ search, replace: true });
  const shown = show === 'purchases' ? {} : { show };
  return (
    <Page title={t('purchases')} description={t('purchasesHint')}>
      <Panel flush>
        <div className={classes.filters}>
          <SegmentedControl
            aria-label={t('show')}
            data={LISTS.map(([value, label]) => ({ value, label: t(label) }))}
            value={show}
            onChange={(choice) => go(choice === 'purchases' ? {} : { show: choice })}
          />
          <Select
            aria-label={t('state')}
            placeholder={t('allStates')}
            data={STATUSES_OF[show].map((value) => ({ value, label: t(value) }))}
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
  const t = useTranslations('purchases');
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
        title={t(status ? 'emptyFiltered' : 'empty')}
      >
        {t(status ? 'emptyFilteredHint' : 'emptyHint')}
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
