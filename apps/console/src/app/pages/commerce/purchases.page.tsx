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
import { InvoicesTable } from '../../../features/purchases/components/invoices-table.js';
import classes from '../../../features/purchases/components/purchases.module.css';
import { PurchasesTable } from '../../../features/purchases/components/purchases-table.js';
import type { InvoiceStatus, PurchaseStatus } from '../../../generated/graphql.js';
import { PURCHASE_STATUSES, type PurchasesSearch } from '../../commerce-search.js';

const route = getRouteApi('/shell/purchases');
const INVOICE_STATUSES = ['OPEN', 'PAID', 'VOID'] as const;

/** What was bought by all tenants, and the invoices for it. */
export function PurchasesPage() {
  const t = useTranslations('purchases');
  const { show, status } = route.useSearch();
  const navigate = route.useNavigate();
  const isInvoices = show === 'invoices';
  const go = (search: PurchasesSearch) => void navigate({ search, replace: true });
  const states = isInvoices ? INVOICE_STATUSES : PURCHASE_STATUSES;
  return (
    <Page title={t('purchases')} description={t('purchasesHint')}>
      <Panel flush>
        <div className={classes.filters}>
          <SegmentedControl
            aria-label={t('show')}
            data={[
              { value: 'purchases', label: t('purchases') },
              { value: 'invoices', label: t('invoices') },
            ]}
            value={isInvoices ? 'invoices' : 'purchases'}
            onChange={(choice) => go(choice === 'invoices' ? { show: 'invoices' } : {})}
          />
          <Select
            aria-label={t('state')}
            placeholder={t('allStates')}
            data={states.map((value) => ({ value, label: t(value) }))}
            value={status ?? null}
            onChange={(value) =>
              go({
                ...(isInvoices ? { show: 'invoices' as const } : {}),
                ...(value === null ? {} : { status: value as PurchaseStatus }),
              })
            }
            clearable
            w={150}
          />
        </div>
        {isInvoices ? (
          <Invoices status={status as InvoiceStatus | undefined} />
        ) : (
          <Purchases status={status as PurchaseStatus | undefined} />
        )}
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
