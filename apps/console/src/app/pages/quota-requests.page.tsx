import { SegmentedControl } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { MoreButton } from '../../components/buttons.js';
import { EmptyState, Page, Panel, QueryFallback } from '../../components/page.js';
import { followChange } from '../../features/nodes/follow-change.js';
import classes from '../../features/purchases/purchases.module.css';
import { quotaRequestsQuery } from '../../features/quota-requests/api.js';
import { RequestsInbox } from '../../features/quota-requests/requests-inbox.js';
import type { RequestsSearch } from '../search-params.js';

const STATUS_TEXT = {
  APPROVED: 'Approved',
  COUNTERED: 'Countered',
  DECLINED: 'Declined',
  OPEN: 'Open',
  all: 'All',
} as const;

const route = getRouteApi('/shell/quota-requests');
const CHOICES = ['OPEN', 'COUNTERED', 'APPROVED', 'DECLINED', 'all'] as const;

export function QuotaRequestsPage() {
  const { status = 'OPEN' } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(quotaRequestsQuery({ status: status === 'all' ? undefined : status }));
  const requests = list.data?.nodes;
  return (
    <Page title="Requests" description="Customer requests for higher limits, next to their actual usage.">
      <Panel flush>
        <div className={`tg-filters ${classes.filters}`}>
          <SegmentedControl
            aria-label="Status"
            styles={{ label: { paddingInline: 8 } }}
            data={CHOICES.map((value) => ({ value, label: STATUS_TEXT[value] }))}
            value={status}
            onChange={(value) =>
              void navigate({
                search: value === 'OPEN' ? {} : { status: value as NonNullable<RequestsSearch['status']> },
                replace: true,
              })
            }
          />
        </div>
        <QueryFallback query={list} rows={5} />
        {requests?.length === 0 && (
          <EmptyState
            icon={IconInbox}
            title={status === 'OPEN' ? 'No open requests' : 'No matching requests'}
          >
            {status === 'OPEN'
              ? 'Customers request higher limits in their portal. Requests appear here with the customer’s peak usage.'
              : 'Choose another status.'}
          </EmptyState>
        )}
        {requests && requests.length > 0 && <RequestsInbox requests={requests} onChanged={followChange} />}
        <MoreButton list={list} />
      </Panel>
    </Page>
  );
}
