import { Group, Text, TextInput } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { ReasonField } from '../../components/fields.js';
import { LinkAnchor } from '../../components/links.js';
import { EmptyState } from '../../components/page.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { formatMajor, formatMoney, parseMoney } from '../../lib/number-format.js';
import { formatDay } from '../../lib/time-format.js';
import { type InvoiceChange, type InvoiceRow, invoiceChangeCall, useInvoiceChange } from './api.js';
import classes from './purchases.module.css';
import { InvoiceStatusDot } from './purchases-table.js';

interface InvoiceDialogProps {
  kind: 'paid' | 'void';
  invoice: InvoiceRow;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

/** Marks an invoice as paid or voids it. */
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
  const request = changeOf();
  const submit = () => {
    setProblem(isPaid && !received.ok ? received.message : undefined);
    if (!request) return;
    const title = isPaid ? `Invoice ${String(number)} marked as paid` : `Invoice ${String(number)} voided`;
    change.mutate(request, {
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
      {...(request && { copy: { call: invoiceChangeCall(request) } })}
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

interface InvoicesTableProps {
  invoices: readonly InvoiceRow[];
  /** Shows a tenant column. */
  withTenant?: boolean;
  /** Lets operators mark invoices as paid or void; called with the change to follow and a title. */
  onChanged?: (changeId: string, title: string) => void;
}

/** Invoices, newest first, with their actions. */
export function InvoicesTable({ invoices, withTenant = false, onChanged }: InvoicesTableProps) {
  const [dialog, setDialog] = useState<{ kind: 'paid' | 'void'; invoice: InvoiceRow }>();
  if (invoices.length === 0) {
    return (
      <EmptyState icon={<IconFileInvoice size={30} stroke={1.5} aria-hidden />} title="No invoices">
        Orders and renewals that are paid by invoice appear here.
      </EmptyState>
    );
  }
  const columns = [
    { name: 'Number', numeric: true },
    { name: 'Offer' },
    ...(withTenant ? [{ name: 'Tenant' }] : []),
    { name: 'Status' },
    { name: 'Amount', numeric: true },
    { name: 'Issued' },
    { name: 'Due' },
    { name: 'Reference' },
    ...(onChanged ? [{ name: 'Actions', hidden: true }] : []),
  ];
  return (
    <>
      <DataTable label="Invoices" columns={columns}>
        {invoices.map((invoice) => {
          const { number, purchase, status, amountMinor, currency, issuedAt, dueAt, reference } = invoice;
          return (
            <tr key={number}>
              <NumericCell>{number}</NumericCell>
              <th scope="row">{purchase.label}</th>
              {withTenant && (
                <td>
                  <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: purchase.tenantKey }}>
                    {purchase.tenantKey}
                  </LinkAnchor>
                </td>
              )}
              <td>
                <InvoiceStatusDot status={status} dueAt={dueAt} />
              </td>
              <NumericCell>{formatMoney(amountMinor, currency)}</NumericCell>
              <td className={classes.nowrap}>{formatDay(issuedAt)}</td>
              <td className={classes.nowrap}>{formatDay(dueAt)}</td>
              <td>{reference ?? <span className={classes.soft}>–</span>}</td>
              {onChanged && (
                <td>
                  {status === 'OPEN' && (
                    <Group gap={6} wrap="nowrap" justify="flex-end">
                      <GatedButton
                        permission="payments:write"
                        variant="default"
                        onClick={() => setDialog({ kind: 'void', invoice })}
                      >
                        Void
                      </GatedButton>
                      <GatedButton
                        permission="payments:write"
                        onClick={() => setDialog({ kind: 'paid', invoice })}
                      >
                        Mark as paid
                      </GatedButton>
                    </Group>
                  )}
                </td>
              )}
            </tr>
          );
        })}
      </DataTable>
      {dialog && onChanged && (
        <InvoiceDialog {...dialog} onClose={() => setDialog(undefined)} onChanged={onChanged} />
      )}
    </>
  );
}
