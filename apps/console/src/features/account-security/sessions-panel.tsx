import { Badge, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { askToConfirm } from '../../components/confirmation.js';
import { DataTable } from '../../components/data-table.js';
import { Panel } from '../../components/page.js';
import { notifyFailure } from '../../lib/graphql-request.js';
import { plural } from '../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import { type Session, useSessionRevoke, useSessionRevokeOthers } from './api.js';
import { deviceName } from './device-name.js';

/** Where the signed-in person is signed in. */
export function SessionsPanel({ sessions }: { sessions: readonly Session[] }) {
  const [revoke, revokeOthers] = [useSessionRevoke(), useSessionRevokeOthers()];
  const onError = notifyFailure('Not saved');
  const onSuccess = (count: number) =>
    notifications.show({
      message: count === 0 ? 'No other sessions' : plural(count, 'session revoked', 'sessions revoked'),
      color: 'gate',
      withBorder: true,
    });
  const askOthers = () =>
    askToConfirm({
      title: 'Revoke all other sessions?',
      children: <Text size="sm">Signs out every browser except this one.</Text>,
      labels: { confirm: 'Revoke all others', cancel: 'Cancel' },
      color: 'ember',
      onConfirm: () => revokeOthers.mutate(undefined, { onSuccess, onError }),
    });
  const columns = [
    { name: 'Device' },
    { name: 'IP address' },
    { name: 'Last used' },
    { name: 'Actions', hidden: true },
  ];
  return (
    <Panel
      title="Sessions"
      note="Browsers that are signed in to your account."
      actions={
        <Button size="sm" variant="default" disabled={sessions.length < 2} onClick={askOthers}>
          Revoke all others
        </Button>
      }
      flush
    >
      <DataTable label="Sessions" columns={columns}>
        {sessions.map(({ id, userAgent, ipAddress, lastUsedAt, isCurrent }) => {
          const device = deviceName(userAgent);
          return (
            <tr key={id}>
              <th scope="row" title={userAgent ?? undefined}>
                <Group gap={6}>
                  {device}
                  {isCurrent && <Badge color="gate">Current</Badge>}
                </Group>
              </th>
              <td>{ipAddress}</td>
              <td style={{ whiteSpace: 'nowrap' }} title={formatMoment(lastUsedAt)}>
                {formatAgo(lastUsedAt)}
              </td>
              <td style={{ textAlign: 'right' }}>
                {!isCurrent && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`Revoke ${device}`}
                    onClick={() => revoke.mutate(id, { onSuccess, onError })}
                  >
                    Revoke
                  </Button>
                )}
              </td>
            </tr>
          );
        })}
      </DataTable>
    </Panel>
  );
}
