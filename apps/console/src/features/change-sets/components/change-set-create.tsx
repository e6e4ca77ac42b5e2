import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { changeSetCreateCall, useChangeSetCreate } from '../api/change-set-collect.js';

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
