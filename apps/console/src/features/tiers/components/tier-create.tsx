import { NumberInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { NameAndKey } from '../../../components/fields.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { tierCreateCall, useTierCreate } from '../api/tier-create.js';

interface TierCreateProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: string) => void;
}

/** A new tier, without limits. */
export function TierCreate({ opened, onClose, onCreated }: TierCreateProps) {
  const [values, setValues] = useState({ name: '', key: '', description: '', rank: 0 });
  const create = useTierCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'key', 'description', 'rank']);
  const { name, key, description, rank } = values;
  const submit = () => {
    create.mutate(values, { onSuccess: () => onCreated(key) });
  };
  return (
    <CreateModal
      title="Create tier"
      opened={opened}
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Create tier"
      pending={create.isPending}
      problem={form}
      copy={{
        call: tierCreateCall(values),
        config: { tiers: { [key]: { name, ...(description && { description }), rank } } },
      }}
    >
      <NameAndKey
        value={values}
        onChange={(change) => setValues({ ...values, ...change })}
        errors={byField}
        keyHint="Used in GraphQL and in files. It cannot be changed later."
      />
      <Textarea
        label="Description"
        value={values.description}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, description: value })}
        error={byField.description}
        autosize
        minRows={2}
      />
      <NumberInput
        label="Rank"
        description="Tiers are shown from the lowest rank to the highest."
        value={values.rank}
        onChange={(rank) => setValues({ ...values, rank: Number(rank) || 0 })}
        allowDecimal={false}
        error={byField.rank}
      />
    </CreateModal>
  );
}
