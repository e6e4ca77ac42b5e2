import { ActionIcon, Menu, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowsDiff,
  IconCopy,
  IconDots,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { NameAndKey } from '../../components/fields.js';
import { Hint } from '../../components/page.js';
import { TypedField, wholeNumbers } from '../../components/typed-field.js';
import { keyFromName, useEditForm, useFields } from '../../lib/form.js';
import { useMutationDialog, useReviewedMutation } from '../../lib/mutation.js';
import { usePermission } from '../../lib/viewer.js';
import {
  TierArchiveDocument,
  TierCreateDocument,
  TierDeleteDocument,
  type TierDetail,
  TierDuplicateDocument,
  TierRestoreDocument,
  TierUpdateDocument,
  tiersQuery,
} from './api.js';

const KEY_HINT = 'Used in GraphQL and in files. It cannot be changed later.';

/** The properties that `bind` gives an input. */
interface Bound<V> {
  value: V;
  error: string | undefined;
  onChange: (change: unknown) => void;
}

function DescriptionAndRank({ description, rank }: { description: Bound<string>; rank: Bound<number> }) {
  return (
    <>
      <Textarea label="Description" {...description} />
      <TypedField
        label="Rank"
        description="Tiers are shown from the lowest rank to the highest."
        unit={wholeNumbers(0)}
        {...rank}
      />
    </>
  );
}

interface TierCreateProps {
  onClose: () => void;
  onCreated: (key: string) => void;
}

export function TierCreate({ onClose, onCreated }: TierCreateProps) {
  const initial = { name: '', key: '', description: '', rank: 0 };
  const { dialog, errors } = useMutationDialog(TierCreateDocument, Object.keys(initial), tiersQuery.queryKey);
  const { values, set, bind } = useFields(errors, initial);
  const { name, key, description, rank } = values;
  const config = { tiers: { [key]: { name, ...(description && { description }), rank } } };
  return (
    <CreateModal
      title="Create tier"
      onClose={onClose}
      submitLabel="Create tier"
      {...dialog(values, () => onCreated(key), config)}
    >
      <NameAndKey value={values} onChange={set} errors={errors} keyHint={KEY_HINT} />
      <DescriptionAndRank description={bind('description')} rank={bind('rank')} />
    </CreateModal>
  );
}

function TierDuplicate({ tier, onClose }: { tier: TierDetail; onClose: () => void }) {
  const navigate = useNavigate();
  const copyName = `${tier.name} copy`;
  const [values, setValues] = useState({ name: copyName, key: keyFromName(copyName) });
  const { name, key } = values;
  const { dialog, errors } = useMutationDialog(
    TierDuplicateDocument,
    ['newKey', 'name'],
    tiersQuery.queryKey,
  );
  const { newKey, ...others } = errors;
  const open = () => void navigate({ to: '/tiers/$tierKey', params: { tierKey: key } });
  return (
    <CreateModal
      title={`Duplicate ${tier.name}`}
      onClose={onClose}
      submitLabel="Duplicate"
      {...dialog({ tierKey: tier.key, newKey: key, name }, open)}
    >
      <Hint>Creates a draft with the same limits and no tenants.</Hint>
      <NameAndKey
        value={values}
        onChange={setValues}
        errors={newKey ? { ...others, key: newKey } : others}
        keyHint={KEY_HINT}
      />
    </CreateModal>
  );
}

interface TierEditProps {
  tier: TierDetail;
  onClose: () => void;
  onChanged: (changeId: string | null, title: string) => void;
}

/** Edits everything of a tier except its key and its limits. */
function TierEdit({ tier, onClose, onChanged }: TierEditProps) {
  const { name, description, rank, weight, tags, signUp } = tier;
  const original = { name, description, rank, weight, tags, signUp };
  const { values, set, bind, changed, unchanged, byField, review } = useEditForm(original);
  const input = { tierKey: tier.key, expectedVersion: tier.version, ...changed };
  return (
    <ChangeReview
      title={`Edit ${tier.name}`}
      permission="tiers:write"
      {...useReviewedMutation(TierUpdateDocument, input, tiersQuery.queryKey)}
      config={{ tiers: { [tier.key]: { name: values.name, ...changed } } }}
      incomplete={unchanged}
      {...review}
      onClose={onClose}
      onApplied={({ changeId }) => {
        onClose();
        onChanged(changeId, tier.name);
      }}
    >
      <TextInput label="Name" {...bind('name')} />
      <DescriptionAndRank description={bind('description')} rank={bind('rank')} />
      <TypedField
        label="Weight"
        description="Share of spare pool capacity, from 1 to 1000."
        unit={wholeNumbers(1, 1000)}
        {...bind('weight')}
      />
      <TagsInput label="Tags" {...bind('tags')} />
      <Switch
        label="Default tier for sign-ups"
        checked={values.signUp}
        onChange={(event) => set({ signUp: event.currentTarget.checked })}
        error={byField.signUp}
      />
    </ChangeReview>
  );
}

const STEPS = {
  archive: {
    label: 'Archive',
    document: TierArchiveDocument,
    hint: 'No new tenants can join. Existing tenants are unaffected. You can restore it later.',
  },
  delete: {
    label: 'Delete',
    document: TierDeleteDocument,
    hint: 'It was never published and has no tenants. Deletes its draft too.',
  },
  restore: { label: 'Restore', document: TierRestoreDocument, hint: 'Tenants can join it again.' },
} as const;

interface TierLifecycleProps {
  tier: TierDetail;
  step: keyof typeof STEPS;
  onClose: () => void;
}

function TierLifecycle({ tier, step, onClose }: TierLifecycleProps) {
  const navigate = useNavigate();
  const { label, document, hint } = STEPS[step];
  const input = { tierKey: tier.key, expectedVersion: tier.version };
  return (
    <ChangeReview
      title={`${label} ${tier.name}`}
      permission="tiers:write"
      {...useReviewedMutation(document as typeof TierArchiveDocument, input, tiersQuery.queryKey)}
      applyLabel={label}
      danger={step !== 'restore'}
      onClose={onClose}
      onApplied={() => {
        onClose();
        if (step === 'delete') void navigate({ to: '/tiers' });
      }}
    >
      <Text size="sm">{hint}</Text>
    </ChangeReview>
  );
}

interface TierMenuProps {
  tier: TierDetail;
  /** Called with the change to follow and a title. */
  onChanged: TierEditProps['onChanged'];
}

type Open = 'edit' | 'duplicate' | keyof typeof STEPS;

export function TierMenu({ tier, onChanged }: TierMenuProps) {
  const navigate = useNavigate();
  const { allowed } = usePermission('tiers:write');
  const [open, setOpen] = useState<Open>();
  const isOurs = allowed && tier.managedBy === 'CONSOLE';
  const wasPublished = tier.versions.some(({ status }) => status !== 'DRAFT');
  const close = () => setOpen(undefined);
  const newest = tier.draft ?? tier.published;
  const lifecycle = tier.archivedAt ? 'restore' : 'archive';
  const LifecycleIcon = tier.archivedAt ? IconArchiveOff : IconArchive;
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
            leftSection={<LifecycleIcon size={15} aria-hidden />}
            disabled={!isOurs}
            onClick={() => setOpen(lifecycle)}
          >
            {STEPS[lifecycle].label}
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
