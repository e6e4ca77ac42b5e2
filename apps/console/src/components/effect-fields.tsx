import { Group, Select } from '@mantine/core';
import type { EffectKind } from '../generated/graphql.js';
import { type EffectText, parseEffectAmount } from '../lib/effect-text.js';
import { AMOUNT_HINT_TEXT, EFFECT_KIND_TEXT } from '../lib/labels.js';
import { NumberText } from './typed-field.js';

const EVERY = '';

interface EffectTarget {
  apiKey: string | null;
  limit: string | null;
}

interface TargetFieldsProps {
  value: EffectTarget;
  onChange: (target: Partial<EffectTarget>) => void;
  apis: ReadonlyArray<{ value: string; label: string }>;
  /** Names of the limits of the chosen API; undefined: all limits are changed. */
  limits: readonly string[] | undefined;
  errors?: Record<string, string>;
}

/** Which limits an adjustment or rule concerns: one, those of an API, or all. */
export function TargetFields({ value, onChange, apis, limits, errors = {} }: TargetFieldsProps) {
  return (
    <Group grow align="start">
      <Select
        label="API"
        data={[{ value: EVERY, label: 'Every API' }, ...apis]}
        value={value.apiKey ?? EVERY}
        onChange={(key) => onChange({ apiKey: key || null, limit: null })}
        error={errors.apiKey}
      />
      {limits && (
        <Select
          label="Limit"
          data={[
            { value: EVERY, label: 'Every limit' },
            ...limits.map((name) => ({ value: name, label: name })),
          ]}
          value={value.limit ?? EVERY}
          onChange={(name) => onChange({ limit: name || null })}
          disabled={value.apiKey === null}
          error={errors.limit}
        />
      )}
    </Group>
  );
}

interface EffectFieldsProps {
  value: EffectText;
  onChange: (effect: EffectText) => void;
  kinds: readonly EffectKind[];
  /** Whether an empty amount is an error. */
  required?: boolean;
  error?: string | undefined;
}

/** What an adjustment does to a limit. */
export function EffectFields({ value, onChange, kinds, required = false, error }: EffectFieldsProps) {
  const { kind, amount } = value;
  const parsed = parseEffectAmount(value);
  const problem = (required || amount !== '') && !parsed.ok ? parsed.message : undefined;
  return (
    <Group grow align="start">
      <Select
        label="Effect"
        description={'\u00a0'}
        data={kinds.map((one) => ({ value: one, label: EFFECT_KIND_TEXT[one] }))}
        value={kind}
        onChange={(chosen) => chosen && onChange({ kind: chosen, amount: '' })}
      />
      <NumberText
        label="Amount"
        description={AMOUNT_HINT_TEXT[kind]}
        value={amount}
        data-autofocus
        onChange={(text) => onChange({ kind, amount: text })}
        parsed={parsed}
        error={error ?? problem}
      />
    </Group>
  );
}
