import { Alert, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCreditCardOff } from '@tabler/icons-react';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { ReasonField } from '../../components/fields.js';
import { NumberText } from '../../components/typed-field.js';
import type { PurchaseFieldsFragment } from '../../generated/graphql.js';
import { usePageZone } from '../../lib/customer-page.js';
import { PAYMENT_PROVIDER_TEXT, PAYMENT_REVIEW_REASON_TEXT } from '../../lib/labels.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatMajor, formatMoney, parseMoney, plural } from '../../lib/number-format.js';
import { formatDayInZone, formatMoment } from '../../lib/time-format.js';
import { type AwaitedRefund, invoicesKey, PURCHASE_CHANGES, type Purchase, purchasesKey } from './api.js';

export type PurchaseQuestion =
  | { kind: 'cancel' | 'stopRetry' }
  | { kind: 'refund' | 'approve' | 'reject'; payment: Purchase['payments'][number] };

interface PurchaseDialogProps {
  purchase: PurchaseFieldsFragment;
  question: PurchaseQuestion;
  onClose: () => void;
  /** Called with the change to follow and a title, if limits change. */
  onChanged?: ((changeId: string, title: string) => void) | undefined;
  /** Called after a refund that its provider confirms later. */
  onRefunding?: (refund: AwaitedRefund) => void;
}

export function PurchaseDialog(props: PurchaseDialogProps) {
  const { purchase, question, onClose, onChanged, onRefunding } = props;
  const { label, currency } = purchase;
  const payment = 'payment' in question ? question.payment : undefined;
  const leftMinor = payment ? payment.amountMinor - payment.refundedMinor - payment.disputedMinor : 0;
  const [amount, setAmount] = useState(() => formatMajor(leftMinor, currency));
  const [reason, setReason] = useState('');
  const [amountProblem, setAmountProblem] = useState<string>();
  const { errors, dialog } = useMutationDialog(
    PURCHASE_CHANGES[question.kind],
    ['amountMinor', 'reason'],
    purchasesKey,
    invoicesKey,
  );
  const texts = dialogTexts(purchase, question, leftMinor, usePageZone());
  const { title, hint, submitLabel, done } = texts;
  const refund = parseMoney(amount, currency);
  const inputOf = () => {
    const common = { purchaseId: purchase.id, reason: reason.trim() || null };
    if (!payment) return common;
    if (question.kind !== 'refund') return { ...common, payment: payment.ref };
    return refund.ok ? { ...common, payment: payment.ref, amountMinor: refund.value } : undefined;
  };
  const save = dialog(inputOf(), ({ changeId }) => {
    if (changeId && onChanged && question.kind !== 'stopRetry') onChanged(changeId, done);
    else notifications.show({ title: done, message: label, color: 'gate' });
    if (payment && question.kind !== 'approve') {
      const amountMinor = question.kind === 'refund' && refund.ok ? refund.value : leftMinor;
      onRefunding?.({ payment: payment.ref, totalMinor: payment.refundedMinor + amountMinor });
    }
    onClose();
  });
  const submit = () => {
    setAmountProblem(refund.ok ? undefined : refund.message);
    save.onSubmit();
  };
  return (
    <CreateModal title={title} submitLabel={submitLabel} onClose={onClose} {...save} onSubmit={submit}>
      <Text size="sm">{hint}</Text>
      {question.kind === 'refund' && (
        <NumberText
          label={`Amount (${currency})`}
          inputMode="decimal"
          value={amount}
          onChange={setAmount}
          parsed={refund}
          error={amountProblem ?? errors.amountMinor}
        />
      )}
      <ReasonField value={reason} onChange={setReason} error={errors.reason} />
    </CreateModal>
  );
}

function dialogTexts(
  purchase: PurchaseFieldsFragment,
  question: PurchaseQuestion,
  leftMinor: number,
  timeZone: string,
) {
  const { label, currency, status, paidThrough, provider } = purchase;
  switch (question.kind) {
    case 'refund':
      return {
        title: `Refund ${label}?`,
        hint: `A full refund revokes the purchased limits. ${formatMoney(leftMinor, currency)} of the last payment can be refunded.`,
        submitLabel: 'Refund',
        done: 'Refund started',
      };
    case 'approve': {
      const { reviewReason } = question.payment;
      const why = reviewReason ? PAYMENT_REVIEW_REASON_TEXT[reviewReason] : '';
      return {
        title: `Approve this payment for ${label}?`,
        hint: `The payment is booked for this order although it does not match: ${why}.`,
        submitLabel: 'Approve payment',
        done: 'Payment approved',
      };
    }
    case 'stopRetry':
      return {
        title: `Retry canceling ${label}?`,
        hint: `Tollgate contacts ${PAYMENT_PROVIDER_TEXT[provider]} now and retries for up to three days.`,
        submitLabel: 'Retry now',
        done: 'Cancellation requested',
      };
    case 'reject':
      return {
        title: 'Reject this payment?',
        hint: 'The payment is refunded and nothing is granted.',
        submitLabel: 'Reject payment',
        done: 'Payment rejected. Refund started.',
      };
    case 'cancel':
      if (status === 'NEEDS_REVIEW') {
        return {
          title: `Cancel the order of ${label}?`,
          hint: `Check first that no payment is outstanding at ${PAYMENT_PROVIDER_TEXT[provider]}: the subscription ends there. A payment that still arrives is granted for one period.`,
          submitLabel: 'Cancel order',
          done: 'Order canceled',
        };
      }
      return status === 'PENDING'
        ? {
            title: `Cancel the order of ${label}?`,
            hint: 'Nothing was paid. The payment page stops working.',
            submitLabel: 'Cancel order',
            done: 'Order canceled',
          }
        : {
            title: `Cancel the renewal of ${label}?`,
            hint: `It stays active until ${paidThrough ? formatDayInZone(paidThrough, timeZone) : '–'} and is not charged again.`,
            submitLabel: 'Cancel renewal',
            done: 'Renewal canceled',
          };
  }
}

/** Warns that the provider has not confirmed a cancellation yet; renders nothing otherwise. */
export function ProviderStopAlert({ purchase, onRetry }: { purchase: Purchase; onRetry: () => void }) {
  const { providerStop: stop, provider, tenantKey } = purchase;
  if (!stop) return null;
  const { attempts, isExhausted, lastError, nextAttemptAt } = stop;
  const name = PAYMENT_PROVIDER_TEXT[provider];
  const whatNext = isExhausted
    ? 'Automatic retries have ended. Cancel the subscription at the provider, or retry.'
    : nextAttemptAt
      ? `Next attempt: ${formatMoment(nextAttemptAt)}.`
      : `The worker retries automatically. ${name} may charge again until it confirms.`;
  return (
    <Alert
      color="ember"
      icon={<IconCreditCardOff size={18} aria-hidden />}
      title={
        attempts > 0
          ? `${name} has not confirmed the cancellation (${plural(attempts, 'attempt')})`
          : `Cancellation pending at ${name}`
      }
    >
      <Group justify="space-between" align="flex-end">
        <div>
          {lastError && <Text size="sm">Last error: {lastError}</Text>}
          <Text size="sm">{whatNext}</Text>
        </div>
        <GatedButton permission="payments:write" tenantKey={tenantKey} variant="default" onClick={onRetry}>
          Retry now
        </GatedButton>
      </Group>
    </Alert>
  );
}
