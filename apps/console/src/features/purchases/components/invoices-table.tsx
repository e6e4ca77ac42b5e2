import { Group } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { useState } from 'react';
import { GatedButton } from '../../../components/buttons.js';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/links.js';
import { EmptyState } from '../../../components/page.js';
import { formatMoney } from '../../../lib/number-format.js';
import { formatDay } from '../../../lib/time-format.js';
import type { InvoiceRow } from '../api/invoices.js';
import { InvoiceDialog } from './invoice-dialog.js';
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
  const [asking, setAsking] = useState<{ kind: 'paid' | 'void'; invoice: InvoiceRow }>();
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
                        onClick={() => setAsking({ kind: 'void', invoice })}
                      >
                        Void
                      </GatedButton>
                      <GatedButton
                        permission="payments:write"
                        onClick={() => setAsking({ kind: 'paid', invoice })}
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
      {asking && onChanged && (
        <InvoiceDialog {...asking} onClose={() => setAsking(undefined)} onChanged={onChanged} />
      )}
    </>
  );
}
