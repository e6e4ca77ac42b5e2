import { NumberInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { ChangeReview } from '../../../components/change-review.js';
import { errorsByField, type UserErrorInfo, UserErrorsError } from '../../../lib/user-errors.js';
import type { TierDetail } from '../api/tier.js';
import { useTierChanges } from '../api/tier-change.js';

interface TierEditProps {
  tier: TierDetail;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

const FIELDS = ['name', 'description', 'rank', 'weight', 'tags', 'signUp'] as const;

/** A tier's names, place, weight, tags, and whether sign-ups begin on it. */
export function TierEdit({ tier, onClose, onChanged }: TierEditProps) {
  const t = useTranslations('tiers');
  const { update } = useTierChanges();
  const { name, description, rank, weight, tags, signUp } = tier;
  const [values, setValues] = useState({ name, description, rank, weight, tags, signUp });
  const [refused, setRefused] = useState<readonly UserErrorInfo[]>([]);
  const { byField } = errorsByField(new UserErrorsError(refused), FIELDS);
  const changed = Object.fromEntries(
    FIELDS.filter((field) => JSON.stringify(values[field]) !== JSON.stringify(tier[field])).map((field) => [
      field,
      values[field],
    ]),
  );
  const input = { tierKey: tier.key, expectedVersion: tier.version, ...changed };
  const set = (more: Partial<typeof values>) => setValues({ ...values, ...more });
  return (
    <ChangeReview
      title={t('editTitle', { tier: tier.name })}
      permission="tiers:write"
      call={{ mutation: 'tierUpdate', inputType: 'TierUpdateInput', input }}
      config={{ tiers: { [tier.key]: { name: values.name, ...changed } } }}
      incomplete={Object.keys(changed).length === 0}
      send={({ reason, dryRun }) => update({ ...input, reason, dryRun })}
      onRefused={setRefused}
      onClose={onClose}
      onApplied={({ changeId }) => {
        onClose();
        if (changeId) onChanged(changeId, tier.name);
      }}
    >
      <TextInput
        label={t('name')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={byField.name}
      />
      <Textarea
        label={t('description')}
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={byField.description}
        autosize
        minRows={2}
      />
      <NumberInput
        label={t('rank')}
        description={t('rankHint')}
        value={values.rank}
        onChange={(value) => set({ rank: Number(value) || 0 })}
        error={byField.rank}
        allowDecimal={false}
      />
      <NumberInput
        label={t('weight')}
        description={t('weightHint')}
        value={values.weight}
        onChange={(value) => set({ weight: Number(value) || 1 })}
        error={byField.weight}
        allowDecimal={false}
        min={1}
        max={1000}
      />
      <TagsInput
        label={t('tags')}
        value={values.tags}
        onChange={(value) => set({ tags: value })}
        error={byField.tags}
      />
      <Switch
        label={t('signUp')}
        checked={values.signUp}
        onChange={(event) => set({ signUp: event.currentTarget.checked })}
        error={byField.signUp}
      />
    </ChangeReview>
  );
}
