import { Group, Select, TextInput } from '@mantine/core';
import type { EffectKind } from '../../../generated/graphql.js';
import { AMOUNT_HINT_TEXT, EFFECT_KIND_TEXT } from '../../../lib/labels.js';
import { type AdjustmentDraft, type AdjustmentMaking, kindsFor } from '../adjustment-draft.js';
import type { LimitNow } from './adjustment-preview.js';

const SOURCE_TEXT = {
  TOPUP: 'Top-up (one-time, expires)',
  UPGRADE: 'Upgrade (until revoked or expired)',
} as const;

interface FieldsProps {
  draft: AdjustmentDraft;
  onChange: (part: Partial<AdjustmentDraft>) => void;
  /** What the server said, by field. */
  errors: Record<string, string>;
}

const EVERY = '';

/** What a grant is called, and what it counts as. */
export function GrantFields({ draft, onChange, errors }: FieldsProps) {
  return (
    <Group grow align="start">
      <TextInput
        label="Name"
        description="Shown to the tenant as the source of the limit."
        value={draft.label}
        onChange={({ currentTarget: { value } }) => onChange({ label: value })}
        error={errors.label}
      />
      <Select
        label="Kind"
        description={'\u00a0'}
        data={(['TOPUP', 'UPGRADE'] as const).map((value) => ({ value, label: SOURCE_TEXT[value] }))}
        value={draft.source}
        onChange={(source) => source && onChange({ source: source as AdjustmentDraft['source'] })}
        allowDeselect={false}
      />
    </Group>
  );
}

/** Which limits: one, those of an API, or all. */
export function TargetFields({
  draft,
  onChange,
  errors,
  limits,
}: FieldsProps & { limits: readonly LimitNow[] }) {
  const apis = [...new Set(limits.map(({ apiKey }) => apiKey))].sort();
  const ofApi = limits.filter(({ apiKey }) => apiKey === draft.apiKey);
  return (
    <Group grow align="start">
      <Select
        label="API"
        data={[{ value: EVERY, label: 'Every API' }, ...apis.map((key) => ({ value: key, label: key }))]}
        value={draft.apiKey ?? EVERY}
        onChange={(key) => onChange({ apiKey: key || null, limit: null })}
        allowDeselect={false}
        error={errors.apiKey}
      />
      <Select
        label="Limit"
        data={[
          { value: EVERY, label: 'Every limit' },
          ...ofApi.map(({ limitName }) => ({ value: limitName, label: limitName })),
        ]}
        value={draft.limit ?? EVERY}
        onChange={(limit) => onChange({ limit: limit || null })}
        disabled={draft.apiKey === null}
        allowDeselect={false}
        error={errors.limit}
      />
    </Group>
  );
}

interface EffectFieldsProps extends FieldsProps {
  making: AdjustmentMaking;
  /** The amount is no number that it could be. */
  unreadable: boolean;
}

/** What becomes of them. */
export function EffectFields({ making, draft, onChange, errors, unreadable }: EffectFieldsProps) {
  return (
    <Group grow align="start">
      <Select
        label="Effect"
        description={'\u00a0'}
        data={kindsFor(making, draft).map((kind) => ({ value: kind, label: EFFECT_KIND_TEXT[kind] }))}
        value={draft.kind}
        onChange={(kind) => kind && onChange({ kind: kind as EffectKind, amount: '' })}
        allowDeselect={false}
      />
      <TextInput
        label="Amount"
        description={AMOUNT_HINT_TEXT[draft.kind]}
        value={draft.amount}
        data-autofocus
        onChange={({ currentTarget: { value } }) => onChange({ amount: value })}
        error={
          errors.effect ??
          errors.effects ??
          (unreadable
            ? draft.kind === 'MULTIPLY'
              ? 'Enter a factor such as 2x or a percentage such as 150 %'
              : 'Enter a whole number such as 500 or 10k'
            : undefined)
        }
      />
    </Group>
  );
}
