import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { ReasonField } from '../../../components/fields.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { formatMajor, formatMoney, parseMoney } from '../../../lib/number-format.js';
import { type InvoiceChange, type InvoiceRow, invoiceChangeCall, useInvoiceChange } from '../api/invoices.js';

interface InvoiceDialogProps {
  kind: 'paid' | 'void';
  invoice: InvoiceRow;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

/** Says that the money of an invoice has come, or that it is not owed any more. */
export function InvoiceDialog({ kind, invoice, onClose, onChanged }: InvoiceDialogProps) {
  const { number, amountMinor, currency } = invoice;
  const [values, setValues] = useState({
    reference: '',
    received: formatMajor(amountMinor, currency),
    reason: '',
  });
  const [problem, setProblem] = useState<string>();
  const change = useInvoiceChange();
  const { byField, form } = errorsByField(change.error, ['reference', 'receivedMinor', 'reason']);
  const isPaid = kind === 'paid';
  const received = parseMoney(values.received, currency);
  const changeOf = (): InvoiceChange | undefined => {
    const common = { number, reason: values.reason.trim() || null };
    if (!isPaid) return { ...common, kind };
    if (!received.ok) return undefined;
    const receivedMinor = received.value === amountMinor ? null : received.value;
    return { ...common, kind, reference: values.reference.trim() || null, receivedMinor };
  };
  const asked = changeOf();
  const submit = () => {
    setProblem(isPaid && !received.ok ? received.message : undefined);
    if (!asked) return;
    const title = isPaid ? `Invoice ${String(number)} marked as paid` : `Invoice ${String(number)} voided`;
    change.mutate(asked, {
      onSuccess: (changeId) => {
        if (changeId) onChanged(changeId, title);
        onClose();
      },
    });
  };
  return (
    <CreateModal
      opened
      title={isPaid ? `Mark invoice ${String(number)} as paid?` : `Void invoice ${String(number)}?`}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={isPaid ? 'Mark as paid' : 'Void'}
      pending={change.isPending}
      problem={form}
      {...(asked && { copy: { call: invoiceChangeCall(asked) } })}
    >
      <Text size="sm">
        {isPaid
          ? 'The purchase becomes active immediately.'
          : 'The invoice keeps its number and can no longer be paid. The purchase is canceled.'}
      </Text>
      {isPaid && (
        <>
          <TextInput
            label="Reference"
            description="Optional. Reference on the bank statement."
            data-autofocus
            value={values.reference}
            onChange={({ currentTarget: { value } }) => setValues({ ...values, reference: value })}
            error={byField.reference}
          />
          <TextInput
            label={`Amount received (${currency})`}
            description={`An amount other than ${formatMoney(amountMinor, currency)} needs review.`}
            inputMode="decimal"
            value={values.received}
            onChange={({ currentTarget: { value } }) => setValues({ ...values, received: value })}
            error={problem ?? byField.receivedMinor}
          />
        </>
      )}
      <ReasonField
        value={values.reason}
        onChange={(reason) => setValues({ ...values, reason })}
        error={byField.reason}
      />
    </CreateModal>
  );
}
