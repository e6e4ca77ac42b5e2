import { Injectable } from '@nestjs/common';
import { type Prisma, type TestCharge, type TestEvent, type TestOrder } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

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

  /** The order, locked until the transaction ends. */
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

/** Events of the test provider. */
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
