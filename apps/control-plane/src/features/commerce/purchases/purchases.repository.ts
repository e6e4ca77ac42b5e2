import { Injectable } from '@nestjs/common';
import {
  type PaymentProviderName,
  type Prisma,
  type Purchase,
  type PurchaseEvent as PurchaseEventRow,
  PurchaseStatus,
  type Tenant,
} from '@tollgate/database';
import type { Page } from '../../../platform/graphql/paging.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { Checkout } from '../payments/payment-provider.js';
import { type PurchaseEvent, purchaseFactSchema } from '../payments/purchase-fact.js';
import { MAX_STOP_ATTEMPTS } from './stop-retry.rules.js';

export type PurchaseRow = Purchase;
export type PurchaseOfTenant = Purchase & { tenant: Tenant };

export interface PurchaseFilter {
  /** Undefined: of every tenant that may be seen. */
  tenantKey: string | undefined;
  status: PurchaseStatus | undefined;
}

/** What a new purchase is made of; the rest is told by its events. */
export type NewPurchase = Omit<Prisma.PurchaseUncheckedCreateInput, 'id'>;

/** Of purchases that have not come to an end. */
const OPEN_STATUSES = ['PENDING', 'HELD', 'ACTIVE', 'GRACE', 'DISPUTED'] as const;

/** All queries on purchases and what happened to them. */
@Injectable()
export class PurchasesRepository {
  constructor(private readonly database: Database) {}

  /** Of a tenant, those that are paid for or may still be. */
  countOpen(tx: Tx, tenantId: string): Promise<number> {
    const status = { in: [...OPEN_STATUSES] };
    return tx.purchase.count({ where: { tenantId, status } });
  }

