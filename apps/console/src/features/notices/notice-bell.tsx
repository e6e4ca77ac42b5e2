import { ActionIcon, Button, Group, Indicator, Popover, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBell } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Ago } from '../../components/figures.js';
import { LinkAnchor, TenantLink } from '../../components/links.js';
import { type DotTone, StateDot } from '../../components/marks.js';
import { readFields } from '../../lib/audit-text.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { usePermission } from '../../lib/viewer.js';
import {
  type NoticeInList,
  noticesQuery,
  noticesUnreadQuery,
  useNoticeStream,
  useNoticesMarkRead,
} from './api.js';
import classes from './notices.module.css';

const SEVERITIES: Record<NoticeInList['severity'], { tone: DotTone; text: string }> = {
  CRITICAL: { tone: 'bad', text: 'Critical' },
  WARNING: { tone: 'warn', text: 'Warning' },
  INFO: { tone: 'quiet', text: 'Info' },
};

interface NoticeListProps {
  notices: readonly NoticeInList[];
  /** Number of new ones, which come first. */
  unread: number;
  short?: boolean;
}

export function NoticeList({ notices, unread, short = false }: NoticeListProps) {
  return (
    <ol className="tg-list">
      {notices.map(({ id, severity, title, data, tenantKey, createdAt }, index) => (
        <li key={id} className={classes.notice} data-unread={index < unread || undefined}>
          <Group justify="space-between" gap={12} wrap="nowrap" align="stretch" fz="xs">
            <StateDot tone={SEVERITIES[severity].tone}>{SEVERITIES[severity].text}</StateDot>
            <Text size="xs" c="dimmed">
              <Ago at={createdAt} />
            </Text>
          </Group>
          <div className={classes.title}>{title}</div>
          {tenantKey && <TenantLink tenantKey={tenantKey} size="xs" />}
          {!short && <Details title={title} tenantKey={tenantKey} data={data} />}
        </li>
      ))}
    </ol>
  );
}

/** Shown as `8 of 10 used`, or in the title. */
const SHOWN_OTHERWISE = new Set(['at', 'percent', 'used', 'capacity']);

/** Details of a notice beyond its title. */
function Details({ title, tenantKey, data }: Pick<NoticeInList, 'title' | 'tenantKey' | 'data'>) {
  const fields = readFields(data);
  const [used, capacity] = [fields.get('used'), fields.get('capacity')];
  const details = [...fields]
    .filter(([name, text]) => !SHOWN_OTHERWISE.has(name) && text !== tenantKey && !title.includes(text))
    .map(([name, text]) => `${name}: ${text}`);
  if (used && capacity) details.unshift(`${used} of ${capacity} used`);
  if (details.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {details.join(' · ')}
    </Text>
  );
}

/** Maximum that the server counts. */
const COUNTED = 100;

interface NoticeBellProps {
  /** Left out for notices of operators and all tenants. */
  tenantKey?: string;
}

/** Number of unread notices, and a menu of the newest; live. */
export function NoticeBell({ tenantKey }: NoticeBellProps) {
  const { allowed } = usePermission('notices:read', tenantKey);
  const [opened, { toggle, close }] = useDisclosure();
  const { data: unread = 0 } = useQuery({ ...noticesUnreadQuery(tenantKey), enabled: allowed });
  useNoticeStream(tenantKey, allowed);
  if (!allowed) return null;
  const count = unread >= COUNTED ? `${formatNumber(COUNTED)}+` : unread;
  return (
    <Popover
      opened={opened}
      onChange={(open) => !open && close()}
      position="bottom-start"
      width={360}
      shadow="md"
      withinPortal
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon
          size="lg"
          style={{ overflow: 'visible' }}
          onClick={toggle}
          aria-label={unread === 0 ? 'Notices' : plural(unread, 'unread notice')}
        >
          <Indicator label={count} size={14} offset={2} disabled={unread === 0} color="ember.7">
            <IconBell size={18} stroke={1.7} aria-hidden style={{ display: 'block' }} />
          </Indicator>
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Notices" maw="calc(100vw - 24px)">
        <BellContent tenantKey={tenantKey} unread={unread} onLeave={close} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface BellContentProps {
  tenantKey: string | undefined;
  unread: number;
  onLeave: () => void;
}

const SHOWN = 12;

function BellContent({ tenantKey, unread, onLeave }: BellContentProps) {
  const { data } = useInfiniteQuery(noticesQuery(tenantKey));
  const notices = data?.nodes ?? [];
  const markRead = useNoticesMarkRead(tenantKey);
  const newest = notices[0];
  return (
    <>
      <div className={classes.bellHead}>
        <Text fw={600} size="sm">
          Notices
        </Text>
        {unread > 0 && newest && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            loading={markRead.isPending}
            onClick={() => markRead.mutate(newest.id)}
          >
            Mark all as read
          </Button>
        )}
      </div>
      <div className={classes.bellList}>
        {data && notices.length === 0 && (
          <Text size="sm" c="dimmed" p="md">
            Reached limits, failed payments and offline nodes appear here.
          </Text>
        )}
        <NoticeList notices={notices.slice(0, SHOWN)} unread={unread} short />
      </div>
      {tenantKey === undefined && (
        <div className={classes.bellFoot}>
          <LinkAnchor to="/notices" size="sm" onClick={onLeave}>
            All notices
          </LinkAnchor>
        </div>
      )}
    </>
  );
}
