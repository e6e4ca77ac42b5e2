import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Failure } from '../../../components/failure.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { type AuditEntryInList, tenantAuditQuery } from '../api/audit-entries.js';
import { describeAction, describeChange } from '../audit-text.js';
import classes from './activity.module.css';

/** What was done to a tenant: by whom, when, what changed and why. */
export function Activity({ tenantKey }: { tenantKey: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    tenantAuditQuery(tenantKey),
  );
  const entries = data?.pages.flatMap((page) => page.nodes);
  return (
    <Panel title="Activity" flush>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!entries && !error && <RowsSkeleton rows={3} />}
      {entries?.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          Nothing has been changed yet. Every change will be listed here with who made it and why.
        </Text>
      )}
      {entries && entries.length > 0 && (
        <ol className={classes.entries}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button
          variant="subtle"
          color="gray"
          m="xs"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </Panel>
  );
}

function Entry({ entry }: { entry: AuditEntryInList }) {
  const change = describeChange(entry.before, entry.after);
  return (
    <li className={classes.entry}>
      <time className={classes.when} dateTime={entry.at} title={formatMoment(entry.at)}>
        {formatAgo(entry.at)}
      </time>
      <div>
        <span style={{ fontWeight: 500 }}>{entry.actor}</span> {describeAction(entry.action)}
        {change && <span className={classes.detail}> {change}</span>}
        {entry.reason && <div className={classes.detail}>“{entry.reason}”</div>}
      </div>
    </li>
  );
}