  /** Newest first; one row more than the page holds, when there is one. */
  list(filter: PurchaseFilter, page: Page<string>): Promise<PurchaseOfTenant[]> {
    return this.database.client.purchase.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { id: { lt: page.after } }] },
      orderBy: { id: 'desc' },
      take: page.first + 1,
      include: { tenant: true },
    });
  }

  count(filter: PurchaseFilter): Promise<number> {
    return this.database.client.purchase.count({ where: matching(filter) });
  }

  findById(id: string): Promise<PurchaseOfTenant | null> {
    return this.database.client.purchase.findUnique({ where: { id }, include: { tenant: true } });
  }

  /** The purchase that a provider charges by this subscription. */
  async findIdBySubscription(provider: PaymentProviderName, ref: string): Promise<string | null> {
    const found = await this.database.client.purchase.findFirst({
      where: { provider, subscriptionRef: ref },
      select: { id: true },
    });
    return found?.id ?? null;
  }

  async listByIds(ids: string[]): Promise<Map<string, PurchaseOfTenant>> {
    const rows = await this.database.client.purchase.findMany({
      where: { id: { in: ids } },
      include: { tenant: true },
    });
    return new Map(rows.map((row) => [row.id, row]));
  }

  create(tx: Tx, data: NewPurchase): Promise<PurchaseOfTenant> {
    return tx.purchase.create({ data: { id: newId('purchase'), ...data }, include: { tenant: true } });
  }

  /** The purchase, locked until the transaction ends: whatever changes it does so one after another. */
  async lock(tx: Tx, id: string): Promise<PurchaseOfTenant | null> {
    await tx.$queryRaw`SELECT 1 FROM "purchase" WHERE "id" = ${id} FOR UPDATE`;
    return tx.purchase.findUnique({ where: { id }, include: { tenant: true } });
  }

  update(tx: Tx, id: string, data: Prisma.PurchaseUpdateInput): Promise<PurchaseOfTenant> {
    return tx.purchase.update({ where: { id }, data, include: { tenant: true } });
  }

  /** Where it is paid, and by whom it has to be. */
  setCheckout(id: string, { ref, url, customerRef }: Checkout): Promise<PurchaseOfTenant> {
    const data = { checkoutRef: ref, checkoutUrl: url, customerRef };
    return this.database.client.purchase.update({ where: { id }, data, include: { tenant: true } });
  }

  /** The provider has been told. */
  async markStopped(id: string): Promise<void> {
    const data = { stopDue: false, stopAttempts: 0, stopRetryAt: null, stopError: null };
    await this.database.client.purchase.update({ where: { id }, data });
  }

  /** The provider has refused once more; false when that was noted already. */
  async noteStopRefused(
    tx: Tx,
    { id, stopAttempts }: PurchaseRow,
    { retryAt, error }: { retryAt: Date | null; error: string },
  ): Promise<boolean> {
    const { count } = await tx.purchase.updateMany({
      where: { id, stopDue: true, stopAttempts },
      data: { stopAttempts: stopAttempts + 1, stopRetryAt: retryAt, stopError: error },
    });
    return count > 0;
  }

  /** Adds what was not added before; returns how much that was. */
  async addEvents(tx: Tx, purchase: PurchaseRow, events: readonly PurchaseEvent[]): Promise<number> {
    const rows = events.map(({ source, id, at, fact }) => ({
      source,
      id,
      at,
      tenantId: purchase.tenantId,
      purchaseId: purchase.id,
      type: fact.type,
      facts: fact,
    }));
    const { count } = await tx.purchaseEvent.createMany({ data: rows, skipDuplicates: true });
    return count;
  }

  async listEvents(purchaseId: string, tx: Tx = this.database.client): Promise<PurchaseEvent[]> {
    const rows = await tx.purchaseEvent.findMany({ where: { purchaseId } });
    return rows.map(toEvent);
  }

  /** Events per purchase id; purchases without any are left out. */
  async listEventsOf(purchaseIds: string[]): Promise<Map<string, PurchaseEvent[]>> {
    const rows = await this.database.client.purchaseEvent.findMany({
      where: { purchaseId: { in: purchaseIds } },
    });
    const groups = Map.groupBy(rows, (row) => row.purchaseId);
    return new Map([...groups].map(([id, group]) => [id, group.map(toEvent)]));
  }

  /** Real time for those without a test clock: whose state changes by now, or that the provider is still to be told of. */
  async listDue(realNow: Date, tenantId: string | undefined, most: number): Promise<string[]> {
    const rows = await this.database.client.$queryRaw<{ id: string }[]>`
      SELECT p."id" FROM "purchase" p LEFT JOIN "test_clock" c ON c."tenant_id" = p."tenant_id"
      WHERE (
          p."due_at" <= coalesce(c."now", ${realNow}::timestamptz)
          OR (p."status" = 'PENDING' AND p."expires_at" <= ${realNow}::timestamptz)
          OR (p."stop_due" AND p."stop_attempts" < ${MAX_STOP_ATTEMPTS}
            AND (p."stop_retry_at" IS NULL OR p."stop_retry_at" <= ${realNow}::timestamptz))
        ) AND (${tenantId ?? null}::text IS NULL OR p."tenant_id" = ${tenantId ?? null})
      ORDER BY p."due_at", p."id" LIMIT ${most}`;
    return rows.map(({ id }) => id);
  }

  /** Whether a tenant has anything with this provider that may still be charged or paid. */
  async hasLive(tenantId: string, provider: PaymentProviderName): Promise<boolean> {
    const status = { in: [PurchaseStatus.PENDING, PurchaseStatus.ACTIVE, PurchaseStatus.GRACE] };
    return (await this.database.client.purchase.count({ where: { tenantId, provider, status } })) > 0;
  }

  /** Purchases of a tenant that are in force. */
  async listGranted(tenantId: string): Promise<string[]> {
    const rows = await this.database.client.purchase.findMany({
      where: { tenantId, grantedSince: { not: null } },
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  }

  /** When a tenant's purchases or the charges of its test cards change next, by its clock; null: never. */
  async findNextDue(tenantId: string): Promise<Date | null> {
    const [row] = await this.database.client.$queryRaw<{ at: Date | null }[]>`
      SELECT least(
        (SELECT min("due_at") FROM "purchase" WHERE "tenant_id" = ${tenantId}),
        (SELECT min("next_charge_at") FROM "test_order" WHERE "tenant_id" = ${tenantId})
      ) AS "at"`;
    return row?.at ?? null;
  }
}

function toEvent({ source, id, at, facts }: PurchaseEventRow): PurchaseEvent {
  return { source: source as PurchaseEvent['source'], id, at, fact: purchaseFactSchema.parse(facts) };
}

function matching({ tenantKey, status }: PurchaseFilter): Prisma.PurchaseWhereInput {
  return {
    ...(tenantKey === undefined ? {} : { tenant: { key: tenantKey } }),
    ...(status === undefined ? {} : { status }),
  };
}
