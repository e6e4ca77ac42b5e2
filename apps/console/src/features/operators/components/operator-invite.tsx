import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import type { OperatorRole } from '../../../generated/graphql.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { operatorInviteCall, useOperatorInvite } from '../api/operators.js';
import { RoleSelect } from './role-select.js';

/** Invites somebody to the team. */
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
