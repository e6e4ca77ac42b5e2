import { TextInput } from '@mantine/core';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { ActionsCell, DataTable, hidden } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { EmptyText, Hint } from '../../components/page.js';
import type { OperatorRole } from '../../generated/graphql.js';
import { useFields } from '../../lib/form.js';
import { notifyDone, notifyFailure } from '../../lib/graphql-request.js';
import { OPERATOR_ROLE_TEXT } from '../../lib/labels.js';
import { useInputMutation, useMutationDialog } from '../../lib/mutation.js';
import {
  InvitationResendDocument,
  InvitationRevokeDocument,
  type OpenInvitation,
  OperatorInviteDocument,
  operatorsQuery,
} from './api.js';
import { RoleSelect } from './operators-table.js';

interface OperatorInviteProps {
  onClose: () => void;
  onInvited: (email: string) => void;
}

export function OperatorInvite({ onClose, onInvited }: OperatorInviteProps) {
  const fields = ['email', 'role'];
  const { errors, dialog } = useMutationDialog(OperatorInviteDocument, fields, operatorsQuery.queryKey);
  const { values, bind } = useFields(errors, { email: '', role: 'VIEWER' as OperatorRole });
  const input = { ...values, email: values.email.trim() };
  return (
    <CreateModal
      title="Invite operator"
      submitLabel="Invite"
      onClose={onClose}
      {...dialog(input, () => onInvited(input.email))}
    >
      <Hint>They get an email with a link that works for a week.</Hint>
      <TextInput label="Email" type="email" required data-autofocus {...bind('email')} />
      <RoleSelect {...bind('role')} />
    </CreateModal>
  );
}

export function InvitationsTable({ invitations }: { invitations: readonly OpenInvitation[] }) {
  const resend = useInputMutation(InvitationResendDocument, operatorsQuery.queryKey);
  const revoke = useInputMutation(InvitationRevokeDocument, operatorsQuery.queryKey);
  if (invitations.length === 0) return <EmptyText>No pending invitations.</EmptyText>;
  const onError = notifyFailure('Action failed');
  const onSuccess = () => notifyDone('Invitation resent. It works for another week.');
  const button = { permission: 'operators:write', variant: 'default', size: 'compact-sm' } as const;
  const columns = ['Email', 'Role', 'Invited by', 'Expires', hidden('Actions')];
  return (
    <DataTable label="Pending invitations" columns={columns}>
      {invitations.map(({ id, email, operatorRole, invitedBy, expiresAt }) => (
        <tr key={id}>
          <th scope="row">{email}</th>
          <td style={{ whiteSpace: 'nowrap' }}>{operatorRole && OPERATOR_ROLE_TEXT[operatorRole]}</td>
          <td>{invitedBy}</td>
          <td>
            <Ago at={expiresAt} />
          </td>
          <ActionsCell>
            <GatedButton {...button} onClick={() => resend.mutate({ id }, { onSuccess, onError })}>
              Resend
            </GatedButton>
            <GatedButton {...button} onClick={() => revoke.mutate({ id }, { onError })}>
              Revoke
            </GatedButton>
          </ActionsCell>
        </tr>
      ))}
    </DataTable>
  );
}
