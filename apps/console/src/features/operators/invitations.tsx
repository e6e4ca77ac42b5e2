import { Group, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable } from '../../components/data-table.js';
import type { OperatorRole } from '../../generated/graphql.js';
import { errorsByField, notifyFailure } from '../../lib/graphql-request.js';
import { OPERATOR_ROLE_TEXT } from '../../lib/labels.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import {
  type OpenInvitation,
  operatorInviteCall,
  useInvitationResend,
  useInvitationRevoke,
  useOperatorInvite,
} from './api.js';
import { RoleSelect } from './operators-table.js';

export function OperatorInvite({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (email: string) => void;
}) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<OperatorRole>('VIEWER');
  const invite = useOperatorInvite();
  const { byField, form } = errorsByField(invite.error, ['email', 'role']);
  const input = { email: email.trim(), role };
  return (
    <CreateModal
      title="Invite operator"
      opened
      onClose={onClose}
      onSubmit={() => invite.mutate(input, { onSuccess: () => onInvited(input.email) })}
      submitLabel="Invite"
      pending={invite.isPending}
      problem={form}
      copy={{ call: operatorInviteCall(input) }}
    >
      <Text size="sm" c="dimmed">
        They get an email with a link that works for a week.
      </Text>
      <TextInput
        label="Email"
        type="email"
        required
        data-autofocus
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        error={byField.email}
      />
      <RoleSelect label="Role" value={role} onChange={setRole} error={byField.role} />
    </CreateModal>
  );
}

/** Whose answer is awaited. */
export function InvitationsTable({ invitations }: { invitations: readonly OpenInvitation[] }) {
  const [resend, revoke] = [useInvitationResend(), useInvitationRevoke()];
  if (invitations.length === 0)
    return (
      <Text c="dimmed" size="sm" p="md">
        No pending invitations.
      </Text>
    );
  const onError = notifyFailure('Action failed');
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
