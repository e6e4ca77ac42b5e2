import { Injectable } from '@nestjs/common';
import {
  type BillingDetails,
  type PaymentEventReview,
  PaymentEventReviewStatus,
  type PaymentProviderName,
  Prisma,
  type TestCard,
  type TestCharge,
  type TestEvent,
  type TestOrder,
  type TestSavedCard,
} from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

/** Customer ids of tenants at providers. */
@Injectable()
export class PaymentCustomersRepository {
  constructor(private readonly database: Database) {}

  async find(tenantId: string, provider: PaymentProviderName): Promise<string | null> {
    const where = { tenantId_provider: { tenantId, provider } };
    const row = await this.database.client.paymentCustomer.findUnique({ where });
    return row?.ref ?? null;
  }

  /** Stores `ref` unless one is stored already; returns the stored one. */
  async keep(tenantId: string, provider: PaymentProviderName, ref: string): Promise<string> {
    await this.database.client.paymentCustomer.createMany({
      data: [{ tenantId, provider, ref }],
      skipDuplicates: true,
    });
    return (await this.find(tenantId, provider)) ?? ref;
  }
}

export type PaymentEventReviewRow = PaymentEventReview;

export interface UnbookedEvent {
  provider: PaymentProviderName;
  eventId: string;
  type: string;
  apiVersion: string | null;
  problem: string;
  payload: Prisma.InputJsonObject;
}

