import { ActionIcon, Menu, NumberInput, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowsDiff,
  IconCopy,
  IconDots,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { NameAndKey } from '../../components/fields.js';
import { keyFromName, useEditForm } from '../../lib/form.js';
import { errorsByField, throwUserErrors } from '../../lib/graphql-request.js';
import { usePermission } from '../../lib/viewer.js';
import { type TierDetail, tierCreateCall, tierDuplicateCall, useTierChanges, useTierCreate } from './api.js';

interface TierCreateProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: string) => void;
}

/** A new tier, without limits. */
export function TierCreate({ opened, onClose, onCreated }: TierCreateProps) {
  const [values, setValues] = useState({ name: '', key: '', description: '', rank: 0 });
  const create = useTierCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'key', 'description', 'rank']);
  const { name, key, description, rank } = values;
  const submit = () => {
    create.mutate(values, { onSuccess: () => onCreated(key) });
  };
  return (
    <CreateModal
      title="Create tier"
      opened={opened}
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Create tier"
      pending={create.isPending}
      problem={form}
      copy={{
        call: tierCreateCall(values),
        config: { tiers: { [key]: { name, ...(description && { description }), rank } } },
      }}
    >
      <NameAndKey
        value={values}
        onChange={(change) => setValues({ ...values, ...change })}
        errors={byField}
        keyHint="Used in GraphQL and in files. It cannot be changed later."
      />
      <Textarea
        label="Description"
        value={values.description}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, description: value })}
        error={byField.description}
        autosize
        minRows={2}
      />
      <NumberInput
        label="Rank"
        description="Tiers are shown from the lowest rank to the highest."
        value={values.rank}
        onChange={(rank) => setValues({ ...values, rank: Number(rank) || 0 })}
        allowDecimal={false}
        error={byField.rank}
      />
    </CreateModal>
  );
}

/** A new tier with the limits of this one, as a draft. */
export function TierDuplicate({ tier, onClose }: { tier: TierDetail; onClose: () => void }) {
  const navigate = useNavigate();
  const changes = useTierChanges();
  const copyName = `${tier.name} copy`;
  const [values, setValues] = useState({ name: copyName, key: keyFromName(copyName) });
  const input = { tierKey: tier.key, newKey: values.key, name: values.name };
  const duplicate = useMutation({
    mutationFn: async () => throwUserErrors(await changes.duplicate(input)),
    onSuccess: () => navigate({ to: '/tiers/$tierKey', params: { tierKey: values.key } }),
  });
  const { byField, form } = errorsByField(duplicate.error, ['newKey', 'name']);
  const { newKey, ...errors } = byField;
  return (
    <CreateModal
      title={`Duplicate ${tier.name}`}
      opened
      onClose={onClose}
      onSubmit={() => duplicate.mutate()}
      submitLabel="Duplicate"
      pending={duplicate.isPending}
      problem={form}
      copy={{ call: tierDuplicateCall(input) }}
    >
      <Text size="sm" c="dimmed">
        Creates a draft with the same limits and no tenants.
      </Text>
      <NameAndKey
        value={values}
        onChange={setValues}
        errors={newKey ? { ...errors, key: newKey } : errors}
        keyHint="Used in GraphQL and in files. It cannot be changed later."
      />
    </CreateModal>
  );
}

