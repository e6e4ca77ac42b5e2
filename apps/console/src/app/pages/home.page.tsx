import { Page } from '../../components/page.js';
import { LastChanges } from '../../features/audit/components/last-changes.js';
import { RunningOutBoard } from '../../features/forecast/components/running-out-board.js';
import { useLiveDecisions } from '../../features/live/api/live-decisions.js';
import { ApiRates } from '../../features/live/components/api-rates.js';
import { LimitedNow } from '../../features/live/components/limited-now.js';
import { useSettledSecond } from '../../features/live/settled-second.js';
import { followChange } from '../../features/nodes/components/follow-change.js';
import { NodesStrip } from '../../features/nodes/components/nodes-strip.js';
import { usePermission } from '../../lib/viewer.js';
import classes from './home.module.css';

/** Four answers: is everything live, who is limited now, who will be within the day, what changed last. */
export function HomePage() {
  const { window, connection, clockOffsetMs } = useLiveDecisions();
  const endSecond = useSettledSecond(false, clockOffsetMs);
  const live = { window, endSecond, connecting: connection === 'connecting' };
  const readsTrail = usePermission('audit:read').allowed;
  const follow = (changeId: string | null, title: string) => {
    if (changeId !== null) followChange(changeId, title);
  };
  return (
    <Page title="Home">
      <NodesStrip />
      <div className={classes.columns}>
        <div className={classes.column}>
          <LimitedNow {...live} />
          <RunningOutBoard onStarted={follow} />
          <ApiRates {...live} />
        </div>
        {readsTrail && <LastChanges onReverted={follow} />}
      </div>
    </Page>
  );
}
