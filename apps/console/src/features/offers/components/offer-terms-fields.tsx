import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { CarryOverChoice } from '../../../components/carry-over-choice.js';
import type { BillingInterval } from '../../../generated/graphql.js';
import { listCurrencies } from '../../../lib/money.js';
import { canHaveQuantity, type OfferDraft } from '../offer-draft.js';
import classes from './offers.module.css';

interface FieldsProps {
  draft: OfferDraft;
  onChange: (part: Partial<OfferDraft>) => void;
  isNew: boolean;
  errors: Record<string, string>;
}

/** What it costs, how often, and how long it lasts. */
export function PriceFields({ draft, onChange, isNew, errors }: FieldsProps) {
  const t = useTranslations('offers');
  const isUpgrade = draft.kind === 'UPGRADE';
  return (
    <div className={classes.fields}>
      <TextInput
        label={t('price')}
        required
        inputMode="decimal"
        placeholder="49.00"
        value={draft.price}
        onChange={({ currentTarget: { value } }) => onChange({ price: value })}
        error={errors.priceMinor}
      />
      <Select
        label={t('currency')}
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
            label={t('renews')}
            data={(['MONTH', 'YEAR'] as const).map((value) => ({ value, label: t(value) }))}
            value={draft.interval}
            onChange={(interval) => interval && onChange({ interval: interval as BillingInterval })}
            allowDeselect={false}
            disabled={!isNew}
            error={errors.interval}
          />
          <TextInput
            label={t('grace')}
            description={t('graceHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            inputMode="numeric"
            value={draft.graceDays}
            onChange={({ currentTarget: { value } }) => onChange({ graceDays: value })}
            error={errors.graceDays}
          />
        </>
      ) : (
        <TextInput
          label={t('validDays')}
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
  const t = useTranslations('offers');
  const severalAtOnce = canHaveQuantity(draft);
  return (
    <div className={classes.fields}>
      <MultiSelect
        className={classes.wide ?? ''}
        label={t('tiers')}
        description={t('tiersHint')}
        data={tiers.map(({ key, name }) => ({ value: key, label: name }))}
        value={draft.tierKeys}
        onChange={(tierKeys) => onChange({ tierKeys })}
        placeholder={draft.tierKeys.length === 0 ? t('anyTier') : ''}
        error={errors.tierKeys}
      />
      <TextInput
        label={t('maxQuantity')}
        description={severalAtOnce ? undefined : t('maxQuantityFixed')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="numeric"
        value={severalAtOnce ? draft.maxQuantity : '1'}
        onChange={({ currentTarget: { value } }) => onChange({ maxQuantity: value })}
        disabled={!severalAtOnce}
        error={errors.maxQuantity}
      />
      <TextInput
        label={t('stock')}
        description={t('stockHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="numeric"
        value={draft.stock}
        onChange={({ currentTarget: { value } }) => onChange({ stock: value })}
        error={errors.stock}
      />
      {isNew && (
        <CarryOverChoice
          label={t('carryOver')}
          value={draft.carryOver}
          onChange={(carryOver) => onChange({ carryOver })}
        />
      )}
    </div>
  );
}
