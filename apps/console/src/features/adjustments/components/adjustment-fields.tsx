import { Group, Select, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { EffectKind } from '../../../generated/graphql.js';
import { type AdjustmentDraft, type AdjustmentMaking, kindsFor } from '../adjustment-draft.js';
import type { LimitNow } from './adjustment-preview.js';

interface FieldsProps {
  draft: AdjustmentDraft;
  onChange: (part: Partial<AdjustmentDraft>) => void;
  /** What the server said, by field. */
  errors: Record<string, string>;
}

const EVERY = '';

/** What a grant is called, and what it counts as. */
export function GrantFields({ draft, onChange, errors }: FieldsProps) {
  const t = useTranslations('adjustments');
  return (
    <Group grow align="start">
      <TextInput
        label={t('label')}
        description={t('labelHint')}
        value={draft.label}
        onChange={({ currentTarget: { value } }) => onChange({ label: value })}
        error={errors.label}
      />
      <Select
        label={t('source')}
        description={'\u00a0'}
        data={(['TOPUP', 'UPGRADE'] as const).map((value) => ({ value, label: t(`source${value}`) }))}
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
  const t = useTranslations('adjustments');
  const apis = [...new Set(limits.map(({ apiKey }) => apiKey))].sort();
  const ofApi = limits.filter(({ apiKey }) => apiKey === draft.apiKey);
  return (
    <Group grow align="start">
      <Select
        label={t('api')}
        data={[{ value: EVERY, label: t('everyApi') }, ...apis.map((key) => ({ value: key, label: key }))]}
        value={draft.apiKey ?? EVERY}
        onChange={(key) => onChange({ apiKey: key || null, limit: null })}
        allowDeselect={false}
        error={errors.apiKey}
      />
      <Select
        label={t('limit')}
        data={[
          { value: EVERY, label: t('everyLimit') },
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
  const t = useTranslations('adjustments');
  return (
    <Group grow align="start">
      <Select
        label={t('effect')}
        description={'\u00a0'}
        data={kindsFor(making, draft).map((kind) => ({ value: kind, label: t(kind) }))}
        value={draft.kind}
        onChange={(kind) => kind && onChange({ kind: kind as EffectKind, amount: '' })}
        allowDeselect={false}
      />
      <TextInput
        label={t('amount')}
        description={t(`amountHint.${draft.kind}`)}
        value={draft.amount}
        data-autofocus
        onChange={({ currentTarget: { value } }) => onChange({ amount: value })}
        error={
          errors.effect ??
          errors.effects ??
          (unreadable ? t(draft.kind === 'MULTIPLY' ? 'badFactor' : 'badNumber') : undefined)
        }
      />
    </Group>
  );
}
