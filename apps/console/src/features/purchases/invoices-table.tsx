import { Group, Text, TextInput } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable, hidden, NumericCell, numeric } from '../../components/data-table.js';
import { ReasonField } from '../../components/fields.js';
import { PdfLink, TenantLink } from '../../components/links.js';
import { EmptyState } from '../../components/page.js';
import { NumberText } from '../../components/typed-field.js';
import { usePageZone } from '../../lib/customer-page.js';
import { useFields } from '../../lib/form.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatMajor, formatMoney, parseMoney } from '../../lib/number-format.js';
import { formatDayInZone } from '../../lib/time-format.js';
import {
  InvoiceMarkPaidDocument,
  type InvoiceRow,
  InvoiceVoidDocument,
  invoicesKey,
  purchasesKey,
} from './api.js';
import { InvoiceStatusDot } from './purchases-table.js';

interface InvoiceDialogProps {
  kind: 'paid' | 'void';
  invoice: InvoiceRow;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

export function InvoiceDialog({ kind, invoice, onClose, onChanged }: InvoiceDialogProps) {
  const { number, amountMinor, currency } = invoice;
  const [problem, setProblem] = useState<string>();
  const isPaid = kind === 'paid';
  const { errors, dialog } = useMutationDialog(
    isPaid ? InvoiceMarkPaidDocument : InvoiceVoidDocument,
    ['reference', 'receivedMinor', 'reason'],
    purchasesKey,
    invoicesKey,
  );
  const { values, bind } = useFields(errors, {
    reference: '',
    received: formatMajor(amountMinor, currency),
    reason: '',
  });
  const received = parseMoney(values.received, currency);
  const inputOf = () => {
    const common = { number, reason: values.reason.trim() || null };
    if (!isPaid) return common;
    if (!received.ok) return undefined;
    const receivedMinor = received.value === amountMinor ? null : received.value;
    return { ...common, reference: values.reference.trim() || null, receivedMinor };
  };
  const save = dialog(inputOf(), ({ changeId }) => {
    if (changeId)
      onChanged(changeId, isPaid ? `Invoice ${number} marked as paid` : `Invoice ${number} voided`);
    onClose();
  });
  const submit = () => {
    setProblem(isPaid && !received.ok ? received.message : undefined);
    save.onSubmit();
  };
  return (
    <CreateModal
      title={isPaid ? `Mark invoice ${number} as paid?` : `Void invoice ${number}?`}
      submitLabel={isPaid ? 'Mark as paid' : 'Void'}
      onClose={onClose}
      {...save}
      onSubmit={submit}
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
            {...bind('reference')}
          />
          <NumberText
            label={`Amount received (${currency})`}
            description={`An amount other than ${formatMoney(amountMinor, currency)} needs review.`}
            inputMode="decimal"
            {...bind('received')}
            parsed={received}
            error={problem ?? errors.receivedMinor}
          />
        </>
      )}
      <ReasonField {...bind('reason')} />
    </CreateModal>
  );
}

interface InvoicesTableProps {
  invoices: readonly InvoiceRow[];
  withTenant?: boolean;
  /** Lets operators mark invoices as paid or void; called with the change to follow and a title. */
  onChanged?: (changeId: string, title: string) => void;
}

export function InvoicesTable({ invoices, withTenant = false, onChanged }: InvoicesTableProps) {
  const timeZone = usePageZone();
  const [dialog, setDialog] = useState<{ kind: 'paid' | 'void'; invoice: InvoiceRow }>();
  if (invoices.length === 0) {
    return (
      <EmptyState icon={IconFileInvoice} title="No invoices">
        Orders and renewals that are paid by invoice appear here.
      </EmptyState>
    );
  }
  const columns = [
    numeric('Number'),
    'Offer',
    ...(withTenant ? ['Tenant'] : []),
    'Status',
    numeric('Amount'),
    'Issued',
    'Due',
    'Reference',
    ...(onChanged ? [hidden('Actions')] : []),
  ];
  return (
    <>
      <DataTable label="Invoices" columns={columns}>
        {invoices.map((invoice) => {
          const { id, number, purchase, status, amountMinor, currency, issuedAt, dueAt, reference } = invoice;
          return (
            <tr key={number}>
              <NumericCell>
                <PdfLink href={`/api/invoices/${id}.pdf`} label={`Invoice ${number} as PDF`}>
                  {number}
                </PdfLink>
              </NumericCell>
              <th scope="row">{purchase.label}</th>
              {withTenant && (
                <td>
                  <TenantLink tenantKey={purchase.tenantKey} />
                </td>
              )}
              <td>
                <InvoiceStatusDot status={status} dueAt={dueAt} />
              </td>
              <NumericCell>{formatMoney(amountMinor, currency)}</NumericCell>
              <td className="tg-nowrap">{formatDayInZone(issuedAt, timeZone)}</td>
              <td className="tg-nowrap">{formatDayInZone(dueAt, timeZone)}</td>
              <td>{reference ?? <span className="tg-soft">–</span>}</td>
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
