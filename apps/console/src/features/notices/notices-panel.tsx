import { Button, Switch } from '@mantine/core';
import { IconBellOff } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { MoreButton } from '../../components/buttons.js';
import { EmptyState, Panel, QueryFallback } from '../../components/page.js';
import { noticesQuery, noticesUnreadQuery, useNoticesMarkRead } from './api.js';
import { NoticeList } from './notice-bell.js';

interface NoticesPanelProps {
  onlyAlarms: boolean;
  onOnlyAlarms: (onlyAlarms: boolean) => void;
}

export function NoticesPanel({ onlyAlarms, onOnlyAlarms }: NoticesPanelProps) {
  const query = useInfiniteQuery(noticesQuery());
  const { data: unread = 0 } = useQuery(noticesUnreadQuery());
  const markRead = useNoticesMarkRead();
  const all = query.data?.nodes;
  const shown = onlyAlarms ? all?.filter(({ severity }) => severity === 'CRITICAL') : all;
  const newest = all?.[0];
  return (
    <Panel
      title="Notices"
      actions={
        <>
          <Switch
            size="xs"
            label="Critical only"
            checked={onlyAlarms}
            onChange={({ currentTarget }) => onOnlyAlarms(currentTarget.checked)}
          />
          {unread > 0 && newest && (
            <Button variant="default" loading={markRead.isPending} onClick={() => markRead.mutate(newest.id)}>
              Mark all as read
            </Button>
          )}
        </>
      }
      flush
    >
      <QueryFallback query={query} rows={6} />
      {shown?.length === 0 && (
        <EmptyState icon={IconBellOff} title={onlyAlarms ? 'No critical notices' : 'No notices'}>
          {onlyAlarms
            ? 'Critical notices need immediate action.'
            : 'Reached limits, failed payments and offline nodes appear here.'}
        </EmptyState>
      )}
      {shown && <NoticeList notices={shown} unread={onlyAlarms ? 0 : unread} />}
      <MoreButton list={query} older />
    </Panel>
  );
}
