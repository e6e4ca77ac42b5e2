import { IconInfinity } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { MoreButton } from '../../../components/more-button.js';
import { Page, Panel, RowsSkeleton } from '../../../components/page.js';
import type { PortalTenant } from '../../../features/portal/api/portal-tenant.js';
import { quotaRequestsQuery } from '../../../features/quota-requests/api/quota-requests.js';
import { OwnRequests } from '../../../features/quota-requests/components/own-requests.js';
import { type AskableLimit, RequestForm } from '../../../features/quota-requests/components/request-form.js';
import { formatAmount } from '../../../lib/limit-amount.js';
import { ruleOf } from '../../../lib/limit-rule.js';
import { WithTenant } from './with-tenant.js';

/** Asks for what no offer covers. */
export function PortalRequestsPage() {
  return (
    <WithTenant>
      {(tenant) => (
        <Page
          title="Request more"
          description="Need more than our plans offer? We review your request and email you."
        >
          <Panel>
            {tenant.effectiveLimits.length === 0 ? (
              <EmptyState icon={<IconInfinity size={30} stroke={1.5} aria-hidden />} title="No limits">
                You have no limits to raise.
              </EmptyState>
            ) : (
              <RequestForm
                tenantKey={tenant.key}
                limits={tenant.effectiveLimits.toSorted(byUse).map(askable)}
              />
            )}
          </Panel>
          <Own tenantKey={tenant.key} />
        </Page>
      )}
    </WithTenant>
  );
}

function Own({ tenantKey }: { tenantKey: string }) {
  const list = useInfiniteQuery(quotaRequestsQuery({ tenantKey }));
  const requests = list.data?.pages.flatMap(({ nodes }) => nodes);
  return (
    <Panel title="Your requests" flush>
      {!requests &&
        (list.error ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <RowsSkeleton rows={2} />
        ))}
      {requests && <OwnRequests requests={requests} />}
      <MoreButton list={list} />
    </Panel>
  );
}

function askable({ limit: { policy } }: PortalTenant['effectiveLimits'][number]): AskableLimit {
  const { api, name, limit } = policy;
  const amount = formatAmount(ruleOf(policy));
  return {
    apiKey: api,
    limitName: name,
    amount,
    limit,
    windowMs: 'windowMs' in policy ? policy.windowMs : undefined,
  };
}

/** What is nearest its end comes first: it is what more is asked of. */
function byUse(a: PortalTenant['effectiveLimits'][number], b: typeof a): number {
  const share = ({ live }: typeof a) => (live ? live.used / Math.max(1, live.used + live.remaining) : -1);
  return share(b) - share(a);
}
