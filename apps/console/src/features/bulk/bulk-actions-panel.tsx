import { Button, Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { StateDot } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatAgo } from '../../lib/time-format.js';
import {
  BulkActionCancelDocument,
  type BulkActionInList,
  BulkActionUndoDocument,
  bulkActionsQuery,
  bulkFailuresQuery,
} from './api.js';
import classes from './bulk.module.css';

const BULK_ACTION_STATUS_TEXT = {
  CANCELED: 'Canceled',
  DONE: 'Done',
  QUEUED: 'Queued',
  RUNNING: 'Running',
} as const;

/** How long finished actions are shown. */
const SHOWN_MS = 3_600_000;

/** Running and recent bulk actions with progress and failures; renders nothing without any. */
export function BulkActionsPanel() {
  const queryClient = useQueryClient();
  const { data } = useQuery(bulkActionsQuery);
  const ended = data?.filter(({ finishedAt }) => finishedAt).length ?? 0;
  // The result is visible in the list below.
  useEffect(() => {
    if (ended > 0) void queryClient.invalidateQueries({ queryKey: ['tenants'] });
  }, [ended, queryClient]);
  const shown = data?.filter(
    ({ finishedAt }) => !finishedAt || Date.parse(finishedAt) > Date.now() - SHOWN_MS,
  );
  if (!shown || shown.length === 0) return null;
  return (
    <Panel title="Bulk actions" flush>
      <ul className="tg-list">
        {shown.map((action) => (
          <Action key={action.id} action={action} />
        ))}
      </ul>
    </Panel>
  );
}

function Action({ action }: { action: BulkActionInList }) {
  const [open, setOpen] = useState(false);
  const cancel = useInputMutation(BulkActionCancelDocument, bulkActionsQuery.queryKey);
  const undo = useInputMutation(BulkActionUndoDocument, bulkActionsQuery.queryKey);
  const error = cancel.error ?? undo.error;
  const { id, kind, status, input, reason, startedBy, createdAt, revertedById, stoppedBecause } = action;
  const { total, pending, done, failed, canceled } = action.progress;
  const running = status === 'QUEUED' || status === 'RUNNING';
  const name = {
    BOOST: 'Boost',
    OVERRIDE: 'Override',
    RESUME: 'Resume',
    SUSPEND: 'Suspend',
    TIER_CHANGE: `Move to tier ${String(input.tierKey ?? '')}`,
    UNDO: 'Undo',
  }[kind];
  return (
    <li className={classes.action}>
      <div className={classes.line}>
        <strong>{name}</strong>
        <StateDot tone={running ? 'warn' : failed > 0 || canceled > 0 ? 'bad' : 'good'} pulse={running}>
          {BULK_ACTION_STATUS_TEXT[status]}
          {revertedById && `, undone`}
        </StateDot>
        <span role="status" className="tg-number">
          {running
            ? `${String(done)} done, ${String(failed)} failed, ${String(pending)} pending`
            : `${String(done)} done, ${String(failed)} failed${canceled === 0 ? '' : `, ${formatNumber(canceled)} canceled`}`}
        </span>
        <span className={classes.buttons}>
          {failed > 0 && (
            <Button variant="subtle" size="compact-sm" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Hide failures' : 'Show failures'}
            </Button>
          )}
          {running && (
            <GatedButton
              permission="bulk-actions:write"
              variant="default"
              size="compact-sm"
              onClick={() => cancel.mutate({ id, reason: '' })}
            >
              Stop
            </GatedButton>
          )}
          {!running && kind !== 'UNDO' && !revertedById && done > 0 && (
            <GatedButton
              permission="bulk-actions:write"
              variant="default"
              size="compact-sm"
              onClick={() => undo.mutate({ id, reason: 'Undone after review' })}
            >
              Undo
            </GatedButton>
          )}
        </span>
      </div>
      <Progress.Root size={5} my={6}>
        <Progress.Section value={(done / total) * 100} color="gate" aria-label={name} />
        <Progress.Section value={(failed / total) * 100} color="ember" aria-hidden />
      </Progress.Root>
      <Text size="xs" c="dimmed">
        {startedBy}, {formatAgo(createdAt)}: “{reason}” {stoppedBecause}
      </Text>
      {error && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {error.message}
        </Text>
      )}
      {open && <Failures id={id} />}
    </li>
  );
}

function Failures({ id }: { id: string }) {
  const { data } = useQuery(bulkFailuresQuery(id));
  return (
    <ul className={classes.failures}>
      {data?.map(({ tenantKey, error }) => (
        <li key={tenantKey}>
          {tenantKey}: {error ?? ''}
        </li>
      ))}
    </ul>
  );
}
