import { Injectable } from '@nestjs/common';
import { type Invoice, InvoiceStatus, type Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { buyerSchema, sellerSchema } from '../documents/document.js';

export type InvoiceRow = Invoice;

export interface InvoiceFilter {
  /** Undefined: every visible tenant. */
  tenantKey: string | undefined;
  status: InvoiceStatus | undefined;
}

type NewInvoice = Omit<Prisma.InvoiceUncheckedCreateInput, 'id' | 'number'>;

@Injectable()
export class InvoicesRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; one row beyond the page if there is a next page. */
  list(filter: InvoiceFilter, page: Page<number>): Promise<InvoiceRow[]> {
    return this.database.client.invoice.findMany({
      where: {
        ...matching(filter),
        ...(page.after === undefined ? {} : { number: { lt: page.after } }),
      },
      orderBy: { number: 'desc' },
      take: page.first + 1,
    });
  }

  count(filter: InvoiceFilter): Promise<number> {
    return this.database.client.invoice.count({ where: matching(filter) });
  }

  findById(id: string): Promise<InvoiceRow | null> {
    return this.database.client.invoice.findUnique({ where: { id } });
  }

  listOfPurchase(purchaseId: string, tx: Tx = this.database.client): Promise<InvoiceRow[]> {
    return tx.invoice.findMany({ where: { purchaseId }, orderBy: { period: 'asc' } });
  }

  findByNumber(number: number): Promise<InvoiceRow | null> {
    return this.database.client.invoice.findUnique({ where: { number } });
  }

  /** The invoice of a period; creates it with the next number if needed. Locks the counter until the transaction commits. */
  async issue(tx: Tx, facts: NewInvoice): Promise<InvoiceRow> {
    const { purchaseId, period } = facts;
    const [counter] = await tx.$queryRaw<{ last: number }[]>`
      SELECT "last" FROM "invoice_counter" WHERE "id" = 1 FOR UPDATE`;
    const present = await tx.invoice.findUnique({ where: { purchaseId_period: { purchaseId, period } } });
    if (present !== null) return present;
    const number = (counter?.last ?? 0) + 1;
    await tx.invoiceCounter.update({ where: { id: 1 }, data: { last: number } });
    return tx.invoice.create({
      data: { id: newId('invoice'), number, ...facts, ...(await readParties(tx, facts.tenantId)) },
    });
  }

  /** Closes an open invoice; false if it is closed already. */
  async close(
    tx: Tx,
    id: string,
    status: 'PAID' | 'VOID',
    closedAt: Date,
    reference: string | null,
  ): Promise<boolean> {
    const { count } = await tx.invoice.updateMany({
      where: { id, status: InvoiceStatus.OPEN },
      data: { status, closedAt, reference },
    });
    return count === 1;
  }
}

/** Seller and buyer as far as they are filled in; the invoice keeps them when they change later. */
async function readParties(tx: Tx, tenantId: string): Promise<Pick<NewInvoice, 'seller' | 'buyer'>> {
  const company = await tx.installation.findUnique({ where: { id: 1 } });
  const details = await tx.billingDetails.findUnique({ where: { tenantId } });
  return {
    ...(company === null || company.companyName === '' ? {} : { seller: sellerSchema.parse(company) }),
    ...(details === null || details.name === '' ? {} : { buyer: buyerSchema.parse(details) }),
  };
}

function matching({ tenantKey, status }: InvoiceFilter): Prisma.InvoiceWhereInput {
  return {
    ...(tenantKey === undefined ? {} : { purchase: { tenant: { key: tenantKey } } }),
    ...(status === undefined ? {} : { status }),
  };
}
