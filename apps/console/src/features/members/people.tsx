import { Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { ActionsCell, DataTable, hidden } from '../../components/data-table.js';
import { EmptyText, Panel, Problem, QueryFallback } from '../../components/page.js';
import type { MemberRole } from '../../generated/graphql.js';
import { usePageZone } from '../../lib/customer-page.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { MEMBER_ROLE_TEXT } from '../../lib/labels.js';
import { useInputMutation, useMutationDialog } from '../../lib/mutation.js';
import { formatDayInZone } from '../../lib/time-format.js';
import { useMayGrant, usePermission } from '../../lib/viewer.js';
import {
  InvitationResendDocument,
  InvitationRevokeDocument,
  type InvitationRow,
  MemberInviteDocument,
  MemberRemoveDocument,
  MemberRoleChangeDocument,
  type MemberRow,
  peopleKey,
  peopleQuery,
} from './api.js';

const MEMBER_ROLE_MEANS_TEXT = {
  BUYER: 'Can buy, request higher limits and set alerts. No access to keys.',
  DEVELOPER: 'Can manage keys, alerts and webhooks. Cannot buy.',
  OWNER: 'Full access: keys, purchases, members.',
  VIEWER: 'Can view limits and usage.',
} as const;

export const MEMBER_ROLES = ['OWNER', 'BUYER', 'DEVELOPER', 'VIEWER'] as const;

const roleChoices = (mayGrant: (role: string) => boolean) =>
  MEMBER_ROLES.map((value) => ({ value, label: MEMBER_ROLE_TEXT[value], disabled: !mayGrant(value) }));

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
  const { errors, dialog } = useMutationDialog(MemberInviteDocument, ['email', 'role'], peopleKey);
  const input = { tenantKey, email: email.trim(), role };
  const onDone = () => {
    notifyDone(`Invitation sent to ${input.email}`);
    onClose();
  };
  return (
    <CreateModal
      title={`Invite member to ${name}`}
      submitLabel="Send invitation"
      onClose={onClose}
      {...dialog(input, onDone)}
    >
      <TextInput
        label="Email"
        description="They get a link to set a password or sign in."
        type="email"
        required
        data-autofocus
        value={email}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
        error={errors.email}
      />
      <Select
        label="Role"
        description={MEMBER_ROLE_MEANS_TEXT[role]}
        data={roleChoices(mayGrant)}
        value={role}
        onChange={(value) => value && setChosen(value)}
        error={errors.role}
      />
    </CreateModal>
  );
}

export function People({ tenantKey }: { tenantKey: string }) {
  const query = useQuery(peopleQuery(tenantKey));
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<MemberRow>();
  const gate = { permission: 'members:write', tenantKey } as const;
  if (!query.data) {
    return (
      <Panel title="People" flush>
        <QueryFallback query={query} rows={3} />
      </Panel>
    );
  }
  const { name, members, invitations } = query.data;
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
          <EmptyText>No members yet.</EmptyText>
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
  const change = useInputMutation(MemberRoleChangeDocument, peopleKey);
  const may = usePermission('members:write', tenantKey).allowed;
  const mayGrant = useMayGrant('memberRoles', tenantKey);
  const setRole = ({ id, name }: MemberRow, role: MemberRole) =>
    change.mutate(
      { tenantKey, id, role },
      { onSuccess: () => notifyDone(`${name} is now ${MEMBER_ROLE_TEXT[role]}`) },
    );
  return (
    <>
      <Problem m="md">{change.error?.message}</Problem>
      <DataTable label="Members" columns={['Name', 'Email', 'Role', hidden('Actions')]}>
        {members.map((member) => (
          <tr key={member.id}>
            <th scope="row">{member.name}</th>
            <td>{member.email}</td>
            <td>
              {may ? (
                <Select
                  aria-label={`Role of ${member.name}`}
                  data={roleChoices(mayGrant)}
                  value={member.role}
                  onChange={(role) => role && setRole(member, role)}
                  disabled={change.isPending || !mayGrant(member.role)}
                  size="xs"
                  w={130}
                />
              ) : (
                MEMBER_ROLE_TEXT[member.role]
              )}
            </td>
            <ActionsCell>
              <GatedButton
                permission="members:write"
                tenantKey={tenantKey}
                variant="default"
                onClick={() => onRemove(member)}
              >
                Remove
              </GatedButton>
            </ActionsCell>
          </tr>
        ))}
      </DataTable>
    </>
  );
}

interface InvitationsProps {
  tenantKey: string;
  invitations: readonly InvitationRow[];
}

function Invitations({ tenantKey, invitations }: InvitationsProps) {
  const timeZone = usePageZone();
  const resend = useInputMutation(InvitationResendDocument, peopleKey);
  const revoke = useInputMutation(InvitationRevokeDocument, peopleKey);
  const columns = ['Email', 'Role', 'Invited by', 'Expires', hidden('Actions')];
  const gate = { permission: 'members:write', tenantKey, variant: 'default' } as const;
  return (
    <Panel title="Invitations" note="Not accepted yet. Each link works once." flush>
      <Problem m="md">{resend.error?.message ?? revoke.error?.message}</Problem>
      <DataTable label="Invitations" columns={columns}>
        {invitations.map(({ id, email, role, invitedBy, expiresAt }) => (
          <tr key={id}>
            <th scope="row">{email}</th>
            <td>{MEMBER_ROLE_TEXT[role ?? 'VIEWER']}</td>
            <td>{invitedBy}</td>
            <td style={{ whiteSpace: 'nowrap' }}>
              {Date.parse(expiresAt) < Date.now() ? 'expired' : formatDayInZone(expiresAt, timeZone)}
            </td>
            <ActionsCell>
              <GatedButton
                {...gate}
                onClick={() =>
                  resend.mutate(
                    { tenantKey, id },
                    {
                      onSuccess: () =>
                        notifyDone(`Sent a new link to ${email}. The old link no longer works.`),
                    },
                  )
                }
              >
                Resend
              </GatedButton>
              <GatedButton
                {...gate}
                onClick={() =>
                  revoke.mutate(
                    { tenantKey, id },
                    { onSuccess: () => notifyDone(`Invitation of ${email} revoked`) },
                  )
                }
              >
                Revoke
              </GatedButton>
            </ActionsCell>
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
  const { dialog } = useMutationDialog(MemberRemoveDocument, [], peopleKey);
  const onDone = () => {
    notifyDone(`${name} removed`);
    onClose();
  };
  return (
    <CreateModal
      title={`Remove ${name}?`}
      submitLabel="Remove"
      onClose={onClose}
      {...dialog({ tenantKey, id }, onDone)}
    >
      <Text size="sm">
        They lose access immediately. Their API keys keep working; revoke the ones only they used.
      </Text>
    </CreateModal>
  );
}
