import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { AuditLine } from '../../components/audit-line.js';
import { GatedButton } from '../../components/buttons.js';
import { LinkAnchor } from '../../components/links.js';
import { EmptyText, Panel, QueryFallback } from '../../components/page.js';
import { describeChange } from '../../lib/audit-text.js';
import { permissionToRevert } from '../../lib/change-revert.js';
import { loadChunk } from '../../lib/query-client.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import { type AuditEntryInList, lastChangesQuery } from './api.js';
import classes from './audit.module.css';

// Not part of the first page.
const RevertChange = lazy(() => loadChunk(() => import('./revert-change.js')));

interface LastChangesProps {
  onReverted: (changeId: string | null, title: string) => void;
}

export function LastChanges({ onReverted }: LastChangesProps) {
  const query = useQuery(lastChangesQuery);
  const { data } = query;
  const [reverting, setReverting] = useState<AuditEntryInList>();
  return (
    <Panel
      title="Recent changes"
      actions={
        <LinkAnchor to="/audit" size="sm">
          Audit trail
        </LinkAnchor>
      }
      flush
    >
      {/* Two rows and more for each entry: the panel below does not move. */}
      <QueryFallback query={query} rows={18} />
      {data?.length === 0 && <EmptyText>No changes yet.</EmptyText>}
      <ol className="tg-list" style={{ paddingBlock: 4 }}>
        {data?.map((entry) => (
          <LastEntry key={entry.id} entry={entry} onRevert={() => setReverting(entry)} />
        ))}
      </ol>
      {reverting && (
        <Suspense fallback={null}>
          <RevertChange
            entry={reverting}
            onClose={() => setReverting(undefined)}
            onReverted={(changeId, title) => {
              setReverting(undefined);
              onReverted(changeId, title);
            }}
          />
        </Suspense>
      )}
    </Panel>
  );
}

function LastEntry({ entry, onRevert }: { entry: AuditEntryInList; onRevert: () => void }) {
  const change = describeChange(entry.before, entry.after);
  const permission = permissionToRevert(entry);
  return (
    <li className={classes.lastEntry}>
      <span style={{ fontWeight: 500 }}>{entry.actor}</span> <AuditLine entry={entry} />
      {change && (
        <Text size="xs" c="dimmed" lineClamp={1}>
          {change}
        </Text>
      )}
      <Group justify="space-between" mih={22}>
        <Text size="xs" c="dimmed" component="time" dateTime={entry.at} title={formatMoment(entry.at)}>
          {formatAgo(entry.at)}
        </Text>
        {permission && (
          <GatedButton
            permission={permission}
            variant="subtle"
            color="gray"
            size="compact-xs"
            mr={-8}
            onClick={onRevert}
          >
            Revert
          </GatedButton>
        )}
      </Group>
    </li>
  );
}
