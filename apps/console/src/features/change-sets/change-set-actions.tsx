import { Group, Stack, Textarea, TextInput } from '@mantine/core';
import dayjs from 'dayjs';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { Problem } from '../../components/page.js';
import type { ChangeSetOutcomeFragment, ChangeSetStatus } from '../../generated/graphql.js';
import { throwUserErrors } from '../../lib/graphql-request.js';
import { useSingleMutation } from '../../lib/mutation.js';
import { readersZone } from '../../lib/time-format.js';
import type { Permission } from '../../lib/viewer.js';
import { type ChangeSetDetail, type ChangeSetStep, useChangeSetStep } from './api.js';

interface StepDialogProps<Value> {
  pending: boolean;
  problem: string | undefined;
  onClose: () => void;
  onSend: (value: Value) => void;
}

const FORMAT = 'YYYY-MM-DDTHH:mm';

function ScheduleDialog({ pending, problem, onClose, onSend }: StepDialogProps<string>) {
  const [at, setAt] = useState(() => dayjs().add(1, 'day').startOf('hour').format(FORMAT));
  return (
    <CreateModal
      title="Schedule"
      submitLabel="Schedule"
      onClose={onClose}
      onSubmit={() => dayjs(at).isValid() && onSend(dayjs(at).toISOString())}
      pending={pending}
      problem={problem}
    >
      <TextInput
        type="datetime-local"
        label={`Date and time, in your time zone (${readersZone()})`}
        data-autofocus
        required
        value={at}
        onChange={(event) => setAt(event.currentTarget.value)}
      />
    </CreateModal>
  );
}

const KIND_TEXT = {
  apply: 'Apply now',
  approve: 'Approve',
  cancel: 'Cancel change set',
  reject: 'Reject',
  revert: 'Revert',
  schedule: 'Schedule',
  submit: 'Submit for approval',
} as const;

interface ChangeSetActionsProps {
  set: ChangeSetDetail;
  onDone: (step: ChangeSetStep['kind'], outcome: ChangeSetOutcomeFragment) => void;
}

type Kind = Exclude<ChangeSetStep['kind'], 'remove'>;

/** Steps from each status; the main one last. */
const STEPS: Record<ChangeSetStatus, readonly Kind[]> = {
  DRAFT: ['cancel', 'submit'],
  SUBMITTED: ['cancel', 'reject', 'approve'],
  APPROVED: ['cancel', 'reject', 'schedule', 'apply'],
  SCHEDULED: ['cancel'],
  APPLIED: ['revert'],
  FAILED: ['cancel', 'submit'],
  REJECTED: ['cancel', 'submit'],
  CANCELED: [],
};

const PERMISSIONS: Partial<Record<Kind, Permission>> = {
  approve: 'change-sets:approve',
  reject: 'change-sets:approve',
};

export function ChangeSetActions({ set, onDone }: ChangeSetActionsProps) {
  const [dialog, setDialog] = useState<'approve' | 'reject' | 'schedule'>();
  const take = useChangeSetStep();
  const step = useSingleMutation({
    mutationFn: async (wanted: ChangeSetStep) => {
      const outcome = await take({ id: set.id, expectedVersion: set.version }, wanted);
      throwUserErrors(outcome);
      return outcome;
    },
    onSuccess: (outcome, { kind }) => {
      setDialog(undefined);
      onDone(kind, outcome);
    },
  });
  const begin = (kind: Kind) => {
    step.reset();
    if (kind === 'approve' || kind === 'reject' || kind === 'schedule') setDialog(kind);
    else step.mutate({ kind });
  };
  const problem = step.error?.message;
  const steps = STEPS[set.status];
  const close = () => setDialog(undefined);
  return (
    <Stack gap="sm" align="flex-end">
      <Group gap="xs">
        {steps.map((kind, i) => (
          <GatedButton
            key={kind}
            permission={PERMISSIONS[kind] ?? 'change-sets:write'}
            variant={i === steps.length - 1 && kind !== 'cancel' ? 'filled' : 'default'}
            loading={step.isPending && step.variables.kind === kind}
            disabled={step.isPending || ((kind === 'submit' || kind === 'apply') && set.items.length === 0)}
            onClick={() => begin(kind)}
          >
            {KIND_TEXT[kind]}
          </GatedButton>
        ))}
      </Group>
      {!dialog && <Problem title="Action failed">{problem}</Problem>}
      {(dialog === 'approve' || dialog === 'reject') && (
        <NoteDialog
          kind={dialog}
          pending={step.isPending}
          problem={problem}
          onClose={close}
          onSend={(note) => step.mutate({ kind: dialog, note })}
        />
      )}
      {dialog === 'schedule' && (
        <ScheduleDialog
          pending={step.isPending}
          problem={problem}
          onClose={close}
          onSend={(at) => step.mutate({ kind: 'schedule', at })}
        />
      )}
    </Stack>
  );
}

interface NoteDialogProps extends StepDialogProps<string | null> {
  kind: 'approve' | 'reject';
}

function NoteDialog({ kind, pending, problem, onClose, onSend }: NoteDialogProps) {
  const [note, setNote] = useState('');
  return (
    <CreateModal
      title={KIND_TEXT[kind]}
      submitLabel={KIND_TEXT[kind]}
      danger={kind === 'reject'}
      onClose={onClose}
      onSubmit={() => onSend(note.trim() || null)}
      pending={pending}
      problem={problem}
    >
      <Textarea
        label="Message to the author"
        description="Optional."
        data-autofocus
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={500}
      />
    </CreateModal>
  );
}
