import { Badge, Button, Group } from '@mantine/core';
import { askToConfirm } from '../../components/confirmation.js';
import { ActionsCell, DataTable, hidden } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { Panel } from '../../components/page.js';
import { notifyDone, notifyFailure } from '../../lib/graphql-request.js';
import { plural } from '../../lib/number-format.js';
import { type Session, useSessionRevoke, useSessionRevokeOthers } from './api.js';
import { deviceName } from './device-name.js';

export function SessionsPanel({ sessions }: { sessions: readonly Session[] }) {
  const [revoke, revokeOthers] = [useSessionRevoke(), useSessionRevokeOthers()];
  const onError = notifyFailure('Not saved');
  const onSuccess = ({ revoked }: { revoked: number }) =>
    notifyDone(revoked === 0 ? 'No other sessions' : plural(revoked, 'session revoked', 'sessions revoked'));
  const askOthers = () =>
    askToConfirm({
      title: 'Revoke all other sessions?',
      text: 'Signs out every browser except this one.',
      confirm: 'Revoke all others',
      onConfirm: () => revokeOthers.mutate({}, { onSuccess, onError }),
    });
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
      <DataTable label="Sessions" columns={['Device', 'IP address', 'Last used', hidden('Actions')]}>
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
              <td>
                <Ago at={lastUsedAt} />
              </td>
              <ActionsCell>
                {!isCurrent && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`Revoke ${device}`}
                    onClick={() => revoke.mutate({ id }, { onSuccess, onError })}
                  >
                    Revoke
                  </Button>
                )}
              </ActionsCell>
            </tr>
          );
        })}
      </DataTable>
    </Panel>
  );
}
