import { Badge, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'use-intl';
import { askToConfirm } from '../../../components/confirmation.js';
import { DataTable } from '../../../components/data-table.js';
import { Panel } from '../../../components/page.js';
import { tellFailed } from '../../../lib/tell-failed.js';
import { formatDay } from '../../../lib/time-format.js';
import { canUsePasskeys, type Passkey, usePasskeyAdd, usePasskeyRemove } from '../api/account.js';
import { deviceName } from '../device-name.js';

/** The passkeys of the signed-in person. */
export function PasskeysPanel({ passkeys }: { passkeys: readonly Passkey[] }) {
  const t = useTranslations('accountSecurity');
  const [add, remove] = [usePasskeyAdd(), usePasskeyRemove()];
  const onError = tellFailed(t('failed'));
  const available = canUsePasskeys();
  const addOne = () =>
    add.mutate(deviceName(window.navigator.userAgent), {
      onSuccess: () => notifications.show({ message: t('passkeyAdded'), color: 'gate', withBorder: true }),
      onError,
    });
  const ask = ({ id, name }: Passkey) =>
    askToConfirm({
      title: t('removePasskeyTitle', { name: name ?? '' }),
      children: <Text size="sm">{t('removePasskeyHint')}</Text>,
      labels: { confirm: t('removePasskey'), cancel: t('cancel') },
      color: 'ember',
      onConfirm: () => remove.mutate(id, { onError }),
    });
  const button = (
    <Button size="sm" variant="default" disabled={!available} loading={add.isPending} onClick={addOne}>
      {t('addPasskey')}
    </Button>
  );
  return (
    <Panel
      title={t('passkeys')}
      note={t(available ? 'passkeysNote' : 'passkeyUnavailable')}
      actions={button}
      flush
    >
      {passkeys.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          {t('noPasskeys')}
        </Text>
      ) : (
        <DataTable
          label={t('passkeys')}
          columns={[{ name: t('passkey') }, { name: t('added') }, { name: t('actions'), hidden: true }]}
        >
          {passkeys.map((passkey) => (
            <tr key={passkey.id}>
              <th scope="row">
                <Group gap={6}>
                  {passkey.name ?? t('passkey')}
                  {passkey.backedUp && <Badge color="gray">{t('synced')}</Badge>}
                </Group>
              </th>
              <td style={{ whiteSpace: 'nowrap' }}>{formatDay(passkey.createdAt)}</td>
              <td style={{ textAlign: 'right' }}>
                <Button variant="default" size="compact-sm" onClick={() => ask(passkey)}>
                  {t('removePasskey')}
                </Button>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
