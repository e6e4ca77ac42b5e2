import { Drawer, Stack, Text, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton, MoreButton } from '../../components/buttons.js';
import { CopyBlock } from '../../components/copy.js';
import { ActionsCell, hidden, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { type DotTone, StateDot } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import { notifyFailure } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatLatency, formatNumber } from '../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import { DELIVERIES, type DeliveryInList, DeliveryRetryDocument, deliveriesQuery } from './api.js';

const WEBHOOK_DELIVERY_STATUS_TEXT = { DEAD: 'Failed', DELIVERED: 'Delivered', PENDING: 'Pending' } as const;

const TONES: Record<DeliveryInList['status'], DotTone> = { PENDING: 'warn', DELIVERED: 'good', DEAD: 'bad' };

export function Deliveries({ endpointId }: { endpointId: string }) {
  const query = useInfiniteQuery(deliveriesQuery(endpointId));
  const [opened, setOpened] = useState<string>();
  const deliveries = query.data?.nodes;
  const delivery = deliveries?.find(({ id }) => id === opened);
  return (
    <Panel title="Deliveries" flush>
      <QueryTable
        query={query}
        list={deliveries}
        rows={4}
        empty="No deliveries yet. Send a test event."
        label="Deliveries"
        columns={['Event', 'Status', numeric('Attempts'), 'When', hidden('Actions')]}
      >
        {(one) => <DeliveryRow key={one.id} delivery={one} onOpen={() => setOpened(one.id)} />}
      </QueryTable>
      <MoreButton list={query} older />
      {delivery && <DeliveryDrawer delivery={delivery} onClose={() => setOpened(undefined)} />}
    </Panel>
  );
}

function DeliveryRow({ delivery, onOpen }: { delivery: DeliveryInList; onOpen: () => void }) {
  const retry = useInputMutation(DeliveryRetryDocument, DELIVERIES);
  const { id, event, status, log, createdAt, nextAttemptAt } = delivery;
  return (
    <tr>
      <th scope="row">
        <UnstyledButton onClick={onOpen} fz="inherit" fw={500} style={{ textDecoration: 'underline dotted' }}>
          {event}
        </UnstyledButton>
      </th>
      <td style={{ whiteSpace: 'nowrap' }}>
        <StateDot tone={TONES[status]}>{WEBHOOK_DELIVERY_STATUS_TEXT[status]}</StateDot>
        {status === 'PENDING' && (
          <Text size="xs" c="dimmed">
            next {formatAgo(nextAttemptAt)}
          </Text>
        )}
      </td>
      <NumericCell>{log.length}</NumericCell>
      <td>
        <Ago at={createdAt} />
      </td>
      <ActionsCell>
        {status !== 'DELIVERED' && (
          <GatedButton
            permission="webhooks:write"
            variant="default"
            size="compact-sm"
            loading={retry.isPending}
            onClick={() => retry.mutate({ id }, { onError: notifyFailure('Action failed') })}
          >
            Retry
          </GatedButton>
        )}
      </ActionsCell>
    </tr>
  );
}

function DeliveryDrawer({ delivery, onClose }: { delivery: DeliveryInList; onClose: () => void }) {
  return (
    <Drawer opened onClose={onClose} size="lg" title={delivery.event}>
      <Stack gap="md">
        <StateDot tone={TONES[delivery.status]}>{WEBHOOK_DELIVERY_STATUS_TEXT[delivery.status]}</StateDot>
        <div>
          <Text size="sm" fw={500} mb={4}>
            Attempts
          </Text>
          <ol style={{ margin: 0, padding: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
            {delivery.log.map(({ number, at, statusCode, durationMs, error }) => (
              <li key={number} style={{ padding: '4px 0' }}>
                Attempt {formatNumber(number)}, {formatMoment(at)}:{' '}
                {statusCode == null
                  ? `no response after ${formatLatency(durationMs)}`
                  : `${formatNumber(statusCode)} after ${formatLatency(durationMs)}`}
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
            Payload
          </Text>
          <CopyBlock text={pretty(delivery.body)} label="Payload" />
        </div>
      </Stack>
    </Drawer>
  );
}

/** Indents JSON; returns other text as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