/** Provider events that need review. Platform data: an unreadable event has no tenant. */
@Injectable()
export class EventReviewsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; one row beyond the page if there is a next page. */
  list(status: PaymentEventReviewStatus | undefined, page: Page<string>): Promise<PaymentEventReviewRow[]> {
    return this.database.client.paymentEventReview.findMany({
      where: { ...matching(status), ...(page.after === undefined ? {} : { id: { lt: page.after } }) },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(status: PaymentEventReviewStatus | undefined): Promise<number> {
    return this.database.client.paymentEventReview.count({ where: matching(status) });
  }

  find(id: string, tx: Tx = this.database.client): Promise<PaymentEventReviewRow | null> {
    return tx.paymentEventReview.findUnique({ where: { id } });
  }

  /** Records an event, or a further attempt. `isNew`: this is the first one. */
  async record(tx: Tx, event: UnbookedEvent): Promise<{ row: PaymentEventReviewRow; isNew: boolean }> {
    const { provider, eventId, problem } = event;
    const id = newId('paymentEventReview');
    const row = await tx.paymentEventReview.upsert({
      where: { provider_eventId: { provider, eventId } },
      create: { id, ...event, attempts: 1 },
      update: { attempts: { increment: 1 }, problem },
    });
    return { row, isNew: row.id === id };
  }

  /** Closes the open review of a booked event, if any. */
  async closeBooked(provider: PaymentProviderName, eventId: string): Promise<void> {
    await close(this.database.client, { provider, eventId }, PaymentEventReviewStatus.BOOKED);
  }

  /** False if the review is closed already. */
  dismiss(tx: Tx, id: string): Promise<boolean> {
    return close(tx, { id }, PaymentEventReviewStatus.DISMISSED);
  }
}

/** Also deletes the payload, which may contain personal data. */
async function close(
  tx: Tx,
  where: Prisma.PaymentEventReviewWhereInput,
  status: PaymentEventReviewStatus,
): Promise<boolean> {
  const { count } = await tx.paymentEventReview.updateMany({
    where: { ...where, status: PaymentEventReviewStatus.OPEN },
    data: { status, resolvedAt: new Date(), payload: Prisma.DbNull },
  });
  return count === 1;
}

function matching(status: PaymentEventReviewStatus | undefined): Prisma.PaymentEventReviewWhereInput {
  return status === undefined ? {} : { status };
}

export type TestOrderRow = TestOrder;
export type TestChargeRow = TestCharge;

/** Orders and charges of the test provider. */
@Injectable()
export class TestOrdersRepository {
  constructor(private readonly database: Database) {}

  /** The order of a purchase; creates it if needed. */
  async open(data: Omit<Prisma.TestOrderUncheckedCreateInput, 'id'>): Promise<TestOrderRow> {
    const row = { id: newId('testOrder'), ...data };
    await this.database.client.testOrder.createMany({ data: [row], skipDuplicates: true });
    return this.database.client.testOrder.findUniqueOrThrow({ where: { purchaseId: data.purchaseId } });
  }

  find(id: string): Promise<TestOrderRow | null> {
    return this.database.client.testOrder.findUnique({ where: { id } });
  }

  async lock(tx: Tx, id: string): Promise<TestOrderRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "test_order" WHERE "id" = ${id} FOR UPDATE`;
    return tx.testOrder.findUnique({ where: { id } });
  }

  async update(tx: Tx, id: string, data: Prisma.TestOrderUpdateInput): Promise<void> {
    await tx.testOrder.update({ where: { id }, data });
  }

  /** Orders with a due charge, in the billing time of their tenant. */
  async listDue(realNow: Date, tenantId: string | undefined, most: number): Promise<string[]> {
    const rows = await this.database.client.$queryRaw<{ id: string }[]>`
      SELECT o."id" FROM "test_order" o LEFT JOIN "test_clock" c ON c."tenant_id" = o."tenant_id"
      WHERE o."next_charge_at" <= coalesce(c."now", ${realNow}::timestamptz)
        AND (${tenantId ?? null}::text IS NULL OR o."tenant_id" = ${tenantId ?? null})
      ORDER BY o."next_charge_at", o."id" LIMIT ${most}`;
    return rows.map(({ id }) => id);
  }

  charge(tx: Tx, order: TestOrderRow): Promise<TestChargeRow> {
    const { id: orderId, tenantId, amountMinor } = order;
    return tx.testCharge.create({ data: { id: newId('testCharge'), orderId, tenantId, amountMinor } });
  }

  countCharges(tx: Tx, orderId: string): Promise<number> {
    return tx.testCharge.count({ where: { orderId } });
  }

  findCharge(tx: Tx, id: string): Promise<TestChargeRow | null> {
    return tx.testCharge.findUnique({ where: { id } });
  }

  async setRefunded(tx: Tx, id: string, refundedMinor: bigint): Promise<void> {
    await tx.testCharge.update({ where: { id }, data: { refundedMinor } });
  }
}

export type TestSavedCardRow = TestSavedCard;

/** Cards that tenants save at the test provider. */
@Injectable()
export class TestSavedCardsRepository {
  constructor(private readonly database: Database) {}

  /** A page on which a card can be saved. */
  open(tenantId: string, returnUrl: string): Promise<TestSavedCardRow> {
    return this.database.client.testSavedCard.create({
      data: { id: newId('testSavedCard'), tenantId, returnUrl },
    });
  }

  find(id: string, tx: Tx = this.database.client): Promise<TestSavedCardRow | null> {
    return tx.testSavedCard.findUnique({ where: { id } });
  }

  /** Newest first. */
  list(tenantId: string): Promise<TestSavedCardRow[]> {
    return this.database.client.testSavedCard.findMany({
      where: { tenantId, card: { not: null } },
      orderBy: { id: 'desc' },
    });
  }

  /** Has no effect on a card that is saved. */
  async save(id: string, card: TestCard, lastFour: string): Promise<void> {
    await this.database.client.testSavedCard.updateMany({
      where: { id, card: null },
      data: { card, lastFour },
    });
  }
}

@Injectable()
export class TestEventsRepository {
  constructor(private readonly database: Database) {}

  /** Queues an event for delivery. */
  async add(tx: Tx, tenantId: string, bodyOf: (id: string) => object): Promise<void> {
    const id = newId('testEvent');
    await tx.testEvent.create({ data: { id, tenantId, body: JSON.stringify(bodyOf(id)) } });
  }

  /** Pending events, oldest first. */
  listUndelivered(tenantId: string | undefined, most: number): Promise<Pick<TestEvent, 'id' | 'body'>[]> {
    return this.database.client.testEvent.findMany({
      where: { deliveredAt: null, ...(tenantId === undefined ? {} : { tenantId }) },
      select: { id: true, body: true },
      orderBy: { id: 'asc' },
      take: most,
    });
  }

  async markDelivered(id: string, at: Date): Promise<void> {
    await this.database.client.testEvent.update({ where: { id }, data: { deliveredAt: at } });
  }
}

export type BillingDetailsRow = BillingDetails;

@Injectable()
export class BillingDetailsRepository {
  constructor(private readonly database: Database) {}

  find(tenantKey: string, tx: Tx = this.database.client): Promise<BillingDetailsRow | null> {
    return tx.billingDetails.findFirst({ where: { tenant: { key: tenantKey } } });
  }

  /** Creates the row of the tenant if needed. */
  save(tx: Tx, row: BillingDetailsRow): Promise<BillingDetailsRow> {
    const { tenantId, ...data } = row;
    return tx.billingDetails.upsert({ where: { tenantId }, create: row, update: data });
  }
}
