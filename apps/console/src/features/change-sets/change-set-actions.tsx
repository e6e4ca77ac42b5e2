import { Alert, Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import dayjs from 'dayjs';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import type { ChangeSetOutcomeFragment, ChangeSetStatus } from '../../generated/graphql.js';
import { throwUserErrors } from '../../lib/graphql-request.js';
import type { Permission } from '../../lib/viewer.js';
import { type ChangeSetDetail, type ChangeSetStep, useChangeSetStep } from './api.js';

interface ScheduleDialogProps {
  pending: boolean;
  problem: ReactNode;
  onClose: () => void;
  onSend: (at: string) => void;
}

const FORMAT = 'YYYY-MM-DDTHH:mm';

/** Schedules a change set in the reader's time zone. */
export function ScheduleDialog({ pending, problem, onClose, onSend }: ScheduleDialogProps) {
  const [at, setAt] = useState(() => dayjs().add(1, 'day').startOf('hour').format(FORMAT));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Modal opened onClose={onClose} title="Schedule">
      <Stack gap="sm">
        <TextInput
          type="datetime-local"
          label={`Date and time, in your time zone (${zone})`}
          data-autofocus
          value={at}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
        {problem}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" size="sm" onClick={onClose}>
            Back
          </Button>
          <Button
            size="sm"
            loading={pending}
            disabled={!dayjs(at).isValid()}
            onClick={() => onSend(dayjs(at).toISOString())}
          >
            Schedule
          </Button>
        </Group>
      </Stack>
    </Modal>
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

const REVIEW_TITLE = { approve: 'Approve', reject: 'Reject' } as const;

interface ChangeSetActionsProps {
  set: ChangeSetDetail;
  onDone: (step: ChangeSetStep['kind'], outcome: ChangeSetOutcomeFragment) => void;
}

type Kind = Exclude<ChangeSetStep['kind'], 'remove'>;

/** The steps from each status, the likeliest last. */
const STEPS: Record<ChangeSetStatus, readonly Kind[]> = {
  DRAFT: ['cancel', 'submit'],
  SUBMITTED: ['cancel', 'reject', 'approve'],
  APPROVED: ['cancel', 'reject', 'schedule', 'apply'],
  SCHEDULED: ['cancel'],
  APPLIED: ['revert'],
  FAILED: ['cancel', 'submit'],
  REJECTED: ['cancel', 'submit'],
  CANCELLED: [],
};

const PERMISSIONS: Partial<Record<Kind, Permission>> = {
  approve: 'change-sets:approve',
  reject: 'change-sets:approve',
};

/** The steps that a change set may take now. */
export function ChangeSetActions({ set, onDone }: ChangeSetActionsProps) {
  const [dialog, setDialog] = useState<'approve' | 'reject' | 'schedule'>();
  const take = useChangeSetStep();
  const step = useMutation({
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
  const problem = step.error && (
    <Alert role="alert" color="ember" title="Action failed">
      {step.error.message}
    </Alert>
  );
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
      {!dialog && problem}
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

interface NoteDialogProps {
  kind: 'approve' | 'reject';
  pending: boolean;
  problem: ReactNode;
  onClose: () => void;
  onSend: (note: string | null) => void;
}

function NoteDialog({ kind, pending, problem, onClose, onSend }: NoteDialogProps) {
  const [note, setNote] = useState('');
  return (
    <Modal opened onClose={onClose} title={REVIEW_TITLE[kind]}>
      <Stack gap="sm">
        <Textarea
          label="Message to the author"
          description="Optional."
          data-autofocus
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={500}
          autosize
          minRows={2}
        />
        {problem}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" size="sm" onClick={onClose}>
            Back
          </Button>
          <Button
            size="sm"
            color={kind === 'reject' ? 'ember' : 'gate'}
            loading={pending}
            onClick={() => onSend(note.trim() || null)}
          >
            {REVIEW_TITLE[kind]}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
