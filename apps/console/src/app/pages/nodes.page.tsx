import { Page } from '../../components/page.js';
import { NodesTable } from '../../features/nodes/components/nodes-table.js';
import { RecentPropagation } from '../../features/nodes/components/recent-propagation.js';

/** The processes that decide, how current each is, and how the last changes reached them. */
export function NodesPage() {
  return (
    <Page
      title="Nodes"
      description="Processes that decide requests. Each node applies new revisions automatically and acknowledges them."
    >
      <NodesTable />
      <RecentPropagation />
    </Page>
  );
}
