import { Text } from '@mantine/core';
import { LinkAnchor } from '../../../components/links.js';
import { type DotTone, StateDot } from '../../../components/marks.js';
import { readFields } from '../../../lib/audit-text.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import type { NoticeInList } from '../api/notices.js';
import classes from './notices.module.css';

const TONES: Record<NoticeInList['severity'], DotTone> = { CRITICAL: 'bad', WARNING: 'warn', INFO: 'quiet' };

interface NoticeListProps {
  notices: readonly NoticeInList[];
  /** How many of them, from the top, are new. */
  unread: number;
  /** Without particulars and the tenant, which a narrow place has no room for. */
  short?: boolean;
}

/** Notices in order, new ones marked. */
export function NoticeList({ notices, unread, short = false }: NoticeListProps) {
  return (
    <ol className={classes.list}>
      {notices.map(({ id, severity, title, data, tenantKey, createdAt }, index) => (
        <li key={id} className={classes.notice} data-unread={index < unread || undefined}>
          <div className={classes.head}>
            <StateDot tone={TONES[severity]}>
              {severity === 'CRITICAL' ? 'Critical' : severity === 'WARNING' ? 'Warning' : 'Info'}
            </StateDot>
            <Text
              size="xs"
              c="dimmed"
              component="time"
              dateTime={createdAt}
              title={formatMoment(createdAt)}
              style={{ whiteSpace: 'nowrap' }}
            >
              {formatAgo(createdAt)}
            </Text>
          </div>
          <div className={classes.title}>{title}</div>
          {tenantKey && (
            <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} size="xs">
              {tenantKey}
            </LinkAnchor>
          )}
          {!short && <Particulars title={title} tenantKey={tenantKey} data={data} />}
        </li>
      ))}
    </ol>
  );
}

/** What the notice holds beyond its title. */
function Particulars({ title, tenantKey, data }: Pick<NoticeInList, 'title' | 'tenantKey' | 'data'>) {
  const said = [...readFields(data)].filter(
    ([name, text]) => name !== 'at' && text !== tenantKey && !title.includes(text),
  );
  if (said.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {said.map(([name, text]) => `${name}: ${text}`).join(' · ')}
    </Text>
  );
}
