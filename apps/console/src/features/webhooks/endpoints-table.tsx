import { Badge, Group, Text } from '@mantine/core';
import { ActionsCell, DataTable, hidden } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { LinkAnchor } from '../../components/links.js';
import { StateDot } from '../../components/marks.js';
import type { EndpointInList } from './api.js';
import { EndpointEditButton } from './endpoint-dialogs.js';

const EVENTS_SHOWN = 3;

export function EndpointsTable({ endpoints }: { endpoints: readonly EndpointInList[] }) {
  const columns = ['URL', 'Events', 'Status', 'Created', hidden('Actions')];
  return (
    <DataTable label="Webhooks" columns={columns}>
      {endpoints.map((endpoint) => (
        <EndpointRow key={endpoint.id} endpoint={endpoint} />
      ))}
    </DataTable>
  );
}

function EndpointRow({ endpoint }: { endpoint: EndpointInList }) {
  const { id, url, description, events, status, disabledReason, createdAt } = endpoint;
  return (
    <tr>
      <th scope="row" style={{ minWidth: 220 }}>
        <LinkAnchor
          to="/webhooks/$endpointId"
          params={{ endpointId: id }}
          c="inherit"
          style={{ overflowWrap: 'anywhere' }}
        >
          {url}
        </LinkAnchor>
        {description && (
          <Text size="xs" c="dimmed" fw={400}>
            {description}
          </Text>
        )}
      </th>
      <td>
        <Group gap={4}>
          {events.length === 0 && 'all'}
          {events.slice(0, EVENTS_SHOWN).map((event) => (
            <Badge key={event} color="gray">
              {event}
            </Badge>
          ))}
          {events.length > EVENTS_SHOWN && <span>+{events.length - EVENTS_SHOWN}</span>}
        </Group>
      </td>
      <td style={{ whiteSpace: 'nowrap' }}>
        <StateDot tone={status === 'ENABLED' ? 'good' : 'bad'}>
          {status === 'ENABLED' ? 'Enabled' : 'Disabled'}
        </StateDot>
        {disabledReason && (
          <Text size="xs" c="dimmed">
            {disabledReason}
          </Text>
        )}
      </td>
      <td>
        <Ago at={createdAt} />
      </td>
      <ActionsCell>
        <EndpointEditButton endpoint={endpoint} />
      </ActionsCell>
    </tr>
  );
}
