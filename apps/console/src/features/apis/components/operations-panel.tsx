import { ActionIcon, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { GatedButton } from '../../../components/gated-button.js';
import { KeyText } from '../../../components/key-text.js';
import { Panel } from '../../../components/page.js';
import { formatNumber } from '../../../lib/number-format.js';
import type { ApiDetail, OperationDetail } from '../api/api.js';
import { OperationForm } from './operation-form.js';
import { Removal } from './removal.js';
import type { ApiFormProps } from './review-props.js';

interface OperationsPanelProps extends Pick<ApiFormProps, 'aside' | 'onDone'> {
  api: ApiDetail;
  editable: boolean;
}

type Open = { kind: 'add' } | { kind: 'edit' | 'delete'; operation: OperationDetail };

/** What can be called on an API, what each call costs, and when it is pushed back. */
export function OperationsPanel({ api, editable, aside, onDone }: OperationsPanelProps) {
  const t = useTranslations('apis');
  const [open, setOpen] = useState<Open>();
  const form = {
    api,
    ...(aside ? { aside } : {}),
    onClose: () => setOpen(undefined),
    onDone: (title: string, changeId: string | null | undefined) => {
      setOpen(undefined);
      onDone(title, changeId);
    },
  };
  return (
    <Panel
      title={t('operations')}
      flush
      actions={
        <GatedButton
          permission="apis:write"
          variant="default"
          disabled={!editable}
          leftSection={<IconPlus size={15} aria-hidden />}
          onClick={() => setOpen({ kind: 'add' })}
        >
          {t('addOperation')}
        </GatedButton>
      }
    >
      {api.operations.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          {t('operationsEmpty')}
        </Text>
      ) : (
        <DataTable
          label={t('operations')}
          columns={[
            { name: t('operation') },
            { name: t('description') },
            { name: t('priority') },
            { name: t('cost'), numeric: true },
            ...(editable ? [{ name: t('actions'), hidden: true }] : []),
          ]}
        >
          {api.operations.map((operation) => (
            <OperationRow key={operation.id} operation={operation} editable={editable} onOpen={setOpen} />
          ))}
        </DataTable>
      )}
      {open?.kind === 'add' && <OperationForm {...form} />}
      {open?.kind === 'edit' && <OperationForm {...form} operation={open.operation} />}
      {open?.kind === 'delete' && (
        <Removal {...form} part={{ kind: 'operation', name: open.operation.name }} />
      )}
    </Panel>
  );
}

interface OperationRowProps {
  operation: OperationDetail;
  editable: boolean;
  onOpen: (open: Open) => void;
}

function OperationRow({ operation, editable, onOpen }: OperationRowProps) {
  const t = useTranslations('apis');
  const { name, description, priority, cost } = operation;
  return (
    <tr>
      <th scope="row">
        <KeyText>{name}</KeyText>
      </th>
      <td style={{ minWidth: 180 }}>
        {description || <span style={{ color: 'var(--tg-text-soft)' }}>–</span>}
      </td>
      <td>{t(`priority${priority}`)}</td>
      <NumericCell>{formatNumber(cost)}</NumericCell>
      {editable && (
        <td style={{ width: 1, whiteSpace: 'nowrap', paddingBlock: 4 }}>
          <ActionIcon
            aria-label={t('editOperation', { name })}
            onClick={() => onOpen({ kind: 'edit', operation })}
          >
            <IconPencil size={16} stroke={1.7} aria-hidden />
          </ActionIcon>
          <ActionIcon
            aria-label={t('deleteOperation', { name })}
            onClick={() => onOpen({ kind: 'delete', operation })}
          >
            <IconTrash size={16} stroke={1.7} aria-hidden />
          </ActionIcon>
        </td>
      )}
    </tr>
  );
}
