import { IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { LinkButton } from '../../../components/link.js';
import { Page, Panel, RowsSkeleton } from '../../../components/page.js';
import { offersQuery } from '../../../features/offers/api/offers.js';
import { OffersTable } from '../../../features/offers/components/offers-table.js';

/** What customers can buy. */
export function OffersPage() {
  const { data: offers, error, refetch } = useQuery(offersQuery);
  const create = <LinkButton to="/offers/new">Create offer</LinkButton>;
  return (
    <Page
      title="Offers"
      description="Upgrades and top-ups that customers can buy. Upgrades renew; top-ups are used once and expire."
      actions={create}
    >
      <Panel flush>
        {offers === undefined &&
          (error ? <Failure error={error} onRetry={() => void refetch()} /> : <RowsSkeleton rows={4} />)}
        {offers?.length === 0 && (
          <EmptyState
            icon={<IconTag size={30} stroke={1.5} aria-hidden />}
            title="No offers yet"
            action={create}
          >
            An upgrade raises limits while it is paid for. A top-up adds to them once and expires. Customers
            buy both in their portal.
          </EmptyState>
        )}
        {offers && offers.length > 0 && <OffersTable offers={offers} />}
      </Panel>
    </Page>
  );
}
