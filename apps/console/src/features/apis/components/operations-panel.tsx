import { Text } from '@mantine/core';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { KeyText } from '../../../components/key-text.js';
import { Panel } from '../../../components/page.js';
import { PRIORITY_TEXT } from '../../../lib/labels.js';
import { formatNumber } from '../../../lib/number-format.js';
import type { OperationDetail } from '../api/api.js';
import { OperationForm } from './operation-form.js';
import { AddPartButton, PartButtons } from './part-buttons.js';
import { Removal } from './removal.js';
import { type OpenPart, type PartsPanelProps, usePartForms } from './use-part-forms.js';

/** What can be called on an API, what each call costs, and when it is pushed back. */
export function OperationsPanel(props: PartsPanelProps) {
  const { api, editable } = props;
  const { open, setOpen, form } = usePartForms<OperationDetail>(props);
  return (
    <Panel
      title="Operations"
      flush
      actions={
        <AddPartButton label="Add operation" editable={editable} onClick={() => setOpen({ kind: 'add' })} />
      }
    >
      {api.operations.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          No operations yet. Limits can still apply to the whole API.
        </Text>
      ) : (
        <DataTable
          label="Operations"
          columns={[
            { name: 'Operation' },
            { name: 'Description' },
            { name: 'Priority' },
            { name: 'Cost', numeric: true },
            ...(editable ? [{ name: 'Actions', hidden: true }] : []),
          ]}
        >
          {api.operations.map((operation) => (
            <OperationRow key={operation.id} operation={operation} editable={editable} onOpen={setOpen} />
          ))}
        </DataTable>
      )}
      {open?.kind === 'add' && <OperationForm {...form} />}
      {open?.kind === 'edit' && <OperationForm {...form} operation={open.part} />}
      {open?.kind === 'delete' && <Removal {...form} part={{ kind: 'operation', name: open.part.name }} />}
    </Panel>
  );
}

interface OperationRowProps {
  operation: OperationDetail;
  editable: boolean;
  onOpen: (open: OpenPart<OperationDetail>) => void;
}

function OperationRow({ operation, editable, onOpen }: OperationRowProps) {
  const { name, description, priority, cost } = operation;
  return (
    <tr>
      <th scope="row">
        <KeyText>{name}</KeyText>
      </th>
      <td style={{ minWidth: 180 }}>
        {description || <span style={{ color: 'var(--tg-text-soft)' }}>–</span>}
      </td>
      <td>{PRIORITY_TEXT[priority]}</td>
      <NumericCell>{formatNumber(cost)}</NumericCell>
      {editable && (
        <td style={{ width: 1, whiteSpace: 'nowrap', paddingBlock: 4 }}>
          <PartButtons
            editLabel={`Edit operation ${name}`}
            deleteLabel={`Delete operation ${name}`}
            onEdit={() => onOpen({ kind: 'edit', part: operation })}
            onDelete={() => onOpen({ kind: 'delete', part: operation })}
          />
        </td>
      )}
    </tr>
  );
}
