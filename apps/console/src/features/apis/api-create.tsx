import { Select, TagsInput, Textarea } from '@mantine/core';
import { CreateModal } from '../../components/create-modal.js';
import { NameAndKey } from '../../components/fields.js';
import type { UnknownOperations } from '../../generated/graphql.js';
import { useFields } from '../../lib/form.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { ApiCreateDocument, apisQuery } from './api.js';
import { UNKNOWN_CHOICES } from './api-forms.js';

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
  operations: string[];
  unknownOperations: UnknownOperations;
}

const configOf = ({ name, description, operations, unknownOperations }: NewApi) => ({
  name,
  operations: Object.fromEntries(operations.map((operation) => [operation, {}])),
  ...(description && { description }),
  unknownOperations: unknownOperations.toLowerCase(),
});

export function ApiCreate({ onClose, onCreated, suggestedKey = '' }: ApiCreateProps) {
  const fields = ['name', 'key', 'description', 'operations', 'unknownOperations'];
  const { errors, dialog } = useMutationDialog(ApiCreateDocument, fields, apisQuery.queryKey);
  const { values, set, bind } = useFields<NewApi>(errors, {
    name: suggestedKey,
    key: suggestedKey,
    description: '',
    operations: [],
    unknownOperations: 'COUNT',
  });
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
      <TagsInput
        label="Operations"
        description="Names that services send, such as createURL, separated by commas. You can add more later."
        splitChars={[',', ' ', ';']}
        acceptValueOnBlur
        {...bind('operations')}
      />
      <Textarea label="Description" {...bind('description')} />
      <Select label="Unregistered operations" data={UNKNOWN_CHOICES} {...bind('unknownOperations')} />
    </CreateModal>
  );
}
