import { Alert, Group, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCreditCardOff } from '@tabler/icons-react';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { ReasonField } from '../../components/fields.js';
import type { PurchaseFieldsFragment, PurchaseQuery } from '../../generated/graphql.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { PAYMENT_PROVIDER_TEXT, PAYMENT_REVIEW_REASON_TEXT } from '../../lib/labels.js';
import { formatMajor, formatMoney, parseMoney, plural } from '../../lib/number-format.js';
import { formatDay, formatMoment } from '../../lib/time-format.js';
import { type PurchaseChange, purchaseChangeCall, usePurchaseChange } from './api.js';

type Payment = NonNullable<PurchaseQuery['purchase']>['payments'][number];

/** The action to confirm, on the purchase or one of its payments. */
export type PurchaseQuestion =
  | { kind: 'cancel' | 'stopRetry' }
  | { kind: 'refund' | 'release' | 'reject'; payment: Payment };

interface PurchaseDialogProps {
  purchase: PurchaseFieldsFragment;
  question: PurchaseQuestion;
  onClose: () => void;
  /** Called with the change to follow and a title, if limits change. */
  onChanged?: ((changeId: string, title: string) => void) | undefined;
}

/** Confirms an action on a purchase and explains its effect. */
export function PurchaseDialog({ purchase, question, onClose, onChanged }: PurchaseDialogProps) {
  const { label, currency } = purchase;
  const payment = 'payment' in question ? question.payment : undefined;
  const leftMinor = payment ? payment.amountMinor - payment.refundedMinor - payment.disputedMinor : 0;
  const [amount, setAmount] = useState(() => formatMajor(leftMinor, currency));
  const [reason, setReason] = useState('');
  const [amountProblem, setAmountProblem] = useState<string>();
  const mutation = usePurchaseChange();
  const { byField, form } = errorsByField(mutation.error, ['amountMinor', 'reason']);
  const texts = useDialogTexts(purchase, question, leftMinor);

  const refund = parseMoney(amount, currency);
  const change = changeOf(purchase.id, question, refund.ok ? refund.value : undefined, reason);
  const submit = () => {
    setAmountProblem(refund.ok ? undefined : refund.message);
    if (!change) return;
    mutation.mutate(change, {
      onSuccess: (changeId) => {
        if (changeId && onChanged) onChanged(changeId, texts.done);
        else notifications.show({ title: texts.done, message: label, color: 'gate' });
        onClose();
      },
    });
  };
  return (
    <CreateModal
      opened
      title={texts.title}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={texts.submit}
      pending={mutation.isPending}
      problem={form}
      {...(change && { copy: { call: purchaseChangeCall(change) } })}
    >
      <Text size="sm">{texts.hint}</Text>
      {question.kind === 'refund' && (
        <TextInput
          label={`Amount (${currency})`}
          inputMode="decimal"
          value={amount}
          onChange={({ currentTarget: { value } }) => setAmount(value)}
          error={amountProblem ?? byField.amountMinor}
        />
      )}
      <ReasonField value={reason} onChange={setReason} error={byField.reason} />
    </CreateModal>
  );
}

/** The confirmed change; undefined while the refund amount is invalid. */
function changeOf(
  purchaseId: string,
  question: PurchaseQuestion,
  amountMinor: number | undefined,
  reason: string,
): PurchaseChange | undefined {
  const common = { purchaseId, reason: reason.trim() || null };
  if (!('payment' in question)) return { ...common, kind: question.kind };
  const payment = question.payment.ref;
  if (question.kind !== 'refund') return { ...common, kind: question.kind, payment };
  return amountMinor === undefined ? undefined : { ...common, kind: 'refund', payment, amountMinor };
}

function useDialogTexts(purchase: PurchaseFieldsFragment, question: PurchaseQuestion, leftMinor: number) {
  const { label, currency, status, paidThrough, provider } = purchase;
  switch (question.kind) {
    case 'refund':
      return {
        title: `Refund ${label}?`,
        hint: `A full refund revokes the purchased limits. ${formatMoney(leftMinor, currency)} of the last payment can be refunded.`,
        submit: 'Refund',
        done: 'Refund started',
      };
    case 'release': {
      const why = question.payment.reviewReason
        ? PAYMENT_REVIEW_REASON_TEXT[question.payment.reviewReason]
        : '';
      const [title, hint] = [
        `Accept this payment for ${label}?`,
        `The payment is booked for this order although it does not match: ${why}.`,
      ];
      return { title, hint, submit: 'Accept payment', done: 'Payment accepted' };
    }
    case 'stopRetry': {
      const hint = `Tollgate contacts ${PAYMENT_PROVIDER_TEXT[provider]} now and retries for up to three days.`;
      return {
        title: `Retry canceling ${label}?`,
        hint,
        submit: 'Retry now',
        done: 'Cancellation requested',
      };
    }
    case 'reject':
      return {
        title: 'Reject this payment?',
        hint: 'The payment is refunded and nothing is granted.',
        submit: 'Reject payment',
        done: 'Payment rejected. Refund started.',
      };
    default:
      return status === 'PENDING'
        ? {
            title: `Cancel the order of ${label}?`,
            hint: 'Nothing was paid. The payment page stops working.',
            submit: 'Cancel order',
            done: 'Order canceled',
          }
        : {
            title: `Cancel the renewal of ${label}?`,
            hint: `It stays active until ${paidThrough ? formatDay(paidThrough) : '–'} and is not charged again.`,
            submit: 'Cancel renewal',
            done: 'Renewal canceled',
          };
  }
}

type Purchase = NonNullable<PurchaseQuery['purchase']>;

/** Warns that the provider has not confirmed a cancellation yet; renders nothing otherwise. */
export function ProviderStopAlert({ purchase, onRetry }: { purchase: Purchase; onRetry: () => void }) {
  const { providerStop: stop, provider, tenantKey } = purchase;
  if (!stop) return null;
  const { attempts, isExhausted, lastError, nextAttemptAt } = stop;
  const names = { provider: PAYMENT_PROVIDER_TEXT[provider], attempts };
  const whatNext = isExhausted
    ? 'Automatic retries have ended. Cancel the subscription at the provider, or retry.'
    : nextAttemptAt
      ? `Next attempt: ${formatMoment(nextAttemptAt)}.`
      : `The worker retries automatically. ${names.provider} may charge again until it confirms.`;
  return (
    <Alert
      color="ember"
      icon={<IconCreditCardOff size={18} aria-hidden />}
      title={
        attempts > 0
          ? `${names.provider} has not confirmed the cancellation (${plural(names.attempts, 'attempt')})`
          : `Cancellation pending at ${names.provider}`
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
