import { MultiSelect, NumberInput, TextInput } from '@mantine/core';
import { ChangeReview } from '../../../components/change-review.js';
import { useForm } from '../../../lib/use-form.js';
import type { ApiDetail, PoolDetail } from '../api/api.js';
import { useApiChanges } from '../api/api-change.js';
import type { ApiFormProps } from './review-props.js';

interface PoolFormProps extends ApiFormProps {
  api: ApiDetail;
  /** The one to change; left out: a new one. */
  pool?: PoolDetail;
}

const START_CAPACITY = 100;
const START_RECLAIM = 80;

/** Adds a pool of capacity to an API, or changes one. */
export function PoolForm({ api, pool, onClose, onDone, aside }: PoolFormProps) {
  const { poolCreate, poolUpdate } = useApiChanges();
  const { values, set, byField, told } = useForm({
    name: pool?.name ?? '',
    operations: pool?.operations ?? [],
    capacity: pool?.capacity ?? START_CAPACITY,
    reclaimPercent: pool?.reclaimPercent ?? START_RECLAIM,
  });
  const input = { apiKey: api.key, expectedVersion: api.version, ...values };
  const call = pool
    ? { mutation: 'poolUpdate', inputType: 'PoolUpdateInput', input }
    : { mutation: 'poolCreate', inputType: 'PoolCreateInput', input };
  const { name } = values;
  return (
    <ChangeReview
      title={pool ? `Edit pool ${name}` : `Add pool to ${api.name}`}
      permission="apis:write"
      call={call}
      config={{ apis: { [api.key]: { name: api.name, pools: [values] } } }}
      incomplete={name === ''}
      send={(terms) => (pool ? poolUpdate({ ...input, ...terms }) : poolCreate({ ...input, ...terms }))}
      {...told}
      onClose={onClose}
      onApplied={({ changeId }) => onDone(pool ? `Pool ${name} updated` : `Pool ${name} added`, changeId)}
      {...(aside ? { aside: () => aside(call) } : {})}
    >
      {!pool && (
        <TextInput
          label="Name"
          description="Elastic limits refer to it by name. It cannot be changed later."
          required
          data-autofocus
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={byField.name}
          spellCheck={false}
          autoComplete="off"
        />
      )}
      <NumberInput
        label="Capacity (units per second)"
        min={1}
        allowDecimal={false}
        thousandSeparator=","
        value={values.capacity}
        onChange={(value) => set({ capacity: Number(value) || 1 })}
        error={byField.capacity}
      />
      <NumberInput
        label="Lending threshold (percent)"
        description="Capacity can be borrowed while less than this share is used."
        min={1}
        max={100}
        suffix=" %"
        allowDecimal={false}
        value={values.reclaimPercent}
        onChange={(value) => set({ reclaimPercent: Number(value) || 1 })}
        error={byField.reclaimPercent}
      />
      <MultiSelect
        label="Operations"
        data={api.operations.map((operation) => operation.name)}
        value={values.operations}
        onChange={(operations) => set({ operations })}
        {...(values.operations.length === 0 ? { placeholder: 'All operations' } : {})}
        error={byField.operations}
      />
    </ChangeReview>
  );
}
