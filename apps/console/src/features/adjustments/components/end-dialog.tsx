import { Text } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { ReasonField } from '../../../components/reason-field.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { type AdjustmentEnd, adjustmentEndCall, useAdjustmentEnd } from '../api/adjustments.js';

interface EndDialogProps {
  end: Omit<AdjustmentEnd, 'reason'>;
  /** What is ended, for people. */
  what: string;
  onClose: () => void;
  onEnded: (changeId: string | undefined) => void;
}

/** Asks for the reason of ending something before its time. */
export function EndDialog({ end, what, onClose, onEnded }: EndDialogProps) {
  const [reason, setReason] = useState('');
  const mutation = useAdjustmentEnd();
  const { byField, form } = errorsByField(mutation.error, ['reason']);
  const asked = { ...end, reason };
  return (
    <CreateModal
      title={`End “${what}” now?`}
      opened
      onClose={onClose}
      onSubmit={() => mutation.mutate(asked, { onSuccess: onEnded })}
      submitLabel="End now"
      pending={mutation.isPending}
      problem={form}
      copy={{ call: adjustmentEndCall(asked) }}
    >
      <Text size="sm">All nodes enforce the limits without it within a second.</Text>
      <ReasonField required focused value={reason} onChange={setReason} error={byField.reason} />
    </CreateModal>
  );
}
