import { Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { GatedButton } from '../../../components/buttons.js';
import { DataTable } from '../../../components/data-table.js';
import { tellFailed } from '../../../lib/graphql-request.js';
import { OPERATOR_ROLE_TEXT } from '../../../lib/labels.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { type OpenInvitation, useInvitationResend, useInvitationRevoke } from '../api/operators.js';

/** Whose answer is awaited. */
export function InvitationsTable({ invitations }: { invitations: readonly OpenInvitation[] }) {
  const [resend, revoke] = [useInvitationResend(), useInvitationRevoke()];
  if (invitations.length === 0)
    return (
      <Text c="dimmed" size="sm" p="md">
        No pending invitations.
      </Text>
    );
  const onError = tellFailed('Action failed');
  const onSuccess = () =>
    notifications.show({
      message: 'Invitation resent. It works for another week.',
      color: 'gate',
      withBorder: true,
    });
  const button = { permission: 'operators:write', variant: 'default', size: 'compact-sm' } as const;
  const columns = [
    { name: 'Email' },
    { name: 'Role' },
    { name: 'Invited by' },
    { name: 'Expires' },
    { name: 'Actions', hidden: true },
  ];
  return (
    <DataTable label="Pending invitations" columns={columns}>
      {invitations.map(({ id, email, operatorRole, invitedBy, expiresAt }) => (
        <tr key={id}>
          <th scope="row">{email}</th>
          <td style={{ whiteSpace: 'nowrap' }}>{operatorRole && OPERATOR_ROLE_TEXT[operatorRole]}</td>
          <td>{invitedBy}</td>
          <td style={{ whiteSpace: 'nowrap' }} title={formatMoment(expiresAt)}>
            {formatAgo(expiresAt)}
          </td>
          <td>
            <Group gap={6} justify="flex-end" wrap="nowrap">
              <GatedButton {...button} onClick={() => resend.mutate(id, { onSuccess, onError })}>
                Resend
              </GatedButton>
              <GatedButton {...button} onClick={() => revoke.mutate(id, { onError })}>
                Revoke
              </GatedButton>
            </Group>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
