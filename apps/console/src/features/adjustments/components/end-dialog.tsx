import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
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
  const t = useTranslations('adjustments');
  const [reason, setReason] = useState('');
  const mutation = useAdjustmentEnd();
  const { byField, form } = errorsByField(mutation.error, ['reason']);
  const asked = { ...end, reason };
  return (
    <CreateModal
      title={t('endTitle', { what })}
      opened
      onClose={onClose}
      onSubmit={() => mutation.mutate(asked, { onSuccess: onEnded })}
      submitLabel={t('endNow')}
      pending={mutation.isPending}
      problem={form}
      copy={{ call: adjustmentEndCall(asked) }}
    >
      <Text size="sm">{t('endText')}</Text>
      <ReasonField required focused value={reason} onChange={setReason} error={byField.reason} />
    </CreateModal>
  );
}
