import { Button, Group, Loader, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconArrowBackUp, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ChangeRevertDocument, changeReversalQuery } from '../../lib/change-revert.js';
import { notifyFailure } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatLatency, formatNumber } from '../../lib/number-format.js';
import { usePermission } from '../../lib/viewer.js';
import { PROPAGATION_TIMEOUT_MS, type Propagation, propagationQuery, undoTimeQuery } from './api.js';

interface UndoChangeProps {
  changeId: string;
  /** Called with the ID of the reverting change. */
  onUndone: (changeId: string | null) => void;
}

/** Reverts a change; renders nothing if the change cannot be reverted. */
function UndoChange({ changeId, onUndone }: UndoChangeProps) {
  const { allowed } = usePermission('audit:read');
  const { data } = useQuery({ ...changeReversalQuery(changeId), enabled: allowed });
  const undo = useInputMutation(ChangeRevertDocument);
  if (data?.revertible !== true) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      style={{ alignSelf: 'flex-start' }}
      leftSection={<IconArrowBackUp size={14} aria-hidden />}
      loading={undo.isPending}
      onClick={() =>
        undo.mutate(
          { changeId },
          { onSuccess: (undone) => onUndone(undone.changeId), onError: notifyFailure('Undo failed') },
        )
      }
    >
      Undo
    </Button>
  );
}

/** Shows the propagation of a change in a notification, with an undo button while it is open; nothing without a change. */
export function followChange(changeId: string | null | undefined, title: string): void {
  if (!changeId) return;
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
  const [late, setLate] = useState(false);
  const { data } = useQuery(propagationQuery(changeId, late));
  const { data: undoMs } = useQuery(undoTimeQuery);
  const state = data?.state;
  useEffect(() => {
    if (state === 'REJECTED') return;
    const limitMs = state === 'LIVE' ? undoMs : PROPAGATION_TIMEOUT_MS;
    if (limitMs === undefined) return;
    const end = () => (state === 'LIVE' ? notifications.hide(changeId) : setLate(true));
    const timer = setTimeout(end, limitMs);
    return () => clearTimeout(timer);
  }, [state, changeId, undoMs]);
  const followUndone = (undoneBy: string | null) => {
    notifications.hide(changeId);
    followChange(undoneBy, `Undone: ${title}`);
  };
  return (
    <Stack gap={6} fz="sm">
      <Headline change={data ?? undefined} late={late} />
      {data && data.nodes.length > 0 && (
        <Stack component="ul" className="tg-list" gap={2} c="dimmed" fz="xs">
          {data.nodes.map((node) => (
            <Group component="li" key={node.nodeId} justify="space-between" gap={12} wrap="nowrap">
              <span>{node.nodeId}</span>
              <NodeState node={node} />
            </Group>
          ))}
        </Stack>
      )}
      <UndoChange changeId={changeId} onUndone={followUndone} />
    </Stack>
  );
}

function NodeState({ node: { nack, live, latencyMs } }: { node: Propagation['nodes'][number] }) {
  if (nack) return <span>rejected: {nack.reason}</span>;
  if (!live) return <span>waiting</span>;
  return <span className="tg-number">{latencyMs == null ? 'live' : formatLatency(latencyMs)}</span>;
}

function Headline({ change, late }: { change: Propagation | undefined; late: boolean }) {
  if (change?.state === 'LIVE') {
    return (
      <Line>
        <IconCircleCheckFilled size={17} aria-hidden color="var(--tg-allowed)" />
        <LiveText change={change} />
      </Line>
    );
  }
  if (change?.state === 'REJECTED')
    return <Warning text="A node rejected the new revision and keeps the previous one." />;
  if (late) {
    const seconds = PROPAGATION_TIMEOUT_MS / 1_000;
    const { liveNodes: live = 0, totalNodes: total = 0 } = change ?? {};
    const reach = total > 0 ? `live on only ${live} of ${total}` : 'not live on all';
    return <Warning text={`Saved, but ${reach} nodes after ${seconds} s. See the Nodes page.`} />;
  }
  return (
    <Line>
      <Loader size={14} />
      {change?.state === 'PUBLISHED'
        ? `Revision ${formatNumber(change.revision ?? 0)} published, live on ${change.liveNodes}/${change.totalNodes} nodes`
        : 'Saved, publishing…'}
    </Line>
  );
}

function Line({ children }: { children: ReactNode }) {
  return (
    <Group gap={8} wrap="nowrap" c="var(--tg-text)" fw={500}>
      {children}
    </Group>
  );
}

function Warning({ text }: { text: string }) {
  return (
    <Line>
      <IconAlertTriangle size={17} aria-hidden color="var(--tg-denied)" style={{ flex: 'none' }} />
      {text}
    </Line>
  );
}

/** `Live on 2/2 nodes, slowest 140 ms`. */
function LiveText({ change: { liveNodes: live, totalNodes: total, slowestMs } }: { change: Propagation }) {
  if (total === 0) return 'Published. No node is running.';
  const slowest = slowestMs == null ? '' : `, slowest ${formatLatency(slowestMs)}`;
  return `Live on ${live}/${total} ${total === 1 ? 'node' : 'nodes'}${slowest}`;
}
