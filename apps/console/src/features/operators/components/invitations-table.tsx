import { Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'use-intl';
import { DataTable } from '../../../components/data-table.js';
import { GatedButton } from '../../../components/gated-button.js';
import { tellFailed } from '../../../lib/tell-failed.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { type OpenInvitation, useInvitationResend, useInvitationRevoke } from '../api/operators.js';

/** Whose answer is awaited. */
export function InvitationsTable({ invitations }: { invitations: readonly OpenInvitation[] }) {
  const t = useTranslations('operators');
  const common = useTranslations('common');
  const [resend, revoke] = [useInvitationResend(), useInvitationRevoke()];
  if (invitations.length === 0)
    return (
      <Text c="dimmed" size="sm" p="md">
        {t('invitationsEmpty')}
      </Text>
    );
  const onError = tellFailed(t('failed'));
  const onSuccess = () => notifications.show({ message: t('resent'), color: 'gate', withBorder: true });
  const button = { permission: 'operators:write', variant: 'default', size: 'compact-sm' } as const;
  const columns = [
    { name: t('email') },
    { name: t('role') },
    { name: t('invitedBy') },
    { name: t('expires') },
    { name: common('actions'), hidden: true },
  ];
  return (
    <DataTable label={t('invitations')} columns={columns}>
      {invitations.map(({ id, email, operatorRole, invitedBy, expiresAt }) => (
        <tr key={id}>
          <th scope="row">{email}</th>
          <td style={{ whiteSpace: 'nowrap' }}>{operatorRole && t(operatorRole)}</td>
          <td>{invitedBy}</td>
          <td style={{ whiteSpace: 'nowrap' }} title={formatMoment(expiresAt)}>
            {formatAgo(expiresAt)}
          </td>
          <td>
            <Group gap={6} justify="flex-end" wrap="nowrap">
              <GatedButton {...button} onClick={() => resend.mutate(id, { onSuccess, onError })}>
                {t('resend')}
              </GatedButton>
              <GatedButton {...button} onClick={() => revoke.mutate(id, { onError })}>
                {t('revoke')}
              </GatedButton>
            </Group>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
