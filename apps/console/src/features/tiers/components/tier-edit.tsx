import { NumberInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { ChangeReview } from '../../../components/change-review.js';
import { useEditForm } from '../../../lib/form.js';
import type { TierDetail } from '../api/tier.js';
import { useTierChanges } from '../api/tier-change.js';

interface TierEditProps {
  tier: TierDetail;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

/** A tier's names, place, weight, tags, and whether sign-ups begin on it. */
export function TierEdit({ tier, onClose, onChanged }: TierEditProps) {
  const { update } = useTierChanges();
  const { name, description, rank, weight, tags, signUp } = tier;
  const { values, set, changed, unchanged, byField, told } = useEditForm({
    name,
    description,
    rank,
    weight,
    tags,
    signUp,
  });
  const input = { tierKey: tier.key, expectedVersion: tier.version, ...changed };
  return (
    <ChangeReview
      title={`Edit ${tier.name}`}
      permission="tiers:write"
      call={{ mutation: 'tierUpdate', inputType: 'TierUpdateInput', input }}
      config={{ tiers: { [tier.key]: { name: values.name, ...changed } } }}
      incomplete={unchanged}
      send={({ reason, dryRun }) => update({ ...input, reason, dryRun })}
      {...told}
      onClose={onClose}
      onApplied={({ changeId }) => {
        onClose();
        if (changeId) onChanged(changeId, tier.name);
      }}
    >
      <TextInput
        label="Name"
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={byField.name}
      />
      <Textarea
        label="Description"
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={byField.description}
        autosize
        minRows={2}
      />
      <NumberInput
        label="Rank"
        description="Tiers are shown from the lowest rank to the highest."
        value={values.rank}
        onChange={(value) => set({ rank: Number(value) || 0 })}
        error={byField.rank}
        allowDecimal={false}
      />
      <NumberInput
        label="Weight"
        description="Share of spare pool capacity, from 1 to 1000."
        value={values.weight}
        onChange={(value) => set({ weight: Number(value) || 1 })}
        error={byField.weight}
        allowDecimal={false}
        min={1}
        max={1000}
      />
      <TagsInput
        label="Tags"
        value={values.tags}
        onChange={(value) => set({ tags: value })}
        error={byField.tags}
      />
      <Switch
        label="Default tier for sign-ups"
        checked={values.signUp}
        onChange={(event) => set({ signUp: event.currentTarget.checked })}
        error={byField.signUp}
      />
    </ChangeReview>
  );
}
