import { Group, Text, TextInput } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { EmptyState } from '../../../components/empty-state.js';
import { GatedButton } from '../../../components/gated-button.js';
import { LinkAnchor } from '../../../components/link.js';
import { ReasonField } from '../../../components/reason-field.js';
import { formatMajor, formatMoney, parseMoney } from '../../../lib/money.js';
import { formatDay } from '../../../lib/time-format.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { type InvoiceChange, type InvoiceRow, invoiceChangeCall, useInvoiceChange } from '../api/invoices.js';
import { InvoiceStatusDot } from './purchase-status.js';
import classes from './purchases.module.css';

interface InvoicesTableProps {
  invoices: readonly InvoiceRow[];
  /** Of several tenants: says whose each is. */
  withTenant?: boolean;
  /** Operators settle invoices; called with the change to follow and what it was. */
  onChanged?: (changeId: string, title: string) => void;
}

/** Invoices, newest first; operators say of each whether its money has come. */
export function InvoicesTable({ invoices, withTenant = false, onChanged }: InvoicesTableProps) {
  const t = useTranslations('purchases');
  const [asking, setAsking] = useState<{ kind: 'paid' | 'void'; invoice: InvoiceRow }>();
  if (invoices.length === 0) {
    return (
      <EmptyState icon={<IconFileInvoice size={30} stroke={1.5} aria-hidden />} title={t('noInvoices')}>
        {t('noInvoicesHint')}
      </EmptyState>
    );
  }
  const columns = [
    { name: t('number'), numeric: true },
    { name: t('what') },
    ...(withTenant ? [{ name: t('tenant') }] : []),
    { name: t('state') },
    { name: t('amount'), numeric: true },
    { name: t('issued') },
    { name: t('dueAt') },
    { name: t('reference') },
    ...(onChanged ? [{ name: t('actions'), hidden: true }] : []),
  ];
  return (
    <>
      <DataTable label={t('invoices')} columns={columns}>
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
                        onClick={() => setAsking({ kind: 'void', invoice })}
                      >
                        {t('void')}
                      </GatedButton>
                      <GatedButton
                        permission="payments:write"
                        onClick={() => setAsking({ kind: 'paid', invoice })}
                      >
                        {t('markPaid')}
                      </GatedButton>
                    </Group>
                  )}
                </td>
              )}
            </tr>
          );
        })}
      </DataTable>
      {asking && onChanged && (
        <InvoiceDialog {...asking} onClose={() => setAsking(undefined)} onChanged={onChanged} />
      )}
    </>
  );
}

interface InvoiceDialogProps {
  kind: 'paid' | 'void';
  invoice: InvoiceRow;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

function InvoiceDialog({ kind, invoice, onClose, onChanged }: InvoiceDialogProps) {
  const t = useTranslations('purchases');
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
    const title = t(isPaid ? 'paid' : 'voided', { number: String(number) });
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
      title={t(isPaid ? 'markPaidTitle' : 'voidTitle', { number: String(number) })}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t(isPaid ? 'markPaid' : 'void')}
      pending={change.isPending}
      problem={form}
      {...(asked && { copy: { call: invoiceChangeCall(asked) } })}
    >
      <Text size="sm">{t(isPaid ? 'markPaidHint' : 'voidHint')}</Text>
      {isPaid && (
        <>
          <TextInput
            label={t('reference')}
            description={t('referenceHint')}
            data-autofocus
            value={values.reference}
            onChange={({ currentTarget: { value } }) => setValues({ ...values, reference: value })}
            error={byField.reference}
          />
          <TextInput
            label={`${t('received')} (${currency})`}
            description={t('receivedHint', { amount: formatMoney(amountMinor, currency) })}
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
