import { Group, Select, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { EffectKind } from '../../../generated/graphql.js';
import { effectOf } from '../../../lib/effect-input.js';
import { parseDuration } from '../../../lib/rate.js';
import type { ScopeChoices } from '../../../lib/scope-choices.js';
import { type BulkDraft, bulkEffectKinds } from '../bulk-draft.js';

interface BulkAdjustmentFieldsProps {
  draft: BulkDraft;
  onChange: (part: Partial<BulkDraft>) => void;
  choices: ScopeChoices | undefined;
  error: string | undefined;
}

/** Which limits of many tenants, what is done to them, and for how long. */
export function BulkAdjustmentFields({ draft, onChange, choices, error }: BulkAdjustmentFieldsProps) {
  const t = useTranslations('bulk');
  const { apiKey, limit, effect, lasts } = draft;
  const apis = choices?.apis.map(({ key, name }) => ({ value: key, label: name })) ?? [];
  const limits = choices?.limitsByApi.get(apiKey ?? '') ?? [];
  return (
    <>
      <Group grow align="start">
        <Select
          label={t('api')}
          data={[{ value: '', label: t('everyApi') }, ...apis]}
          value={apiKey ?? ''}
          onChange={(key) => onChange({ apiKey: key || null, limit: null })}
          allowDeselect={false}
        />
        <Select
          label={t('limit')}
          data={[
            { value: '', label: t('everyLimit') },
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
          label={t('effect')}
          description={'\u00a0'}
          data={bulkEffectKinds(draft).map((kind) => ({ value: kind, label: t(`effects.${kind}`) }))}
          value={effect.kind}
          onChange={(kind) => kind && onChange({ effect: { kind: kind as EffectKind, amount: '' } })}
          allowDeselect={false}
        />
        <TextInput
          label={t('amount')}
          description={t(`amountHint.${effect.kind}`)}
          value={effect.amount}
          onChange={({ currentTarget: { value } }) => onChange({ effect: { ...effect, amount: value } })}
          error={
            error ?? (effect.amount !== '' && !effectOf(effect) ? t(`badAmount.${effect.kind}`) : undefined)
          }
        />
      </Group>
      <TextInput
        label={t('lasts')}
        description={t('lastsHint')}
        value={lasts}
        onChange={({ currentTarget: { value } }) => onChange({ lasts: value })}
        error={parseDuration(lasts).ok ? undefined : t('badLasts')}
      />
    </>
  );
}
