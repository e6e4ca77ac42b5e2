import { Group, Select, TextInput } from '@mantine/core';
import type { EffectKind } from '../../../generated/graphql.js';
import { effectOf } from '../../../lib/effect-input.js';
import { AMOUNT_HINT_TEXT, EFFECT_KIND_TEXT } from '../../../lib/labels.js';
import { parseDuration } from '../../../lib/rate.js';
import type { ScopeChoices } from '../../../lib/scope-choices.js';
import { type BulkDraft, bulkEffectKinds } from '../bulk-draft.js';

const BAD_AMOUNT_TEXT = {
  ADD: 'Enter a whole number such as 500 or 10k',
  MULTIPLY: 'Enter a factor such as 2x or a percentage such as 150 %',
  SET: 'Enter a whole number such as 500 or 10k',
} as const;

interface BulkAdjustmentFieldsProps {
  draft: BulkDraft;
  onChange: (part: Partial<BulkDraft>) => void;
  choices: ScopeChoices | undefined;
  error: string | undefined;
}

/** Which limits of many tenants, what is done to them, and for how long. */
export function BulkAdjustmentFields({ draft, onChange, choices, error }: BulkAdjustmentFieldsProps) {
  const { apiKey, limit, effect, lasts } = draft;
  const apis = choices?.apis.map(({ key, name }) => ({ value: key, label: name })) ?? [];
  const limits = choices?.limitsByApi.get(apiKey ?? '') ?? [];
  return (
    <>
      <Group grow align="start">
        <Select
          label="API"
          data={[{ value: '', label: 'Every API' }, ...apis]}
          value={apiKey ?? ''}
          onChange={(key) => onChange({ apiKey: key || null, limit: null })}
          allowDeselect={false}
        />
        <Select
          label="Limit"
          data={[
            { value: '', label: 'Every limit' },
            ...limits.map((name) => ({ value: name, label: name })),
          ]}
          value={limit ?? ''}
          onChange={(name) => onChange({ limit: name || null })}
          disabled={apiKey === null}
          allowDeselect={false}
        />
      </Group>
      <Group grow align="start">
        <Select
          label="Effect"
          description={'\u00a0'}
          data={bulkEffectKinds(draft).map((kind) => ({ value: kind, label: EFFECT_KIND_TEXT[kind] }))}
          value={effect.kind}
          onChange={(kind) => kind && onChange({ effect: { kind: kind as EffectKind, amount: '' } })}
          allowDeselect={false}
        />
        <TextInput
          label="Amount"
          description={AMOUNT_HINT_TEXT[effect.kind]}
          value={effect.amount}
          onChange={({ currentTarget: { value } }) => onChange({ effect: { ...effect, amount: value } })}
          error={
            error ?? (effect.amount !== '' && !effectOf(effect) ? BAD_AMOUNT_TEXT[effect.kind] : undefined)
          }
        />
      </Group>
      <TextInput
        label="Duration"
        description="such as 30m, 2 h or 7d"
        value={lasts}
        onChange={({ currentTarget: { value } }) => onChange({ lasts: value })}
        error={parseDuration(lasts).ok ? undefined : 'Enter a duration such as 30m, 2 h or 7d'}
      />
    </>
  );
}
