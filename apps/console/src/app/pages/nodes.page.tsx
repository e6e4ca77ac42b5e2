import { useTranslations } from 'use-intl';
import { Page } from '../../components/page.js';
import { NodesTable } from '../../features/nodes/components/nodes-table.js';
import { RecentPropagation } from '../../features/nodes/components/recent-propagation.js';

/** The processes that decide, how current each is, and how the last changes reached them. */
export function NodesPage() {
  const t = useTranslations('pages');
  return (
    <Page title={t('nodes')} description={t('nodesHint')}>
      <NodesTable />
      <RecentPropagation />
    </Page>
  );
}
