import { ActionIcon, Badge, Group, Menu, Select, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { askToConfirm } from '../../components/confirmation.js';
import { CreateModal } from '../../components/create-modal.js';
import { ActionsCell, DataTable, hidden } from '../../components/data-table.js';
import { StateDot } from '../../components/marks.js';
import type { OperatorRole } from '../../generated/graphql.js';
import { notifyFailure } from '../../lib/graphql-request.js';
import { OPERATOR_ROLE_TEXT } from '../../lib/labels.js';
import { useInputMutation, useMutationDialog } from '../../lib/mutation.js';
import { formatDay } from '../../lib/time-format.js';
import { useMayGrant, usePermission, viewerQuery } from '../../lib/viewer.js';
import {
  type OperatorInList,
  OperatorRemoveDocument,
  OperatorResumeDocument,
  OperatorRoleChangeDocument,
  OperatorSuspendDocument,
  operatorsQuery,
} from './api.js';

const OPERATOR_ROLE_MEANS_TEXT = {
  AUDITOR: 'Read-only access, including the audit trail.',
  BILLING: 'Offers, purchases, payments, subscriptions.',
  LIMITS_ADMIN: 'APIs, tiers, overrides, boosts, requests, rollback.',
  OWNER: 'Full access, including people and tokens.',
  SUPPORT: 'Tenants, their members, boosts of up to three days.',
  VIEWER: 'Read-only access to policy and usage.',
} as const;

const ROLES: readonly OperatorRole[] = ['OWNER', 'LIMITS_ADMIN', 'SUPPORT', 'BILLING', 'AUDITOR', 'VIEWER'];

interface RoleSelectProps {
  value: OperatorRole;
  onChange: (role: OperatorRole | null) => void;
  error?: string | undefined;
}

/** A role, with its meaning. Roles that the viewer may not grant are disabled. */
export function RoleSelect({ value, onChange, error }: RoleSelectProps) {
  const mayGrant = useMayGrant('operatorRoles');
  return (
    <Select
      label="Role"
      description={OPERATOR_ROLE_MEANS_TEXT[value]}
      data={ROLES.map((role) => ({
        value: role,
        label: OPERATOR_ROLE_TEXT[role],
        disabled: !mayGrant(role),
      }))}
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}

const QUESTIONS = {
  remove: {
    label: 'Remove',
    hint: 'They lose operator access. Audit entries and tenant memberships stay.',
  },
  suspend: { label: 'Suspend', hint: 'Ends all their sessions immediately and blocks sign-in.' },
} as const;

export function OperatorsTable({ operators }: { operators: readonly OperatorInList[] }) {
  const { data: viewer } = useQuery(viewerQuery);
  const [changing, setChanging] = useState<OperatorInList>();
  const columns = ['Person', 'Role', 'Status', 'Since', hidden('Actions')];
  return (
    <>
      <DataTable label="Team" columns={columns}>
        {operators.map((operator) => {
          const isViewer = operator.id === viewer?.id;
          return (
            <tr key={operator.id}>
              <th scope="row">
                <Group gap={6}>
                  {operator.name}
                  {isViewer && <Badge color="gray">you</Badge>}
                </Group>
                <Text size="xs" c="dimmed" fw={400}>
                  {operator.email}
                </Text>
              </th>
              <td style={{ whiteSpace: 'nowrap' }}>{OPERATOR_ROLE_TEXT[operator.role]}</td>
              <td>
                <StateDot tone={operator.suspendedAt ? 'bad' : 'good'}>
                  {operator.suspendedAt ? 'Suspended' : 'Active'}
                </StateDot>
              </td>
              <td style={{ whiteSpace: 'nowrap' }}>{formatDay(operator.createdAt)}</td>
              <ActionsCell>
                {!isViewer && <OperatorMenu operator={operator} onChangeRole={() => setChanging(operator)} />}
              </ActionsCell>
            </tr>
          );
        })}
      </DataTable>
      {changing && <RoleDialog operator={changing} onClose={() => setChanging(undefined)} />}
    </>
  );
}

function OperatorMenu({ operator, onChangeRole }: { operator: OperatorInList; onChangeRole: () => void }) {
  const { allowed, why } = usePermission('operators:write');
  const suspend = useInputMutation(OperatorSuspendDocument, operatorsQuery.queryKey);
  const resume = useInputMutation(OperatorResumeDocument, operatorsQuery.queryKey);
  const remove = useInputMutation(OperatorRemoveDocument, operatorsQuery.queryKey);
  const { id, name } = operator;
  const onError = notifyFailure('Action failed');
  const ask = (what: 'suspend' | 'remove', onConfirm: () => void) => {
    const { label, hint } = QUESTIONS[what];
    askToConfirm({
      title: `${label} ${name}?`,
      text: hint,
      confirm: label,
      onConfirm,
    });
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!allowed && why && <Menu.Label maw={240}>{why}</Menu.Label>}
        <Menu.Item disabled={!allowed} onClick={onChangeRole}>
          Change role
        </Menu.Item>
        {operator.suspendedAt ? (
          <Menu.Item disabled={!allowed} onClick={() => resume.mutate({ id }, { onError })}>
            Resume
          </Menu.Item>
        ) : (
          <Menu.Item
            disabled={!allowed}
            onClick={() => ask('suspend', () => suspend.mutate({ id }, { onError }))}
          >
            Suspend
          </Menu.Item>
        )}
        <Menu.Item
          disabled={!allowed}
          color="ember"
          onClick={() => ask('remove', () => remove.mutate({ id }, { onError }))}
        >
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function RoleDialog({ operator, onClose }: { operator: OperatorInList; onClose: () => void }) {
  const [role, setRole] = useState(operator.role);
  const { dialog } = useMutationDialog(OperatorRoleChangeDocument, [], operatorsQuery.queryKey);
  return (
    <CreateModal
      title={`Role of ${operator.name}`}
      submitLabel="Change role"
      onClose={onClose}
      {...dialog({ id: operator.id, role }, onClose)}
    >
      <RoleSelect value={role} onChange={(chosen) => chosen && setRole(chosen)} />
    </CreateModal>
  );
}
