import { ActionIcon, Button, MultiSelect, Select, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { CarryOverChoice } from '../../components/fields.js';
import type { BillingInterval, OfferEffectKind } from '../../generated/graphql.js';
import { listCurrencies } from '../../lib/number-format.js';
import { canHaveQuantity, type EffectDraft, type OfferDraft } from './offer-draft.js';
import classes from './offers.module.css';

const KIND_TEXT = { ADD: 'Add', MULTIPLY: 'Multiply by' } as const;

const MOST_EFFECTS = 8;
const EVERY = '*';
const RATES = '*RATE';
const QUOTAS = '*QUOTA';

interface EffectFieldsProps {
  effects: readonly EffectDraft[];
  onChange: (effects: EffectDraft[]) => void;
  limitsByApi: ReadonlyMap<string, string[]>;
  errors: Record<string, string>;
}

/** Effects of an offer on the rates and quotas of one or more APIs. */
export function EffectFields({ effects, onChange, limitsByApi, errors }: EffectFieldsProps) {
  const change = (id: number, part: Partial<EffectDraft>) =>
    onChange(effects.map((effect) => (effect.id === id ? { ...effect, ...part } : effect)));
  const add = () => {
    const id = Math.max(-1, ...effects.map((effect) => effect.id)) + 1;
    onChange([...effects, { id, kind: 'ADD', amount: '', apiKey: null, limitName: null, appliesTo: null }]);
  };
  return (
    <div>
      {effects.map((effect, index) => {
        const number = String(index + 1);
        return (
          <div key={effect.id} className={classes.effectRow}>
            <Select
              aria-label={`Effect ${number}`}
              data={(['ADD', 'MULTIPLY'] as const).map((kind) => ({ value: kind, label: KIND_TEXT[kind] }))}
              value={effect.kind}
              onChange={(kind) =>
                kind &&
                change(effect.id, {
                  kind: kind as OfferEffectKind,
                  amount: kind === 'ADD' ? '1,000' : '200 %',
                })
              }
              allowDeselect={false}
            />
            <TextInput
              aria-label={`Amount of effect ${number}`}
              value={effect.amount}
              placeholder={effect.kind === 'ADD' ? '1,000' : '200 %'}
              onChange={({ currentTarget: { value } }) => change(effect.id, { amount: value })}
              error={errors[`effects.${effect.id}`]}
              styles={{ input: { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } }}
            />
            <LimitSelect effect={effect} number={number} limitsByApi={limitsByApi} onChange={change} />
            <Select
              aria-label={`API of effect ${number}`}
              data={[
                { value: EVERY, label: 'Every API' },
                ...[...limitsByApi.keys()].map((key) => ({ value: key, label: key })),
              ]}
              value={effect.apiKey ?? EVERY}
              onChange={(key) =>
                key && change(effect.id, { apiKey: key === EVERY ? null : key, limitName: null })
              }
              allowDeselect={false}
              searchable
            />
            <ActionIcon
              aria-label={`Remove effect ${number}`}
              disabled={effects.length === 1}
              onClick={() => onChange(effects.filter(({ id }) => id !== effect.id))}
            >
              <IconX size={15} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
      <Button
        variant="subtle"
        mt={8}
        leftSection={<IconPlus size={14} aria-hidden />}
        disabled={effects.length >= MOST_EFFECTS}
        onClick={add}
      >
        Add effect
      </Button>
    </div>
  );
}

interface LimitSelectProps {
  effect: EffectDraft;
  number: string;
  limitsByApi: ReadonlyMap<string, string[]>;
  onChange: (id: number, part: Partial<EffectDraft>) => void;
}

/** Which limits: all, those of one kind, or one by name, within the API that is chosen. */
function LimitSelect({ effect, number, limitsByApi, onChange }: LimitSelectProps) {
  const { apiKey, limitName, appliesTo } = effect;
  const named = apiKey === null ? [] : (limitsByApi.get(apiKey) ?? []);
  const known = limitName === null || named.includes(limitName) ? named : [...named, limitName];
  const value = limitName ?? (appliesTo === null ? EVERY : appliesTo === 'RATE' ? RATES : QUOTAS);
  const choose = (choice: string | null) => {
    if (choice === null) return;
    const target = choice === RATES ? 'RATE' : choice === QUOTAS ? 'QUOTA' : null;
    const isName = choice !== EVERY && target === null;
    onChange(effect.id, { limitName: isName ? choice : null, appliesTo: target });
  };
  return (
    <Select
      aria-label={`Limit of effect ${number}`}
      data={[
        { value: EVERY, label: 'Every limit' },
        { value: RATES, label: 'Every rate' },
        { value: QUOTAS, label: 'Every quota' },
        ...known.map((name) => ({ value: name, label: name })),
      ]}
      value={value}
      onChange={choose}
      allowDeselect={false}
    />
  );
}

const VALUE_TEXT = { MONTH: 'Month', YEAR: 'Year' } as const;

interface FieldsProps {
  draft: OfferDraft;
  onChange: (part: Partial<OfferDraft>) => void;
  isNew: boolean;
  errors: Record<string, string>;
}

/** Price, interval and duration. */
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

/** Eligible tiers, stock and carry-over. */
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
