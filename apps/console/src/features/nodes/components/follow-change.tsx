import { Loader } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PropagationQuery } from '../../../generated/graphql.js';
import { formatLatency } from '../../../lib/number-format.js';
import { PROPAGATION_PATIENCE_MS, propagationQuery } from '../api/propagation.js';
import classes from './nodes.module.css';

type Propagation = NonNullable<PropagationQuery['propagation']>;

const LINGER_MS = 8_000;

/** Shows in a corner, on whatever page, how a change reaches the nodes; `title` says what was changed. */
export function followChange(changeId: string, title: string): void {
  notifications.show({
    id: changeId,
    title,
    message: <ChangeProgress changeId={changeId} />,
    autoClose: false,
    withBorder: true,
    color: 'gate',
  });
}

function ChangeProgress({ changeId }: { changeId: string }) {
  const [patient, setPatient] = useState(true);
  const { data } = useQuery(propagationQuery(changeId, patient));
  const state = data?.state;
  useEffect(() => {
    if (state === 'REFUSED') return;
    const timer = setTimeout(
      () => (state === 'LIVE' ? notifications.hide(changeId) : setPatient(false)),
      state === 'LIVE' ? LINGER_MS : PROPAGATION_PATIENCE_MS,
    );
    return () => clearTimeout(timer);
  }, [state, changeId]);
  return (
    <div className={classes.follow}>
      <Headline change={data ?? undefined} patient={patient} />
      {data && data.nodes.length > 0 && (
        <ul className={classes.followNodes}>
          {data.nodes.map(({ nodeId, live, latencyMs, nack }) => (
            <li key={nodeId}>
              <span>{nodeId}</span>
              <span className="tg-number">
                {nack
                  ? `refused: ${nack.reason}`
                  : live
                    ? latencyMs == null
                      ? 'live'
                      : formatLatency(latencyMs)
                    : 'waiting'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Headline({ change, patient }: { change: Propagation | undefined; patient: boolean }) {
  if (change?.state === 'LIVE') {
    return (
      <span className={classes.followLine}>
        <IconCircleCheckFilled size={17} aria-hidden color="var(--tg-allowed)" />
        {describeLive(change)}
      </span>
    );
  }
  if (change?.state === 'REFUSED')
    return <Warning text="A node refused the new revision and keeps the one before." />;
  if (!patient) {
    const reached =
      change && change.totalNodes > 0
        ? ` It is live on ${change.liveNodes} of ${change.totalNodes} nodes.`
        : '';
    return (
      <Warning
        text={`Saved, but not live everywhere after ${PROPAGATION_PATIENCE_MS / 1_000} s.${reached} See the Nodes page.`}
      />
    );
  }
  return (
    <span className={classes.followLine}>
      <Loader size={14} />
      {change?.state === 'PUBLISHED'
        ? `Revision ${change.revision} published, live on ${change.liveNodes}/${change.totalNodes} nodes`
        : 'Saved, publishing…'}
    </span>
  );
}

function Warning({ text }: { text: string }) {
  return (
    <span className={classes.followLine}>
      <IconAlertTriangle size={17} aria-hidden color="var(--tg-refused)" style={{ flex: 'none' }} />
      {text}
    </span>
  );
}

/** `Live on 2/2 nodes, slowest 140 ms`. */
function describeLive({ liveNodes, totalNodes, slowestMs }: Propagation): string {
  if (totalNodes === 0) return 'Published; no node is running to take it';
  const slowest = slowestMs == null ? '' : `, slowest ${formatLatency(slowestMs)}`;
  return `Live on ${liveNodes}/${totalNodes} ${totalNodes === 1 ? 'node' : 'nodes'}${slowest}`;
}