interface TierEditProps {
  tier: TierDetail;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

/** A tier's names, place, weight, tags, and whether sign-ups begin on it. */
export function TierEdit({ tier, onClose, onChanged }: TierEditProps) {
  const { update } = useTierChanges();
  const { name, description, rank, weight, tags, signUp } = tier;
  const { values, set, changed, unchanged, byField, review } = useEditForm({
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
      {...review}
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

const STEP_LABEL = { archive: 'Archive', delete: 'Delete', restore: 'Restore' } as const;

const STEP_HINT = {
  archive: 'No new tenants can join. Existing tenants are unaffected. You can restore it later.',
  delete: 'It was never published and has no tenants. Deletes its draft too.',
  restore: 'Tenants can join it again.',
} as const;

export type TierStep = 'archive' | 'restore' | 'delete';

interface TierLifecycleProps {
  tier: TierDetail;
  step: TierStep;
  onClose: () => void;
}

const MUTATIONS = { archive: 'tierArchive', restore: 'tierRestore', delete: 'tierDelete' } as const;

/** Archives, restores or deletes a tier after a review. */
export function TierLifecycle({ tier, step, onClose }: TierLifecycleProps) {
  const navigate = useNavigate();
  const changes = useTierChanges();
  const input = { tierKey: tier.key, expectedVersion: tier.version };
  return (
    <ChangeReview
      title={
        {
          archive: `Archive ${tier.name}`,
          delete: `Delete ${tier.name}`,
          restore: `Restore ${tier.name}`,
        }[step]
      }
      permission="tiers:write"
      call={{ mutation: MUTATIONS[step], inputType: 'TierLifecycleInput', input, selection: '' }}
      send={({ reason, dryRun }) => changes[step]({ ...input, reason, dryRun })}
      applyLabel={STEP_LABEL[step]}
      danger={step !== 'restore'}
      onClose={onClose}
      onApplied={() => {
        onClose();
        if (step === 'delete') void navigate({ to: '/tiers' });
      }}
    >
      <Text size="sm">{STEP_HINT[step]}</Text>
    </ChangeReview>
  );
}

interface TierMenuProps {
  tier: TierDetail;
  /** Called with the change to follow and a title. */
  onChanged: (changeId: string, title: string) => void;
}

type Open = 'edit' | 'duplicate' | TierStep;

/** Actions of a tier other than limits. */
export function TierMenu({ tier, onChanged }: TierMenuProps) {
  const navigate = useNavigate();
  const { allowed } = usePermission('tiers:write');
  const [open, setOpen] = useState<Open>();
  const isOurs = allowed && tier.managedBy === 'CONSOLE';
  const wasPublished = tier.versions.some(({ status }) => status !== 'DRAFT');
  const close = () => setOpen(undefined);
  const newest = tier.draft ?? tier.published;
  return (
    <>
      <Menu position="bottom-end" width={190}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More actions for ${tier.name}`}>
            <IconDots size={17} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPencil size={15} aria-hidden />}
            disabled={!isOurs}
            onClick={() => setOpen('edit')}
          >
            Edit details
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCopy size={15} aria-hidden />}
            disabled={!allowed}
            onClick={() => setOpen('duplicate')}
          >
            Duplicate
          </Menu.Item>
          <Menu.Item
            leftSection={<IconArrowsDiff size={15} aria-hidden />}
            onClick={() =>
              void navigate({
                to: '/tiers/compare',
                search: newest ? { a: tier.key, av: newest.number } : { a: tier.key },
              })
            }
          >
            Compare
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={
              tier.archivedAt ? (
                <IconArchiveOff size={15} aria-hidden />
              ) : (
                <IconArchive size={15} aria-hidden />
              )
            }
            disabled={!isOurs}
            onClick={() => setOpen(tier.archivedAt ? 'restore' : 'archive')}
          >
            {tier.archivedAt ? 'Restore' : 'Archive'}
          </Menu.Item>
          {!wasPublished && (
            <Menu.Item
              color="ember"
              leftSection={<IconTrash size={15} aria-hidden />}
              disabled={!isOurs}
              onClick={() => setOpen('delete')}
            >
              Delete
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'edit' && <TierEdit tier={tier} onClose={close} onChanged={onChanged} />}
      {open === 'duplicate' && <TierDuplicate tier={tier} onClose={close} />}
      {(open === 'archive' || open === 'restore' || open === 'delete') && (
        <TierLifecycle tier={tier} step={open} onClose={close} />
      )}
    </>
  );
}
