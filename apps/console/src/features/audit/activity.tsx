import { useInfiniteQuery } from '@tanstack/react-query';
import { AuditLine } from '../../components/audit-line.js';
import { MoreButton } from '../../components/buttons.js';
import { EmptyText, Panel, QueryFallback } from '../../components/page.js';
import { describeChange } from '../../lib/audit-text.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import { type AuditEntryInList, tenantAuditQuery } from './api.js';
import classes from './audit.module.css';

export function Activity({ tenantKey }: { tenantKey: string }) {
  const query = useInfiniteQuery(tenantAuditQuery(tenantKey));
  const entries = query.data?.nodes;
  return (
    <Panel title="Activity" flush>
      <QueryFallback query={query} rows={3} />
      {entries?.length === 0 && (
        <EmptyText>No changes yet. Every change is listed here with its author and reason.</EmptyText>
      )}
      {entries && entries.length > 0 && (
        <ol className="tg-list" style={{ paddingBlock: 6 }}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      <MoreButton list={query} older />
    </Panel>
  );
}

function Entry({ entry }: { entry: AuditEntryInList }) {
  const change = describeChange(entry.before, entry.after);
  return (
    <li className={classes.entry}>
      <time className="tg-soft" dateTime={entry.at} title={formatMoment(entry.at)}>
        {formatAgo(entry.at)}
      </time>
      <div>
        <span style={{ fontWeight: 500 }}>{entry.actor}</span> <AuditLine entry={entry} />
        {change && <span className={classes.detail}> {change}</span>}
        {entry.reason && <div className={classes.detail}>“{entry.reason}”</div>}
      </div>
    </li>
  );
}
