import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import type { OperatorRole } from '../../../generated/graphql.js';
import { errorsByField } from '../../../lib/user-errors.js';
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
  const t = useTranslations('operators');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<OperatorRole>('VIEWER');
  const invite = useOperatorInvite();
  const { byField, form } = errorsByField(invite.error, ['email', 'role']);
  const input = { email: email.trim(), role };
  return (
    <CreateModal
      title={t('inviteTitle')}
      opened
      onClose={onClose}
      onSubmit={() => invite.mutate(input, { onSuccess: () => onInvited(input.email) })}
      submitLabel={t('invite')}
      pending={invite.isPending}
      problem={form}
      copy={{ call: operatorInviteCall(input) }}
    >
      <Text size="sm" c="dimmed">
        {t('inviteHint')}
      </Text>
      <TextInput
        label={t('email')}
        type="email"
        required
        data-autofocus
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        error={byField.email}
      />
      <RoleSelect label={t('role')} value={role} onChange={setRole} error={byField.role} />
    </CreateModal>
  );
}
