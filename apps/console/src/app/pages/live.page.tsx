import { Skeleton } from '@mantine/core';
import { useState } from 'react';
import { Columns, Page, Panel } from '../../components/page.js';
import { useLiveDecisions } from '../../features/live/api.js';
import { type DecisionWindow, hasDecisions, useCompleteSecond } from '../../features/live/decision-window.js';
import { DecisionsPanel } from '../../features/live/decisions-panel.js';
import { ApisNow, DeniedTenants } from '../../features/live/live-now.js';
import { ConnectionState, NoTraffic } from '../../features/live/live-panels.js';
import { NodesStrip } from '../../features/nodes/nodes-strip.js';

/** Decisions per second, most denied tenants and node status, updated every second. */
export function LivePage() {
  const { window, connection, clockOffsetMs } = useLiveDecisions();
  const [frozen, setFrozen] = useState<DecisionWindow>();
  const endSecond = useCompleteSecond(frozen !== undefined, clockOffsetMs);
  const shown = frozen ?? window;
  const busy = hasDecisions(shown);
  return (
    <Page
      title="Live"
      description="Decisions of all nodes, within two seconds."
      actions={
        <ConnectionState
          connection={connection}
          paused={frozen !== undefined}
          onPause={(paused) => setFrozen(paused ? window : undefined)}
        />
      }
    >
      <NodesStrip />
      {!busy && connection === 'connecting' && (
        <Panel>
          <Skeleton h={380} />
        </Panel>
      )}
      {!busy && connection !== 'connecting' && <NoTraffic />}
      {busy && (
        <>
          <DecisionsPanel window={shown} endSecond={endSecond} />
          <Columns first={1.55}>
            <ApisNow window={shown} endSecond={endSecond} />
            <DeniedTenants window={shown} endSecond={endSecond} />
          </Columns>
        </>
      )}
    </Page>
  );
}
