import { Select, Textarea } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { NameAndKey } from '../../components/fields.js';
import type { UnknownOperations } from '../../generated/graphql.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { apiCreateCall, useApiCreate } from './api.js';

const CHOICES: ReadonlyArray<{ value: UnknownOperations; label: string }> = [
  { value: 'COUNT', label: 'Count against the limits of the whole API' },
  { value: 'ALLOW', label: 'Allow without limits' },
  { value: 'REFUSE', label: 'Deny' },
];

interface ApiCreateProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: string) => void;
  /** Key under which services already send requests. */
  suggestedKey?: string;
}

interface NewApi {
  name: string;
  key: string;
  description: string;
  unknownOperations: UnknownOperations;
}

const configOf = ({ name, description, unknownOperations }: NewApi) => ({
  name,
  ...(description && { description }),
  unknownOperations: unknownOperations.toLowerCase(),
});

/** Registers an API, without operations. */
export function ApiCreate({ opened, onClose, onCreated, suggestedKey = '' }: ApiCreateProps) {
  const [values, setValues] = useState<NewApi>({
    name: suggestedKey,
    key: suggestedKey,
    description: '',
    unknownOperations: 'COUNT',
  });
  const create = useApiCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'key', 'description', 'unknownOperations']);
  const submit = () => {
    create.mutate(values, { onSuccess: () => onCreated(values.key) });
  };
  return (
    <CreateModal
      title="Register API"
      opened={opened}
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Register API"
      pending={create.isPending}
      problem={form}
      copy={{
        call: apiCreateCall(values),
        config: { apis: { [values.key]: configOf(values) } },
      }}
    >
      <NameAndKey
        value={values}
        onChange={(change) => setValues({ ...values, ...change })}
        errors={byField}
        keyHint="Services send it as “api” with each request. It cannot be changed later."
      />
      <Textarea
        label="Description"
        value={values.description}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, description: value })}
        error={byField.description}
        autosize
        minRows={2}
      />
      <Select
        label="Unregistered operations"
        data={CHOICES}
        value={values.unknownOperations}
        onChange={(choice) => choice && setValues({ ...values, unknownOperations: choice })}
        allowDeselect={false}
        error={byField.unknownOperations}
      />
    </CreateModal>
  );
}
