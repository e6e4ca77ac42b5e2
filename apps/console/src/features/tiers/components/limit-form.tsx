import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import type { Algorithm, Alignment, OnUnavailable } from '../../../generated/graphql.js';
import type { LimitSpec } from '../../../lib/limit-spec.js';
import type { ApiChoice } from '../api/tier.js';
import type { LimitRow, RowErrors } from '../limit-edits.js';
import { BurstInput } from './burst-input.js';
import classes from './tiers.module.css';

const ALGORITHMS: ReadonlyArray<{ value: Algorithm; label: string }> = [
  { value: 'FIXED_WINDOW', label: 'Fixed window' },
  { value: 'GCRA', label: 'GCRA: evenly spaced' },
];

const ALIGNMENTS: ReadonlyArray<{ value: Alignment; label: string }> = [
  { value: 'CLOCK', label: 'On the clock' },
  { value: 'FIRST_REQUEST', label: 'At the first request' },
];

const OUTAGE_ANSWERS: ReadonlyArray<{ value: OnUnavailable; label: string }> = [
  { value: 'SHARE', label: 'Each node spends its share' },
  { value: 'DENY', label: 'Refuse' },
  { value: 'ALLOW', label: 'Allow' },
];

const DIMENSIONS = ['user', 'ip', 'key', 'device', 'service', 'region'];

interface LimitFormProps {
  row: LimitRow;
  apis: readonly ApiChoice[];
  errors: RowErrors | undefined;
  editable: boolean;
  onChange: (change: Partial<LimitSpec>) => void;
}

/** Everything about one limit except its rate. */
export function LimitForm({ row, apis, errors, editable, onChange }: LimitFormProps) {
  const api = apis.find((candidate) => candidate.key === row.apiKey);
  const disabled = !editable;
  return (
    <div className={classes.form}>
      <div data-span="4">
        <Select
          label="API"
          data={apis.map(({ key, name }) => ({ value: key, label: name }))}
          value={row.apiKey}
          onChange={(apiKey) => apiKey && onChange({ apiKey, operations: [] })}
          allowDeselect={false}
          error={errors?.apiKey}
          disabled={disabled}
        />
      </div>
      <div data-span="4">
        <MultiSelect
          label="Operations"
          data={api?.operations.map(({ name }) => name) ?? []}
          value={row.operations}
          onChange={(operations) => onChange({ operations })}
          {...(row.operations.length === 0 ? { placeholder: 'All operations' } : {})}
          error={errors?.operations}
          disabled={disabled}
        />
      </div>
      <div data-span="4">
        <TextInput
          label="Name"
          value={row.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          error={errors?.name}
          disabled={disabled}
        />
      </div>
      <div data-span="4">
        <Select
          label="Algorithm"
          data={ALGORITHMS}
          value={row.algorithm}
          onChange={(algorithm) => algorithm && onChange({ algorithm })}
          allowDeselect={false}
          error={errors?.algorithm}
          disabled={disabled}
        />
      </div>
      <div data-span="4">
        {row.algorithm === 'GCRA' ? (
          <BurstInput
            burst={row.burst ?? 0}
            onBurst={(burst) => onChange({ burst })}
            error={errors?.burst}
            disabled={disabled}
          />
        ) : (
          <Select
            label="Windows start"
            data={ALIGNMENTS}
            value={row.alignment ?? 'CLOCK'}
            onChange={(alignment) => alignment && onChange({ alignment })}
            allowDeselect={false}
            error={errors?.alignment}
            disabled={disabled}
          />
        )}
      </div>
      <div data-span="4">
        <Select
          label="While Redis cannot be asked"
          data={OUTAGE_ANSWERS}
          value={row.onUnavailable}
          onChange={(onUnavailable) => onUnavailable && onChange({ onUnavailable })}
          allowDeselect={false}
          error={errors?.onUnavailable}
          disabled={disabled}
        />
      </div>
      <div data-span="12">
        <TagsInput
          label="Counted per"
          description="Each tenant is always counted apart. Add what to divide it by: the caller must send a value for each."
          data={DIMENSIONS}
          value={row.per}
          onChange={(per) => onChange({ per })}
          {...(row.per.length === 0 ? { placeholder: 'Tenant only' } : {})}
          maxTags={4}
          error={errors?.per}
          disabled={disabled}
        />
      </div>
    </div>
  );
}
