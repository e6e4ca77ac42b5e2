import { Alert, Text, TextInput } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ImpactText } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { entryText } from '../../lib/audit-text.js';
import { ChangeRevertDocument, changeRevertTrialQuery } from '../../lib/change-revert.js';
import { mutationCall, useInputMutation } from '../../lib/mutation.js';
import { formatAgo } from '../../lib/time-format.js';
import type { AuditEntryInList } from './api.js';

interface RevertChangeProps {
  entry: AuditEntryInList;
  onClose: () => void;
  onReverted: (changeId: string | null, title: string) => void;
}

export default function RevertChange({ entry, onClose, onReverted }: RevertChangeProps) {
  const [reason, setReason] = useState('');
  const trial = useQuery(changeRevertTrialQuery(entry.changeId));
  const revert = useInputMutation(ChangeRevertDocument);
  const action = entryText(entry);
  const obstacle = trial.error?.message;
  const input = { changeId: entry.changeId, ...(reason.trim() === '' ? {} : { reason }) };
  const submit = () => {
    if (trial.data === undefined) return;
    revert.mutate(input, { onSuccess: ({ changeId }) => onReverted(changeId, `Reverted: ${action}`) });
  };
  return (
    <CreateModal
      title="Revert this change?"
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Revert"
      pending={revert.isPending}
      problem={revert.error?.message ?? (obstacle && `Cannot be reverted: ${obstacle}`)}
      copy={{ call: mutationCall(ChangeRevertDocument, input, 'changeId') }}
    >
      <Text size="sm">
        {entry.actor} {action}, {formatAgo(entry.at)}. The previous values are restored as a new change.
      </Text>
      {!obstacle && (
        <Alert color="gate" icon={<IconInfoCircle size={18} aria-hidden />}>
          <ImpactText impact={trial.data} />
        </Alert>
      )}
      <TextInput
        label="Reason"
        description="Recorded in the audit trail."
        value={reason}
        onChange={({ currentTarget: { value } }) => setReason(value)}
      />
    </CreateModal>
  );
}
