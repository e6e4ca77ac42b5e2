import { Select, Textarea } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { NameAndKey } from '../../components/fields.js';
import type { UnknownOperations } from '../../generated/graphql.js';
import { bindFields } from '../../lib/form.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { ApiCreateDocument, apisQuery } from './api.js';

const CHOICES: ReadonlyArray<{ value: UnknownOperations; label: string }> = [
  { value: 'COUNT', label: 'Count against the limits of the whole API' },
  { value: 'ALLOW', label: 'Allow without limits' },
  { value: 'REFUSE', label: 'Deny' },
];

interface ApiCreateProps {
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

export function ApiCreate({ onClose, onCreated, suggestedKey = '' }: ApiCreateProps) {
  const [values, setValues] = useState<NewApi>({
    name: suggestedKey,
    key: suggestedKey,
    description: '',
    unknownOperations: 'COUNT',
  });
  const fields = ['name', 'key', 'description', 'unknownOperations'];
  const { errors, dialog } = useMutationDialog(ApiCreateDocument, fields, apisQuery.queryKey);
  const set = (part: Partial<NewApi>) => setValues({ ...values, ...part });
  const bind = bindFields(values, set, errors);
  return (
    <CreateModal
      title="Register API"
      submitLabel="Register API"
      onClose={onClose}
      {...dialog(values, () => onCreated(values.key), { apis: { [values.key]: configOf(values) } })}
    >
      <NameAndKey
        value={values}
        onChange={set}
        errors={errors}
        keyHint="Services send it as “api” with each request. It cannot be changed later."
      />
      <Textarea label="Description" autosize minRows={2} {...bind('description')} />
      <Select
        label="Unregistered operations"
        data={CHOICES}
        allowDeselect={false}
        {...bind('unknownOperations')}
      />
    </CreateModal>
  );
}
