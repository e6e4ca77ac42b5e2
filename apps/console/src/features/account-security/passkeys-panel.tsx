import { Badge, Button, Group } from '@mantine/core';
import { askToConfirm } from '../../components/confirmation.js';
import { ActionsCell, DataTable, hidden } from '../../components/data-table.js';
import { EmptyText, Panel } from '../../components/page.js';
import { notifyDone, notifyFailure } from '../../lib/graphql-request.js';
import { formatDay } from '../../lib/time-format.js';
import { canUsePasskeys, type Passkey, usePasskeyAdd, usePasskeyRemove } from './api.js';
import { deviceName } from './device-name.js';

export function PasskeysPanel({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [add, remove] = [usePasskeyAdd(), usePasskeyRemove()];
  const onError = notifyFailure('Not saved');
  const available = canUsePasskeys();
  const addOne = () =>
    add.mutate(deviceName(window.navigator.userAgent), {
      onSuccess: () => notifyDone('Passkey added.'),
      onError,
    });
  const ask = ({ id, name }: Passkey) =>
    askToConfirm({
      title: `Remove passkey ${name ?? ''}?`,
      text: 'You can no longer sign in with it. Also delete it from your password manager.',
      confirm: 'Remove',
      onConfirm: () => remove.mutate(id, { onError }),
    });
  return (
    <Panel
      title="Passkeys"
      note={
        available
          ? 'Sign in with your fingerprint, face or screen lock instead of a password.'
          : 'Passkeys need a supported browser and a console served from a domain name or localhost.'
      }
      actions={
        <Button size="sm" variant="default" disabled={!available} loading={add.isPending} onClick={addOne}>
          Add passkey
        </Button>
      }
      flush
    >
      {passkeys.length === 0 ? (
        <EmptyText>No passkeys yet.</EmptyText>
      ) : (
        <DataTable label="Passkeys" columns={['Passkey', 'Added', hidden('Actions')]}>
          {passkeys.map((passkey) => (
            <tr key={passkey.id}>
              <th scope="row">
                <Group gap={6}>
                  {passkey.name ?? 'Passkey'}
                  {passkey.backedUp && <Badge color="gray">Synced</Badge>}
                </Group>
              </th>
              <td style={{ whiteSpace: 'nowrap' }}>{formatDay(passkey.createdAt)}</td>
              <ActionsCell>
                <Button variant="default" size="compact-sm" onClick={() => ask(passkey)}>
                  Remove
                </Button>
              </ActionsCell>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
