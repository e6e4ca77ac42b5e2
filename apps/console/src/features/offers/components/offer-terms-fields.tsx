import { MultiSelect, Select, TextInput } from '@mantine/core';
import { CarryOverChoice } from '../../../components/fields.js';
import type { BillingInterval } from '../../../generated/graphql.js';
import { listCurrencies } from '../../../lib/number-format.js';
import { canHaveQuantity, type OfferDraft } from '../offer-draft.js';
import classes from './offers.module.css';

const VALUE_TEXT = { MONTH: 'Month', YEAR: 'Year' } as const;

interface FieldsProps {
  draft: OfferDraft;
  onChange: (part: Partial<OfferDraft>) => void;
  isNew: boolean;
  errors: Record<string, string>;
}

/** What it costs, how often, and how long it lasts. */
export function PriceFields({ draft, onChange, isNew, errors }: FieldsProps) {
  const isUpgrade = draft.kind === 'UPGRADE';
  return (
    <div className={classes.fields}>
      <TextInput
        label="Price"
        required
        inputMode="decimal"
        placeholder="49.00"
        value={draft.price}
        onChange={({ currentTarget: { value } }) => onChange({ price: value })}
        error={errors.priceMinor}
      />
      <Select
        label="Currency"
        data={listCurrencies()}
        value={draft.currency}
        onChange={(currency) => currency && onChange({ currency })}
        allowDeselect={false}
        searchable
        limit={40}
        disabled={!isNew}
        error={errors.currency}
      />
      {isUpgrade ? (
        <>
          <Select
            label="Renews every"
            data={(['MONTH', 'YEAR'] as const).map((value) => ({ value, label: VALUE_TEXT[value] }))}
            value={draft.interval}
            onChange={(interval) => interval && onChange({ interval: interval as BillingInterval })}
            allowDeselect={false}
            disabled={!isNew}
            error={errors.interval}
          />
          <TextInput
            label="Grace period (days)"
            description="How long a purchase stays active after a renewal fails."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            inputMode="numeric"
            value={draft.graceDays}
            onChange={({ currentTarget: { value } }) => onChange({ graceDays: value })}
            error={errors.graceDays}
          />
        </>
      ) : (
        <TextInput
          label="Expires after (days)"
          inputMode="numeric"
          value={draft.validDays}
          onChange={({ currentTarget: { value } }) => onChange({ validDays: value })}
          error={errors.validDays}
        />
      )}
    </div>
  );
}

/** Who can buy it, how many, and what becomes of what is used. */
export function AvailabilityFields({
  draft,
  onChange,
  isNew,
  errors,
  tiers,
}: FieldsProps & { tiers: ReadonlyArray<{ key: string; name: string }> }) {
  const severalAtOnce = canHaveQuantity(draft);
  return (
    <div className={classes.fields}>
      <MultiSelect
        className={classes.wide ?? ''}
        label="Only for tenants on"
        description="Leave empty for all tiers."
        data={tiers.map(({ key, name }) => ({ value: key, label: name }))}
        value={draft.tierKeys}
        onChange={(tierKeys) => onChange({ tierKeys })}
        placeholder={draft.tierKeys.length === 0 ? 'Any tier' : ''}
        error={errors.tierKeys}
      />
      <TextInput
        label="Maximum quantity"
        description={severalAtOnce ? undefined : 'Multipliers are sold one at a time.'}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="numeric"
        value={severalAtOnce ? draft.maxQuantity : '1'}
        onChange={({ currentTarget: { value } }) => onChange({ maxQuantity: value })}
        disabled={!severalAtOnce}
        error={errors.maxQuantity}
      />
      <TextInput
        label="Stock"
        description="Leave empty for unlimited stock."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="numeric"
        value={draft.stock}
        onChange={({ currentTarget: { value } }) => onChange({ stock: value })}
        error={errors.stock}
      />
      {isNew && (
        <CarryOverChoice
          label="Existing usage"
          value={draft.carryOver}
          onChange={(carryOver) => onChange({ carryOver })}
        />
      )}
    </div>
  );
}
