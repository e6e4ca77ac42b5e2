import { Alert, Group, Select, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable } from '../../components/data-table.js';
import { Failure, Panel, RowsSkeleton } from '../../components/page.js';
import type { MemberRole } from '../../generated/graphql.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { MEMBER_ROLE_TEXT } from '../../lib/labels.js';
import { formatDay } from '../../lib/time-format.js';
import { useMayGrant, usePermission } from '../../lib/viewer.js';
import {
  type InvitationRow,
  type MemberRow,
  memberInviteCall,
  peopleQuery,
  useMemberInvite,
  usePersonChange,
} from './api.js';

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

/** A tenant's people and invitations: invite, change a role, remove. */
export function People({ tenantKey }: { tenantKey: string }) {
  const { data, error, refetch } = useQuery(peopleQuery(tenantKey));
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<MemberRow>();
  const gate = { permission: 'members:write', tenantKey } as const;
  if (!data) {
    return (
      <Panel title="People" flush>
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : <RowsSkeleton rows={3} />}
      </Panel>
    );
  }
  const { name, members, invitations } = data;
  return (
    <>
      <Panel
        title="People"
        note={`Members of ${name} and their roles.`}
        flush
        actions={
          <GatedButton {...gate} onClick={() => setInviting(true)}>
            Invite
          </GatedButton>
        }
      >
        {members.length === 0 ? (
          <Text c="dimmed" size="sm" p="md">
            No members yet.
          </Text>
        ) : (
          <MembersTable tenantKey={tenantKey} members={members} onRemove={setRemoving} />
        )}
      </Panel>
      {invitations.length > 0 && <Invitations tenantKey={tenantKey} invitations={invitations} />}
      {inviting && <InviteDialog tenantKey={tenantKey} name={name} onClose={() => setInviting(false)} />}
      {removing && (
        <RemoveDialog tenantKey={tenantKey} member={removing} onClose={() => setRemoving(undefined)} />
      )}
    </>
  );
}

interface MembersTableProps {
  tenantKey: string;
  members: readonly MemberRow[];
  onRemove: (member: MemberRow) => void;
}

function MembersTable({ tenantKey, members, onRemove }: MembersTableProps) {
  const change = usePersonChange();
  const { form } = errorsByField(change.error, []);
  const may = usePermission('members:write', tenantKey).allowed;
  const mayGrant = useMayGrant('memberRoles', tenantKey);
  const setRole = ({ id, name }: MemberRow, role: MemberRole) =>
    change.mutate(
      { kind: 'role', tenantKey, id, role },
      {
        onSuccess: () =>
          notifications.show({ message: `${name} is now ${MEMBER_ROLE_TEXT[role]}`, color: 'gate' }),
      },
    );
  const columns = [{ name: 'Name' }, { name: 'Email' }, { name: 'Role' }, { name: 'Actions', hidden: true }];
  return (
    <>
      {form && (
        <Alert role="alert" color="ember" m="md" icon={<IconAlertCircle size={18} aria-hidden />}>
          {form}
        </Alert>
      )}
      <DataTable label="Members" columns={columns}>
        {members.map((member) => (
          <tr key={member.id}>
            <th scope="row">{member.name}</th>
            <td>{member.email}</td>
            <td>
              {may ? (
                <Select
                  aria-label={`Role of ${member.name}`}
                  data={MEMBER_ROLES.map((role) => ({
                    value: role,
                    label: MEMBER_ROLE_TEXT[role],
                    disabled: !mayGrant(role),
                  }))}
                  value={member.role}
                  onChange={(role) => role && setRole(member, role as MemberRole)}
                  allowDeselect={false}
                  disabled={change.isPending || !mayGrant(member.role)}
                  size="xs"
                  w={130}
                />
              ) : (
                MEMBER_ROLE_TEXT[member.role]
              )}
            </td>
            <td>
              <Group justify="flex-end">
                <GatedButton
                  permission="members:write"
                  tenantKey={tenantKey}
                  variant="default"
                  onClick={() => onRemove(member)}
                >
                  Remove
                </GatedButton>
              </Group>
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}

function Invitations({
  tenantKey,
  invitations,
}: {
  tenantKey: string;
  invitations: readonly InvitationRow[];
}) {
  const change = usePersonChange();
  const { form } = errorsByField(change.error, []);
  const act = ({ id, email }: InvitationRow, kind: 'resend' | 'revoke') =>
    change.mutate(
      { kind, tenantKey, id },
      {
        onSuccess: () =>
          notifications.show({
            message:
              kind === 'resend'
                ? `Sent a new link to ${email}. The old link no longer works.`
                : `Invitation of ${email} revoked`,
            color: 'gate',
          }),
      },
    );
  const columns = [
    { name: 'Email' },
    { name: 'Role' },
    { name: 'Invited by' },
    { name: 'Expires' },
    { name: 'Actions', hidden: true },
  ];
  const gate = { permission: 'members:write', tenantKey, variant: 'default' } as const;
  return (
    <Panel title="Invitations" note="Not accepted yet. Each link works once." flush>
      {form && (
        <Alert role="alert" color="ember" m="md" icon={<IconAlertCircle size={18} aria-hidden />}>
          {form}
        </Alert>
      )}
      <DataTable label="Invitations" columns={columns}>
        {invitations.map((invitation) => (
          <tr key={invitation.id}>
            <th scope="row">{invitation.email}</th>
            <td>{MEMBER_ROLE_TEXT[invitation.role ?? 'VIEWER']}</td>
            <td>{invitation.invitedBy}</td>
            <td style={{ whiteSpace: 'nowrap' }}>
              {Date.parse(invitation.expiresAt) < Date.now() ? 'expired' : formatDay(invitation.expiresAt)}
            </td>
            <td>
              <Group gap={6} wrap="nowrap" justify="flex-end">
                <GatedButton {...gate} onClick={() => act(invitation, 'resend')}>
                  Resend
                </GatedButton>
                <GatedButton {...gate} onClick={() => act(invitation, 'revoke')}>
                  Revoke
                </GatedButton>
              </Group>
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

interface RemoveDialogProps {
  tenantKey: string;
  member: MemberRow;
  onClose: () => void;
}

function RemoveDialog({ tenantKey, member: { id, name }, onClose }: RemoveDialogProps) {
  const change = usePersonChange();
  const { form } = errorsByField(change.error, []);
  return (
    <CreateModal
      opened
      title={`Remove ${name}?`}
      onClose={onClose}
      onSubmit={() =>
        change.mutate(
          { kind: 'remove', tenantKey, id },
          {
            onSuccess: () => {
              notifications.show({ message: `${name} removed`, color: 'gate' });
              onClose();
            },
          },
        )
      }
      submitLabel="Remove"
      pending={change.isPending}
      problem={form}
    >
      <Text size="sm">
        They lose access immediately. Their API keys keep working; revoke the ones only they used.
      </Text>
    </CreateModal>
  );
}
