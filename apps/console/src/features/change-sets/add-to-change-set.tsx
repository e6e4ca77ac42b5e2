import { Anchor, Select, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { Hint } from '../../components/page.js';
import { errorsByField } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { formatDay } from '../../lib/time-format.js';
import { changeSetAddItemCall, changeSetsQuery, useChangeSetCollect } from './api.js';

interface AddToChangeSetProps {
  calls: readonly MutationCall[];
  disabled?: boolean;
  /** Called when they are in the set. */
  onAdded: () => void;
}

const NEW = '';

/** Adds changes to a change set instead of applying them. */
export function AddToChangeSet({ calls, disabled = false, onAdded }: AddToChangeSetProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <GatedButton
        permission="change-sets:write"
        variant="default"
        size="sm"
        disabled={disabled}
        onClick={() => setOpened(true)}
      >
        Add to change set
      </GatedButton>
      {opened && <AddDialog calls={calls} onAdded={onAdded} onClose={() => setOpened(false)} />}
    </>
  );
}

interface AddDialogProps {
  calls: readonly MutationCall[];
  onAdded: () => void;
  onClose: () => void;
}

function AddDialog({ calls, onAdded, onClose }: AddDialogProps) {
  const { data } = useInfiniteQuery(changeSetsQuery);
  const open = (data?.nodes ?? []).filter(({ status }) => status === 'DRAFT');
  const [chosen, setChosen] = useState<string>();
  const [title, setTitle] = useState(() => `Changes on ${formatDay(new Date().toISOString())}`);
  const id = chosen ?? open[0]?.id ?? NEW;
  const set = open.find((one) => one.id === id);
  // A new set or several items take several mutations, so there is none to copy.
  const only = calls.length === 1 ? calls[0] : undefined;
  const navigate = useNavigate();
  const collect = useChangeSetCollect();
  const { byField, form } = errorsByField(collect.error, ['title']);
  const submit = () =>
    collect.mutate(
      { target: set ? { id: set.id, version: set.version } : { title }, calls },
      {
        onSuccess: (added) => {
          onClose();
          onAdded();
          notifyAdded(`Added to ${added.title || (set?.title ?? title)}`, () => {
            void navigate({ to: '/change-sets/$changeSetId', params: { changeSetId: added.id } });
          });
        },
      },
    );
  return (
    <CreateModal
      title="Add to change set"
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Add to change set"
      pending={collect.isPending}
      problem={form}
      {...(set && only && { copy: { call: changeSetAddItemCall(set, only) } })}
    >
      <Hint>The change is not made now. It is applied with the change set.</Hint>
      <Select
        label="Change set"
        data={[
          ...open.map((one) => ({ value: one.id, label: one.title })),
          { value: NEW, label: 'New change set' },
        ]}
        value={id}
        onChange={(value) => setChosen(value ?? NEW)}
      />
      {!set && (
        <TextInput
          label="Title"
          required
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={byField.title}
        />
      )}
    </CreateModal>
  );
}

/** Notifications render outside of the router, so the link is a callback. */
function notifyAdded(title: string, onOpen: () => void): void {
  notifications.show({
    title,
    message: (
      <Anchor component="button" type="button" size="sm" onClick={onOpen}>
        Open
      </Anchor>
    ),
    color: 'gate',
    withBorder: true,
  });
}
