import { Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { ReasonField } from '../../../components/reason-field.js';
import type { PurchaseFieldsFragment, PurchaseQuery } from '../../../generated/graphql.js';
import { formatMajor, formatMoney, parseMoney } from '../../../lib/money.js';
import { formatDay } from '../../../lib/time-format.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { type PurchaseChange, purchaseChangeCall, usePurchaseChange } from '../api/purchase-change.js';

type Payment = NonNullable<PurchaseQuery['purchase']>['payments'][number];

/** What is asked about: the purchase as a whole, or one payment of it. */
export type PurchaseQuestion =
  | { kind: 'cancel' | 'stopRetry' }
  | { kind: 'refund' | 'release' | 'reject'; payment: Payment };

interface PurchaseDialogProps {
  purchase: PurchaseFieldsFragment;
  question: PurchaseQuestion;
  onClose: () => void;
  /** Called with the change to follow and what it was, where limits change with it. */
  onChanged?: ((changeId: string, title: string) => void) | undefined;
}

/** Asks before money or rights move, and says what becomes of them. */
export function PurchaseDialog({ purchase, question, onClose, onChanged }: PurchaseDialogProps) {
  const t = useTranslations('purchases');
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
          label={`${t('refundAmount')} (${currency})`}
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

/** What is asked for; undefined while the amount of a refund cannot be read. */
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
  const t = useTranslations('purchases');
  const { label, currency, status, paidThrough, provider } = purchase;
  switch (question.kind) {
    case 'refund':
      return {
        title: t('refundTitle', { label }),
        hint: t('refundHint', { left: formatMoney(leftMinor, currency) }),
        submit: t('refund'),
        done: t('refunded'),
      };
    case 'release': {
      const why = question.payment.holdReason ? t(question.payment.holdReason) : '';
      const [title, hint] = [t('releaseTitle', { label }), t('releaseHint', { why })];
      return { title, hint, submit: t('release'), done: t('released') };
    }
    case 'stopRetry': {
      const hint = t('stopRetryHint', { provider: t(provider) });
      return { title: t('stopRetryTitle', { label }), hint, submit: t('stopRetry'), done: t('stopRetried') };
    }
    case 'reject':
      return { title: t('rejectTitle'), hint: t('rejectHint'), submit: t('reject'), done: t('rejected') };
    default:
      return status === 'PENDING'
        ? {
            title: t('giveUpTitle', { label }),
            hint: t('giveUpHint'),
            submit: t('giveUp'),
            done: t('givenUp'),
          }
        : {
            title: t('cancelTitle', { label }),
            hint: t('cancelHint', { until: paidThrough ? formatDay(paidThrough) : '–' }),
            submit: t('cancel'),
            done: t('cancelled'),
          };
  }
}
