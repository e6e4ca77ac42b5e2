import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Columns, Page } from '../../components/page.js';
import { LastChanges } from '../../features/audit/last-changes.js';
import { NoTraffic } from '../../features/live/live-panels.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { NodesStrip } from '../../features/nodes/nodes-strip.js';
import { RevenuePanel } from '../../features/purchases/revenue-panel.js';
import { TenantBoardPanel } from '../../features/tenants/tenant-board.js';
import { TrafficAttention, TrafficBoard, TrafficControls } from '../../features/usage/traffic-board.js';
import { parseTrafficView, type TrafficView } from '../../features/usage/usage-view.js';
import { usePermission } from '../../lib/viewer.js';

const route = getRouteApi('/shell/');

/** Traffic of all tenants, what needs attention, tenants by utilization and recent changes. */
export function HomePage() {
  const view = parseTrafficView({ ...route.useSearch() });
  const navigate = route.useNavigate();
  const onView = (search: TrafficView) => void navigate({ search, replace: true });
  const readsTrail = usePermission('audit:read').allowed;
  const readsPurchases = usePermission('purchases:read').allowed;
  return (
    <Page title="Home" description={<NodesStrip />} actions={<TrafficControls {...{ view, onView }} />}>
      <TrafficAttention view={view} />
      <Columns first={2.6}>
        <Stack gap={16}>
          <TrafficBoard {...{ view, onView }} empty={<NoTraffic />} />
          <TenantBoardPanel onStarted={followChange} />
        </Stack>
        <Stack gap={16}>
          {readsTrail && <LastChanges onReverted={followChange} />}
          {readsPurchases && <RevenuePanel />}
        </Stack>
      </Columns>
    </Page>
  );
}
