import { Badge, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { LinkAnchor } from '../../components/links.js';
import type { ChangeSetStatus } from '../../generated/graphql.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import { type ChangeSetInList, changeSetCreateCall, useChangeSetCreate } from './api.js';

const STATUS_TEXT = {
  APPLIED: 'Applied',
  APPROVED: 'Approved',
  CANCELLED: 'Canceled',
  DRAFT: 'Draft',
  FAILED: 'Failed',
  REJECTED: 'Rejected',
  SCHEDULED: 'Scheduled',
  SUBMITTED: 'Pending approval',
} as const;

const COLORS: Record<ChangeSetStatus, string> = {
  DRAFT: 'gray',
  SUBMITTED: 'ochre',
  APPROVED: 'gate',
  SCHEDULED: 'gate',
  APPLIED: 'gate',
  FAILED: 'ember',
  REJECTED: 'ember',
  CANCELLED: 'gray',
};

/** How far a change set has come. */
export function StatusBadge({ status }: { status: ChangeSetStatus }) {
  return (
    <Badge color={COLORS[status]} variant={status === 'APPLIED' ? 'filled' : 'light'}>
      {STATUS_TEXT[status]}
    </Badge>
  );
}

/** Change sets with how far each has come. */
export function ChangeSetsTable({ sets }: { sets: readonly ChangeSetInList[] }) {
  return (
    <DataTable
      label="Change sets"
      columns={[
        { name: 'Change set' },
        { name: 'Status' },
        { name: 'Changes', numeric: true },
        { name: 'Author' },
        { name: 'Created' },
      ]}
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
            <time dateTime={createdAt} title={formatMoment(createdAt)}>
              {formatAgo(createdAt)}
            </time>
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

/** Begins an empty change set. */
export function ChangeSetCreate({ onClose, onCreated }: ChangeSetCreateProps) {
  const [values, setValues] = useState({ title: '', description: '' });
  const create = useChangeSetCreate();
  const { byField, form } = errorsByField(create.error, ['title', 'description']);
  return (
    <CreateModal
      title="New change set"
      opened
      onClose={onClose}
      onSubmit={() => create.mutate(values, { onSuccess: ({ id }) => onCreated(id) })}
      submitLabel="Create"
      pending={create.isPending}
      problem={form}
      copy={{ call: changeSetCreateCall(values) }}
    >
      <TextInput
        label="Title"
        required
        data-autofocus
        value={values.title}
        onChange={(event) => setValues({ ...values, title: event.currentTarget.value })}
        error={byField.title}
      />
      <Textarea
        label="Description"
        value={values.description}
        onChange={(event) => setValues({ ...values, description: event.currentTarget.value })}
        error={byField.description}
        autosize
        minRows={2}
      />
    </CreateModal>
  );
}
