import { Drawer, Stack, Text, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CopyBlock } from '../../../components/copy-block.js';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { MoreButton } from '../../../components/more-button.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import { formatLatency } from '../../../lib/number-format.js';
import { tellFailed } from '../../../lib/tell-failed.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { type DeliveryInList, deliveriesQuery, useDeliveryRetry } from '../api/deliveries.js';

const TONES: Record<DeliveryInList['status'], DotTone> = { PENDING: 'warn', DELIVERED: 'good', DEAD: 'bad' };

/** What was sent to an endpoint, and what came of it. */
export function Deliveries({ endpointId }: { endpointId: string }) {
  const t = useTranslations('webhooks');
  const common = useTranslations('common');
  const query = useInfiniteQuery(deliveriesQuery(endpointId));
  const { data, error, refetch } = query;
  const [opened, setOpened] = useState<string>();
  const deliveries = data?.pages.flatMap(({ nodes }) => nodes);
  const delivery = deliveries?.find(({ id }) => id === opened);
  const columns = [
    { name: t('event') },
    { name: t('status') },
    { name: t('attempts'), numeric: true },
    { name: t('when') },
    { name: common('actions'), hidden: true },
  ];
  return (
    <Panel title={t('deliveries')} flush>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!deliveries && !error && <RowsSkeleton rows={4} />}
      {deliveries?.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          {t('deliveriesEmpty')}
        </Text>
      )}
      {deliveries && deliveries.length > 0 && (
        <DataTable label={t('deliveries')} columns={columns}>
          {deliveries.map((one) => (
            <DeliveryRow key={one.id} delivery={one} onOpen={() => setOpened(one.id)} />
          ))}
        </DataTable>
      )}
      <MoreButton list={query} older />
      {delivery && <DeliveryDrawer delivery={delivery} onClose={() => setOpened(undefined)} />}
    </Panel>
  );
}

function DeliveryRow({ delivery, onOpen }: { delivery: DeliveryInList; onOpen: () => void }) {
  const t = useTranslations('webhooks');
  const retry = useDeliveryRetry();
  const { id, event, status, log, createdAt, nextAttemptAt } = delivery;
  return (
    <tr>
      <th scope="row">
        <UnstyledButton onClick={onOpen} fz="inherit" fw={500} style={{ textDecoration: 'underline dotted' }}>
          {event}
        </UnstyledButton>
      </th>
      <td style={{ whiteSpace: 'nowrap' }}>
        <StateDot tone={TONES[status]}>{t(status)}</StateDot>
        {status === 'PENDING' && (
          <Text size="xs" c="dimmed">
            {t('next', { ago: formatAgo(nextAttemptAt) })}
          </Text>
        )}
      </td>
      <NumericCell>{log.length}</NumericCell>
      <td style={{ whiteSpace: 'nowrap' }} title={formatMoment(createdAt)}>
        {formatAgo(createdAt)}
      </td>
      <td style={{ textAlign: 'right' }}>
        {status !== 'DELIVERED' && (
          <GatedButton
            permission="webhooks:write"
            variant="default"
            size="compact-sm"
            loading={retry.isPending}
            onClick={() => retry.mutate(id, { onError: tellFailed(t('failed')) })}
          >
            {t('retry')}
          </GatedButton>
        )}
      </td>
    </tr>
  );
}

function DeliveryDrawer({ delivery, onClose }: { delivery: DeliveryInList; onClose: () => void }) {
  const t = useTranslations('webhooks');
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={delivery.event}>
      <Stack gap="md">
        <StateDot tone={TONES[delivery.status]}>{t(delivery.status)}</StateDot>
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t('log')}
          </Text>
          <ol style={{ margin: 0, padding: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
            {delivery.log.map(({ number, at, statusCode, durationMs, error }) => (
              <li key={number} style={{ padding: '4px 0' }}>
                {t('attempt', { number })}, {formatMoment(at)}:{' '}
                {statusCode == null
                  ? t('noAnswer', { took: formatLatency(durationMs) })
                  : t('answered', { status: statusCode, took: formatLatency(durationMs) })}
                {error && (
                  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {error}
                  </Text>
                )}
              </li>
            ))}
          </ol>
        </div>
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t('body')}
          </Text>
          <CopyBlock text={pretty(delivery.body)} label={t('body')} />
        </div>
      </Stack>
    </Drawer>
  );
}

/** Indented where it is JSON, which it always is when we made it. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
