import { Loader } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { PropagationQuery } from '../../../generated/graphql.js';
import { formatLatency } from '../../../lib/number-format.js';
import { PROPAGATION_PATIENCE_MS, propagationQuery } from '../api/propagation.js';
import classes from './nodes.module.css';
import { UNDO_MS, UndoChange } from './undo-change.js';

type Propagation = NonNullable<PropagationQuery['propagation']>;

/**
 * Shows in a corner, on whatever page, how a change reaches the nodes, and takes it back on request for half a minute;
 * `title` says what was changed.
 */
export function followChange(changeId: string, title: string): void {
  notifications.show({
    id: changeId,
    title,
    message: <ChangeProgress changeId={changeId} title={title} />,
    autoClose: false,
    withBorder: true,
    color: 'gate',
  });
}

function ChangeProgress({ changeId, title }: { changeId: string; title: string }) {
  const t = useTranslations('nodes');
  const [patient, setPatient] = useState(true);
  const { data } = useQuery(propagationQuery(changeId, patient));
  const state = data?.state;
  useEffect(() => {
    if (state === 'REFUSED') return;
    const timer = setTimeout(
      () => (state === 'LIVE' ? notifications.hide(changeId) : setPatient(false)),
      state === 'LIVE' ? UNDO_MS : PROPAGATION_PATIENCE_MS,
    );
    return () => clearTimeout(timer);
  }, [state, changeId]);
  const followUndone = (undoneBy: string | null) => {
    notifications.hide(changeId);
    if (undoneBy !== null) followChange(undoneBy, t('undone', { title }));
  };
  return (
    <div className={classes.follow}>
      <Headline change={data ?? undefined} patient={patient} />
      {data && data.nodes.length > 0 && (
        <ul className={classes.followNodes}>
          {data.nodes.map((node) => (
            <li key={node.nodeId}>
              <span>{node.nodeId}</span>
              <NodeState node={node} />
            </li>
          ))}
        </ul>
      )}
      <UndoChange changeId={changeId} onUndone={followUndone} />
    </div>
  );
}

function NodeState({ node: { nack, live, latencyMs } }: { node: Propagation['nodes'][number] }) {
  const t = useTranslations('nodes');
  if (nack) return <span>{t('nodeNack', { reason: nack.reason })}</span>;
  if (!live) return <span>{t('nodeWaiting')}</span>;
  return <span className="tg-number">{latencyMs == null ? t('nodeLive') : formatLatency(latencyMs)}</span>;
}

function Headline({ change, patient }: { change: Propagation | undefined; patient: boolean }) {
  const t = useTranslations('nodes');
  if (change?.state === 'LIVE') {
    return (
      <span className={classes.followLine}>
        <IconCircleCheckFilled size={17} aria-hidden color="var(--tg-allowed)" />
        <LiveText change={change} />
      </span>
    );
  }
  if (change?.state === 'REFUSED') return <Warning text={t('nodeRefused')} />;
  if (!patient) {
    const seconds = PROPAGATION_PATIENCE_MS / 1_000;
    const { liveNodes: live = 0, totalNodes: total = 0 } = change ?? {};
    return <Warning text={total > 0 ? t('lateOn', { seconds, live, total }) : t('late', { seconds })} />;
  }
  return (
    <span className={classes.followLine}>
      <Loader size={14} />
      {change?.state === 'PUBLISHED'
        ? t('published', {
            revision: change.revision ?? 0,
            live: change.liveNodes,
            total: change.totalNodes,
          })
        : t('saved')}
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
function LiveText({ change: { liveNodes: live, totalNodes: total, slowestMs } }: { change: Propagation }) {
  const t = useTranslations('nodes');
  if (total === 0) return t('liveNowhere');
  if (slowestMs == null) return t('liveOn', { live, total });
  return t('liveOnSlowest', { live, total, slowest: formatLatency(slowestMs) });
}
