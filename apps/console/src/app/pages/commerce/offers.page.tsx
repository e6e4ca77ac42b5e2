import { IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { LinkButton } from '../../../components/link.js';
import { Page, Panel, RowsSkeleton } from '../../../components/page.js';
import { offersQuery } from '../../../features/offers/api/offers.js';
import { OffersTable } from '../../../features/offers/components/offers-table.js';

/** What customers can buy. */
export function OffersPage() {
  const t = useTranslations('offers');
  const { data: offers, error, refetch } = useQuery(offersQuery);
  const create = <LinkButton to="/offers/new">{t('create')}</LinkButton>;
  return (
    <Page title={t('offers')} description={t('offersHint')} actions={create}>
      <Panel flush>
        {offers === undefined &&
          (error ? <Failure error={error} onRetry={() => void refetch()} /> : <RowsSkeleton rows={4} />)}
        {offers?.length === 0 && (
          <EmptyState
            icon={<IconTag size={30} stroke={1.5} aria-hidden />}
            title={t('empty')}
            action={create}
          >
            {t('emptyHint')}
          </EmptyState>
        )}
        {offers && offers.length > 0 && <OffersTable offers={offers} />}
      </Panel>
    </Page>
  );
}
