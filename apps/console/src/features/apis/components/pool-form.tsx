import { MultiSelect, NumberInput, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
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
  const t = useTranslations('apis');
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
      title={pool ? t('editPoolTitle', { name }) : t('addPoolTitle', { api: api.name })}
      permission="apis:write"
      call={call}
      config={{ apis: { [api.key]: { name: api.name, pools: [values] } } }}
      incomplete={name === ''}
      send={(terms) => (pool ? poolUpdate({ ...input, ...terms }) : poolCreate({ ...input, ...terms }))}
      {...told}
      onClose={onClose}
      onApplied={({ changeId }) =>
        onDone(pool ? t('poolChanged', { name }) : t('poolAdded', { name }), changeId)
      }
      {...(aside ? { aside: () => aside(call) } : {})}
    >
      {!pool && (
        <TextInput
          label={t('poolName')}
          description={t('poolNameHint')}
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
        label={t('capacity')}
        min={1}
        allowDecimal={false}
        thousandSeparator=","
        value={values.capacity}
        onChange={(value) => set({ capacity: Number(value) || 1 })}
        error={byField.capacity}
      />
      <NumberInput
        label={t('reclaim')}
        description={t('reclaimHint')}
        min={1}
        max={100}
        suffix=" %"
        allowDecimal={false}
        value={values.reclaimPercent}
        onChange={(value) => set({ reclaimPercent: Number(value) || 1 })}
        error={byField.reclaimPercent}
      />
      <MultiSelect
        label={t('poolOperations')}
        data={api.operations.map((operation) => operation.name)}
        value={values.operations}
        onChange={(operations) => set({ operations })}
        {...(values.operations.length === 0 ? { placeholder: t('poolAll') } : {})}
        error={byField.operations}
      />
    </ChangeReview>
  );
}
