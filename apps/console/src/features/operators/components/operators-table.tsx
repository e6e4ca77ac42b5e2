import { ActionIcon, Badge, Group, Menu, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { askToConfirm } from '../../../components/confirmation.js';
import { CreateModal } from '../../../components/create-modal.js';
import { DataTable } from '../../../components/data-table.js';
import { StateDot } from '../../../components/state-dot.js';
import { tellFailed } from '../../../lib/tell-failed.js';
import { formatDay } from '../../../lib/time-format.js';
import { usePermission, viewerQuery } from '../../../lib/viewer.js';
import {
  type OperatorInList,
  useOperatorRemove,
  useOperatorResume,
  useOperatorRoleChange,
  useOperatorSuspend,
} from '../api/operators.js';
import { RoleSelect } from './role-select.js';

/** Everybody on the team. */
export function OperatorsTable({ operators }: { operators: readonly OperatorInList[] }) {
  const t = useTranslations('operators');
  const common = useTranslations('common');
  const { data: viewer } = useQuery(viewerQuery);
  const [changing, setChanging] = useState<OperatorInList>();
  const columns = [
    { name: t('person') },
    { name: t('role') },
    { name: t('state') },
    { name: t('since') },
    { name: common('actions'), hidden: true },
  ];
  return (
    <>
      <DataTable label={t('title')} columns={columns}>
        {operators.map((operator) => {
          const isViewer = operator.id === viewer?.id;
          return (
            <tr key={operator.id}>
              <th scope="row">
                <Group gap={6}>
                  {operator.name}
                  {isViewer && <Badge color="gray">{t('you')}</Badge>}
                </Group>
                <Text size="xs" c="dimmed" fw={400}>
                  {operator.email}
                </Text>
              </th>
              <td style={{ whiteSpace: 'nowrap' }}>{t(operator.role)}</td>
              <td>
                <StateDot tone={operator.suspendedAt ? 'bad' : 'good'}>
                  {t(operator.suspendedAt ? 'suspended' : 'active')}
                </StateDot>
              </td>
              <td style={{ whiteSpace: 'nowrap' }}>{formatDay(operator.createdAt)}</td>
              <td style={{ textAlign: 'right' }}>
                {!isViewer && <OperatorMenu operator={operator} onChangeRole={() => setChanging(operator)} />}
              </td>
            </tr>
          );
        })}
      </DataTable>
      {changing && <RoleDialog operator={changing} onClose={() => setChanging(undefined)} />}
    </>
  );
}

function OperatorMenu({ operator, onChangeRole }: { operator: OperatorInList; onChangeRole: () => void }) {
  const t = useTranslations('operators');
  const { allowed, why } = usePermission('operators:write');
  const [suspend, resume, remove] = [useOperatorSuspend(), useOperatorResume(), useOperatorRemove()];
  const { id, name } = operator;
  const onError = tellFailed(t('failed'));
  const ask = (what: 'suspend' | 'remove', onConfirm: () => void) =>
    askToConfirm({
      title: t(`${what}Title`, { name }),
      children: <Text size="sm">{t(`${what}Hint`)}</Text>,
      labels: { confirm: t(what), cancel: t('keep') },
      color: 'ember',
      onConfirm,
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={t('actionsOf', { name })}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!allowed && why && <Menu.Label maw={240}>{why}</Menu.Label>}
        <Menu.Item disabled={!allowed} onClick={onChangeRole}>
          {t('changeRole')}
        </Menu.Item>
        {operator.suspendedAt ? (
          <Menu.Item disabled={!allowed} onClick={() => resume.mutate(id, { onError })}>
            {t('resume')}
          </Menu.Item>
        ) : (
          <Menu.Item
            disabled={!allowed}
            onClick={() => ask('suspend', () => suspend.mutate(id, { onError }))}
          >
            {t('suspend')}
          </Menu.Item>
        )}
        <Menu.Item
          disabled={!allowed}
          color="ember"
          onClick={() => ask('remove', () => remove.mutate(id, { onError }))}
        >
          {t('remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function RoleDialog({ operator, onClose }: { operator: OperatorInList; onClose: () => void }) {
  const t = useTranslations('operators');
  const [role, setRole] = useState(operator.role);
  const change = useOperatorRoleChange();
  return (
    <CreateModal
      title={t('roleOf', { name: operator.name })}
      opened
      onClose={onClose}
      onSubmit={() => change.mutate({ id: operator.id, role }, { onSuccess: onClose })}
      submitLabel={t('changeRole')}
      pending={change.isPending}
      problem={change.error?.message}
    >
      <RoleSelect label={t('role')} value={role} onChange={setRole} />
    </CreateModal>
  );
}
