import { Page } from '../../components/page.js';
import { NodesTable } from '../../features/nodes/components/nodes-table.js';

/** The processes that decide, and how current each is. */
export function NodesPage() {
  return (
    <Page
      title="Nodes"
      description="Processes that decide requests. Each takes a new revision by itself and says when."
    >
      <NodesTable />
    </Page>
  );
}
