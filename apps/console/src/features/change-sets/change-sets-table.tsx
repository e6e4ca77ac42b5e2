import { Badge, Textarea, TextInput } from '@mantine/core';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { LinkAnchor } from '../../components/links.js';
import type { ChangeSetStatus } from '../../generated/graphql.js';
import { useFields } from '../../lib/form.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { type ChangeSetInList, changeSetCreateCall, useChangeSetCreate } from './api.js';

const STATUSES: Record<ChangeSetStatus, { text: string; color: string }> = {
  DRAFT: { text: 'Draft', color: 'gray' },
  SUBMITTED: { text: 'Pending approval', color: 'ochre' },
  APPROVED: { text: 'Approved', color: 'gate' },
  SCHEDULED: { text: 'Scheduled', color: 'gate' },
  APPLIED: { text: 'Applied', color: 'gate' },
  FAILED: { text: 'Failed', color: 'ember' },
  REJECTED: { text: 'Rejected', color: 'ember' },
  CANCELED: { text: 'Canceled', color: 'gray' },
};

export function StatusBadge({ status }: { status: ChangeSetStatus }) {
  const { text, color } = STATUSES[status];
  return (
    <Badge color={color} variant={status === 'APPLIED' ? 'filled' : 'light'}>
      {text}
    </Badge>
  );
}

export function ChangeSetsTable({ sets }: { sets: readonly ChangeSetInList[] }) {
  return (
    <DataTable
      label="Change sets"
      columns={['Change set', 'Status', numeric('Changes'), 'Author', 'Created']}
    >
      {sets.map(({ id, title, status, items, author, createdAt }) => (
        <tr key={id}>
          <th scope="row">
            <LinkAnchor to="/change-sets/$changeSetId" params={{ changeSetId: id }} c="inherit">
              {title}
            </LinkAnchor>
          </th>
          <td>
            <StatusBadge status={status} />
          </td>
          <NumericCell>{items.length}</NumericCell>
          <td>{author}</td>
          <td>
            <Ago at={createdAt} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

interface ChangeSetCreateProps {
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function ChangeSetCreate({ onClose, onCreated }: ChangeSetCreateProps) {
  const create = useChangeSetCreate();
  const { byField, form } = errorsByField(create.error, ['title', 'description']);
  const { values, bind } = useFields(byField, { title: '', description: '' });
  return (
    <CreateModal
      title="New change set"
      onClose={onClose}
      onSubmit={() => create.mutate(values, { onSuccess: ({ id }) => onCreated(id) })}
      submitLabel="Create"
      pending={create.isPending}
      problem={form}
      copy={{ call: changeSetCreateCall(values) }}
    >
      <TextInput label="Title" required data-autofocus {...bind('title')} />
      <Textarea label="Description" {...bind('description')} />
    </CreateModal>
  );
}
