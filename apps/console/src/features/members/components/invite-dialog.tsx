import { Select, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import type { MemberRole } from '../../../generated/graphql.js';
import { useMayGrant } from '../../../lib/grantable.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { memberInviteCall, useMemberInvite } from '../api/members.js';

export const MEMBER_ROLES = ['OWNER', 'BUYER', 'DEVELOPER', 'VIEWER'] as const;

interface InviteDialogProps {
  tenantKey: string;
  name: string;
  onClose: () => void;
}

/** Sends somebody a link by which they join the tenant. */
export function InviteDialog({ tenantKey, name, onClose }: InviteDialogProps) {
  const t = useTranslations('members');
  const [email, setEmail] = useState('');
  const [chosen, setChosen] = useState<MemberRole>();
  const mayGrant = useMayGrant('memberRoles', tenantKey);
  const role = chosen ?? (mayGrant('DEVELOPER') ? 'DEVELOPER' : 'VIEWER');
  const invite = useMemberInvite();
  const { byField, form } = errorsByField(invite.error, ['email', 'role']);
  const input = { tenantKey, email: email.trim(), role };
  const submit = () =>
    invite.mutate(input, {
      onSuccess: () => {
        notifications.show({ message: t('sent', { email: input.email }), color: 'gate' });
        onClose();
      },
    });
  return (
    <CreateModal
      opened
      title={t('inviteTitle', { tenant: name })}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t('sendInvitation')}
      pending={invite.isPending}
      problem={form}
      copy={{ call: memberInviteCall(input) }}
    >
      <TextInput
        label={t('email')}
        description={t('emailHint')}
        type="email"
        required
        data-autofocus
        value={email}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
        error={byField.email}
      />
      <Select
        label={t('role')}
        description={t(`${role}_means`)}
        data={MEMBER_ROLES.map((value) => ({ value, label: t(value), disabled: !mayGrant(value) }))}
        value={role}
        onChange={(value) => value && setChosen(value as MemberRole)}
        allowDeselect={false}
        error={byField.role}
      />
    </CreateModal>
  );
}
