import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { parseCount } from '../../../lib/rate.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { useOperationCreate } from '../api/operation-create.js';

interface OperationCreateProps {
  api: { key: string; name: string; version: number };
  opened: boolean;
  onClose: () => void;
}

/** Adds an operation to an API. */
export function OperationCreate({ api, opened, onClose }: OperationCreateProps) {
  const [values, setValues] = useState({ name: '', description: '', cost: '1' });
  const create = useOperationCreate();
  const cost = parseCount(values.cost);
  const { byField, form } = errorsByField(create.error, ['name', 'description', 'cost']);
  const submit = () => {
    if (!cost.ok) return;
    create.mutate(
      {
        apiKey: api.key,
        expectedVersion: api.version,
        name: values.name,
        description: values.description,
        cost: cost.value,
      },
      { onSuccess: onClose },
    );
  };
  return (
    <CreateModal
      title={`Add an operation to ${api.name}`}
      opened={opened}
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Add operation"
      pending={create.isPending}
      problem={form}
    >
      <TextInput
        label="Name"
        description="As services send it, such as createURL."
        required
        data-autofocus
        value={values.name}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, name: value })}
        error={byField.name}
        spellCheck={false}
        autoComplete="off"
      />
      <TextInput
        label="Cost"
        description="How many units one call takes from a limit."
        required
        inputMode="numeric"
        value={values.cost}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, cost: value })}
        error={cost.ok ? byField.cost : cost.message}
      />
      <Textarea
        label="Description"
        value={values.description}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, description: value })}
        error={byField.description}
        autosize
        minRows={2}
      />
    </CreateModal>
  );
}
