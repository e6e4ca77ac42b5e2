import { Select, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import type { MemberRole } from '../../../generated/graphql.js';
import { useMayGrant } from '../../../lib/grantable.js';
import { MEMBER_ROLE_TEXT } from '../../../lib/labels.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { memberInviteCall, useMemberInvite } from '../api/members.js';

const MEMBER_ROLE_MEANS_TEXT = {
  BUYER: 'Can buy, request higher limits and set alerts. No access to keys.',
  DEVELOPER: 'Can manage keys, alerts and webhooks. Cannot buy.',
  OWNER: 'Full access: keys, purchases, members.',
  VIEWER: 'Can view limits and usage.',
} as const;

export const MEMBER_ROLES = ['OWNER', 'BUYER', 'DEVELOPER', 'VIEWER'] as const;

interface InviteDialogProps {
  tenantKey: string;
  name: string;
  onClose: () => void;
}

/** Sends somebody a link by which they join the tenant. */
export function InviteDialog({ tenantKey, name, onClose }: InviteDialogProps) {
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
        notifications.show({ message: `Invitation sent to ${input.email}`, color: 'gate' });
        onClose();
      },
    });
  return (
    <CreateModal
      opened
      title={`Invite member to ${name}`}
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Send invitation"
      pending={invite.isPending}
      problem={form}
      copy={{ call: memberInviteCall(input) }}
    >
      <TextInput
        label="Email"
        description="They get a link to set a password or sign in."
        type="email"
        required
        data-autofocus
        value={email}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
        error={byField.email}
      />
      <Select
        label="Role"
        description={MEMBER_ROLE_MEANS_TEXT[role]}
        data={MEMBER_ROLES.map((value) => ({
          value,
          label: MEMBER_ROLE_TEXT[value],
          disabled: !mayGrant(value),
        }))}
        value={role}
        onChange={(value) => value && setChosen(value as MemberRole)}
        allowDeselect={false}
        error={byField.role}
      />
    </CreateModal>
  );
}
