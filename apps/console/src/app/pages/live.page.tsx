import { Skeleton } from '@mantine/core';
import { useState } from 'react';
import { Page, Panel } from '../../components/page.js';
import { useLiveDecisions } from '../../features/live/api/live-decisions.js';
import { ApisNow } from '../../features/live/components/apis-now.js';
import { ConnectionState } from '../../features/live/components/connection-state.js';
import { DecisionsPanel } from '../../features/live/components/decisions-panel.js';
import classes from '../../features/live/components/live.module.css';
import { NoTraffic } from '../../features/live/components/no-traffic.js';
import { RefusedMost } from '../../features/live/components/refused-most.js';
import { type DecisionWindow, hasDecisions } from '../../features/live/decision-window.js';
import { useSettledSecond } from '../../features/live/settled-second.js';
import { NodesStrip } from '../../features/nodes/components/nodes-strip.js';

/** What happens right now: decisions per second, who is refused, which nodes enforce what. */
export function LivePage() {
  const { window, connection, clockOffsetMs } = useLiveDecisions();
  const [frozen, setFrozen] = useState<DecisionWindow>();
  const endSecond = useSettledSecond(frozen !== undefined, clockOffsetMs);
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
          <div className={classes.columns}>
            <ApisNow window={shown} endSecond={endSecond} />
            <RefusedMost window={shown} endSecond={endSecond} />
          </div>
        </>
      )}
    </Page>
  );
}
