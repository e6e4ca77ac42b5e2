import { Badge, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'use-intl';
import { askToConfirm } from '../../../components/confirmation.js';
import { DataTable } from '../../../components/data-table.js';
import { Panel } from '../../../components/page.js';
import { tellFailed } from '../../../lib/tell-failed.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { type Session, useSessionRevoke, useSessionRevokeOthers } from '../api/account.js';
import { deviceName } from '../device-name.js';

/** Where the signed-in person is signed in. */
export function SessionsPanel({ sessions }: { sessions: readonly Session[] }) {
  const t = useTranslations('accountSecurity');
  const [revoke, revokeOthers] = [useSessionRevoke(), useSessionRevokeOthers()];
  const onError = tellFailed(t('failed'));
  const onSuccess = (count: number) =>
    notifications.show({ message: t('revoked', { count }), color: 'gate', withBorder: true });
  const askOthers = () =>
    askToConfirm({
      title: t('revokeOthersTitle'),
      children: <Text size="sm">{t('revokeOthersHint')}</Text>,
      labels: { confirm: t('revokeOthers'), cancel: t('cancel') },
      color: 'ember',
      onConfirm: () => revokeOthers.mutate(undefined, { onSuccess, onError }),
    });
  const columns = [
    { name: t('device') },
    { name: t('ipAddress') },
    { name: t('lastUsed') },
    { name: t('actions'), hidden: true },
  ];
  return (
    <Panel
      title={t('sessions')}
      note={t('sessionsNote')}
      actions={
        <Button size="sm" variant="default" disabled={sessions.length < 2} onClick={askOthers}>
          {t('revokeOthers')}
        </Button>
      }
      flush
    >
      <DataTable label={t('sessions')} columns={columns}>
        {sessions.map(({ id, userAgent, ipAddress, lastUsedAt, isCurrent }) => {
          const device = deviceName(userAgent);
          return (
            <tr key={id}>
              <th scope="row" title={userAgent ?? undefined}>
                <Group gap={6}>
                  {device}
                  {isCurrent && <Badge color="gate">{t('current')}</Badge>}
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
                    aria-label={t('revokeNamed', { device })}
                    onClick={() => revoke.mutate(id, { onSuccess, onError })}
                  >
                    {t('revoke')}
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
