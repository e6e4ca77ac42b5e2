import { ActionIcon, Button, MultiSelect, Select } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { CarryOverChoice } from '../../components/fields.js';
import { NumberText } from '../../components/typed-field.js';
import type { OfferEffectKind } from '../../generated/graphql.js';
import { bindFields } from '../../lib/form.js';
import { listCurrencies, parseMoney } from '../../lib/number-format.js';
import { parseCount, parsePercent } from '../../lib/rate.js';
import { canHaveQuantity, type EffectDraft, type OfferDraft } from './offer-draft.js';
import classes from './offers.module.css';

const KINDS = [
  { value: 'ADD', label: 'Add' },
  { value: 'MULTIPLY', label: 'Multiply by' },
];

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
        const number = index + 1;
        return (
          <div key={effect.id} className={classes.effectRow}>
            <Select
              aria-label={`Effect ${number}`}
              data={KINDS}
              value={effect.kind}
              onChange={(kind) =>
                kind &&
                change(effect.id, {
                  kind: kind as OfferEffectKind,
                  amount: kind === 'ADD' ? '1,000' : '200 %',
                })
              }
            />
            <NumberText
              aria-label={`Amount of effect ${number}`}
              value={effect.amount}
              placeholder={effect.kind === 'ADD' ? '1,000' : '200 %'}
              onChange={(amount) => change(effect.id, { amount })}
              parsed={parsePercent(effect.amount)}
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
  number: number;
  limitsByApi: ReadonlyMap<string, string[]>;
  onChange: (id: number, part: Partial<EffectDraft>) => void;
}

/** Limits of the chosen API: all, those of one kind, or one by name. */
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
    />
  );
}

const INTERVALS = [
  { value: 'MONTH', label: 'Month' },
  { value: 'YEAR', label: 'Year' },
];

interface FieldsProps {
  draft: OfferDraft;
  onChange: (part: Partial<OfferDraft>) => void;
  isNew: boolean;
  errors: Record<string, string>;
}

export function PriceFields({ draft, onChange, isNew, errors }: FieldsProps) {
  const bind = bindFields(draft, onChange, errors);
  return (
    <div className={classes.fields}>
      <NumberText
        label="Price"
        required
        inputMode="decimal"
        placeholder="49.00"
        {...bind('price')}
        parsed={parseMoney(draft.price, draft.currency)}
        error={errors.priceMinor}
      />
      <Select
        label="Currency"
        data={listCurrencies()}
        searchable
        limit={40}
        disabled={!isNew}
        {...bind('currency')}
      />
      {draft.kind === 'UPGRADE' ? (
        <>
          <Select label="Renews every" data={INTERVALS} disabled={!isNew} {...bind('interval')} />
          <NumberText
            label="Grace period (days)"
            description="How long a purchase stays active after a renewal fails."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            inputMode="numeric"
            {...bind('graceDays')}
            parsed={parseCount(draft.graceDays)}
          />
        </>
      ) : (
        <NumberText
          label="Expires after (days)"
          inputMode="numeric"
          {...bind('validDays')}
          parsed={parseCount(draft.validDays)}
        />
      )}
    </div>
  );
}

interface AvailabilityFieldsProps extends FieldsProps {
  tiers: ReadonlyArray<{ key: string; name: string }>;
}

export function AvailabilityFields(props: AvailabilityFieldsProps) {
  const { draft, onChange, isNew, errors, tiers } = props;
  const bind = bindFields(draft, onChange, errors);
  const severalAtOnce = canHaveQuantity(draft);
  return (
    <div className={classes.fields}>
      <MultiSelect
        className={classes.wide ?? ''}
        label="Only for tenants on"
        description="Leave empty for all tiers."
        data={tiers.map(({ key, name }) => ({ value: key, label: name }))}
        placeholder={draft.tierKeys.length === 0 ? 'Any tier' : ''}
        {...bind('tierKeys')}
      />
      <NumberText
        label="Maximum quantity"
        description={severalAtOnce ? undefined : 'Multipliers are sold one at a time.'}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="numeric"
        disabled={!severalAtOnce}
        {...bind('maxQuantity')}
        parsed={parseCount(draft.maxQuantity)}
        {...(severalAtOnce ? {} : { value: '1' })}
      />
      <NumberText
        label="Stock"
        description="Leave empty for unlimited stock."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="numeric"
        {...bind('stock')}
        parsed={parseCount(draft.stock)}
      />
      {isNew && <CarryOverChoice label="Existing usage" {...bind('carryOver')} />}
    </div>
  );
}
