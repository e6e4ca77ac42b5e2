import { Stack } from '@mantine/core';
import { Columns, Page } from '../../components/page.js';
import { LastChanges } from '../../features/audit/last-changes.js';
import { RunningOutBoard } from '../../features/forecast/running-out-board.js';
import { useLiveDecisions } from '../../features/live/api.js';
import { useCompleteSecond } from '../../features/live/decision-window.js';
import { ApiRates, DeniedTenants } from '../../features/live/live-now.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { NodesStrip } from '../../features/nodes/nodes-strip.js';
import { usePermission } from '../../lib/viewer.js';

/** Node status, tenants that are rate limited now, quotas that run out soon and recent changes. */
export function HomePage() {
  const { window, connection, clockOffsetMs } = useLiveDecisions();
  const endSecond = useCompleteSecond(false, clockOffsetMs);
  const live = { window, endSecond, connecting: connection === 'connecting' };
  const readsTrail = usePermission('audit:read').allowed;
  return (
    <Page title="Home">
      <NodesStrip />
      <Columns first={1.7}>
        <Stack gap={24}>
          <DeniedTenants {...live} title="Rate limited now" note="denied in the last minute" most={6} />
          <RunningOutBoard onStarted={followChange} />
          <ApiRates {...live} />
        </Stack>
        {readsTrail && <LastChanges onReverted={followChange} />}
      </Columns>
    </Page>
  );
}
