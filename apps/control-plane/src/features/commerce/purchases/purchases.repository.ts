import { Injectable } from '@nestjs/common';
import {
  AutoTopUpStatus,
  type MoneyAccount,
  type MoneyEntry,
  type PaymentProviderName,
  type Prisma,
  type Purchase,
  type PurchaseEvent as PurchaseEventRow,
  PurchaseStatus,
  type Tenant,
} from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { type Checkout, type PurchaseEvent, purchaseFactSchema } from '../payments/payment-provider.js';

export type PurchaseRow = Purchase;
export type MoneyEntryRow = MoneyEntry;
export type PurchaseWithTenant = Purchase & { tenant: Tenant };

/** One side of a booking. */
export interface MoneyMove {
  account: MoneyAccount;
  currency: string;
  /** Signed, in the smallest unit of the currency. */
  amountMinor: number;
}

export interface PurchaseFilter {
  /** Undefined: every visible tenant. */
  tenantKey: string | undefined;
  status: PurchaseStatus | undefined;
}

/** Revenue per month of the renewing purchases of an offer. */
export interface RecurringRow {
  currency: string;
  offerKey: string;
  offerName: string;
  purchases: number;
  monthlyMinor: number;
}

export interface UpgradesRow {
  currency: string;
  tierKey: string;
  tierName: string;
  purchases: number;
}

/** The columns of a new purchase; the others follow from its events. */
export type NewPurchase = Omit<Prisma.PurchaseUncheckedCreateInput, 'id'>;

/** Statuses of purchases that have not ended. */
const OPEN_STATUSES = [
  ...(['PENDING', 'PROCESSING', 'NEEDS_REVIEW', 'ACTIVE', 'PAST_DUE', 'DISPUTED'] as const),
];

/** Columns of a purchase without a pending cancellation at its provider. */
export const NO_STOP = { stopDue: false, stopAttempts: 0, stopRetryAt: null, stopError: null } as const;

/** What a purchase will still charge. */
export type ChargeablePurchase = Pick<
  Purchase,
  'status' | 'renews' | 'interval' | 'paidThrough' | 'amountMinor' | 'currency'
>;

/** All queries on purchases, their events and their ledger entries. */
@Injectable()
export class PurchasesRepository {
  constructor(private readonly database: Database) {}

  countOpen(tx: Tx, tenantId: string): Promise<number> {
    const status = { in: [...OPEN_STATUSES] };
    return tx.purchase.count({ where: { tenantId, status } });
  }

  /** Orders that wait for a person to pay; those of auto top-ups end soon. */
  countUnpaid(tx: Tx, tenantId: string): Promise<number> {
    return tx.purchase.count({ where: { tenantId, status: PurchaseStatus.PENDING, autoTopUpId: null } });
  }

  /** Runs orders of a tenant one after the other, until the transaction ends. */
  async serializeOrders(tx: Tx, tenantId: string): Promise<void> {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`orders ${tenantId}`}, 0))`;
  }

  /** Unpaid orders, and purchases that renew. */
  listChargeable(tx: Tx = this.database.client, tenantId: string): Promise<ChargeablePurchase[]> {
    const { PENDING, PROCESSING, ACTIVE, PAST_DUE } = PurchaseStatus;
    const isRenewing = { status: { in: [ACTIVE, PAST_DUE] }, renews: true };
    return tx.purchase.findMany({
      where: { tenantId, OR: [{ status: { in: [PENDING, PROCESSING] } }, isRenewing] },
      orderBy: { id: 'asc' },
    });
  }

  /** Payments received since a billing time, in the smallest unit of the currency. */
  async sumPaid(
    tx: Tx = this.database.client,
    tenantId: string,
    currency: string,
    since: Date,
  ): Promise<number> {
    const paid = await tx.purchaseEvent.findMany({ where: { tenantId, type: 'paid', at: { gte: since } } });
    return paid.map(toEvent).reduce((sum, { fact }) => {
      const isCounted = fact.type === 'paid' && fact.currency === currency;
      return isCounted ? sum + fact.amountMinor : sum;
    }, 0);
  }

  /** Newest first; one row beyond the page if there is a next page. */
  list(filter: PurchaseFilter, page: Page<string>): Promise<PurchaseWithTenant[]> {
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

  findById(id: string): Promise<PurchaseWithTenant | null> {
    return this.database.client.purchase.findUnique({ where: { id }, include: { tenant: true } });
  }

  async findIdBySubscription(provider: PaymentProviderName, ref: string): Promise<string | null> {
    const found = await this.database.client.purchase.findFirst({
      where: { provider, subscriptionRef: ref },
      select: { id: true },
    });
    return found?.id ?? null;
  }

  async listByIds(ids: string[]): Promise<Map<string, PurchaseWithTenant>> {
    const rows = await this.database.client.purchase.findMany({
      where: { id: { in: ids } },
      include: { tenant: true },
    });
    return new Map(rows.map((row) => [row.id, row]));
  }

  create(tx: Tx, data: NewPurchase): Promise<PurchaseWithTenant> {
    return tx.purchase.create({ data: { id: newId('purchase'), ...data }, include: { tenant: true } });
  }

  async lock(tx: Tx, id: string): Promise<PurchaseWithTenant | null> {
    await tx.$queryRaw`SELECT 1 FROM "purchase" WHERE "id" = ${id} FOR UPDATE`;
    return tx.purchase.findUnique({ where: { id }, include: { tenant: true } });
  }

  update(tx: Tx, id: string, data: Prisma.PurchaseUpdateInput): Promise<PurchaseWithTenant> {
    return tx.purchase.update({ where: { id }, data, include: { tenant: true } });
  }

  setCheckout(id: string, { ref, url, customerRef }: Checkout): Promise<PurchaseWithTenant> {
    const data = { checkoutRef: ref, checkoutUrl: url, customerRef };
    return this.database.client.purchase.update({ where: { id }, data, include: { tenant: true } });
  }

  /** Makes the auto top-up that ordered a purchase due at `at`; without effect for other purchases. */
  async makeAutoTopUpDue(purchaseId: string, at: Date): Promise<void> {
    const where = { status: AutoTopUpStatus.ON, purchases: { some: { id: purchaseId } } };
    await this.database.client.autoTopUp.updateMany({ where, data: { dueAt: at } });
  }

  async markStopped(tx: Tx, id: string): Promise<void> {
    await tx.purchase.update({ where: { id }, data: NO_STOP });
  }

  /** Records a failed cancellation at the provider; false if it was recorded already. */
  async recordStopFailure(
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

  /** Adds events and returns how many of them are new. */
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

  /** Events per purchase id; purchases without events are omitted. */
  async listEventsOf(
    purchaseIds: string[],
    tx: Tx = this.database.client,
  ): Promise<Map<string, PurchaseEvent[]>> {
    const rows = await tx.purchaseEvent.findMany({
      where: { purchaseId: { in: purchaseIds } },
    });
    const groups = Map.groupBy(rows, (row) => row.purchaseId);
    return new Map([...groups].map(([id, group]) => [id, group.map(toEvent)]));
  }

  /**
   * Purchases whose timer is due, by their test clock or in real time, invoice orders of earlier releases without a timer, and
   * purchases with a due cancellation attempt.
   */
  async listDue(
    realNow: Date,
    tenantId: string | undefined,
    maxStopAttempts: number,
    max: number,
  ): Promise<string[]> {
    const rows = await this.database.client.$queryRaw<{ id: string }[]>`
      SELECT p."id" FROM "purchase" p LEFT JOIN "test_clock" c ON c."tenant_id" = p."tenant_id"
      WHERE (
          p."due_at" <= coalesce(c."now", ${realNow}::timestamptz)
          OR (p."status" = 'PENDING' AND p."expires_at" <= ${realNow}::timestamptz)
          OR (p."status" = 'PENDING' AND p."provider" = 'INVOICE' AND p."due_at" IS NULL)
          OR (p."stop_due" AND p."stop_attempts" < ${maxStopAttempts}
            AND (p."stop_retry_at" IS NULL OR p."stop_retry_at" <= ${realNow}::timestamptz))
        ) AND (${tenantId ?? null}::text IS NULL OR p."tenant_id" = ${tenantId ?? null})
      ORDER BY p."due_at", p."id" LIMIT ${max}`;
    return rows.map(({ id }) => id);
  }

  /** Whether a provider may still charge the tenant. */
  async hasLive(tenantId: string, provider: PaymentProviderName): Promise<boolean> {
    const status = { in: [...OPEN_STATUSES] };
    return (await this.database.client.purchase.count({ where: { tenantId, provider, status } })) > 0;
  }

  /** Purchases of a tenant whose entitlements are granted. */
  async listGranted(tenantId: string): Promise<string[]> {
    const rows = await this.database.client.purchase.findMany({
      where: { tenantId, grantedSince: { not: null } },
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  }

  /** Next timer of a tenant's purchases or test card charges, in billing time; null: none. */
  async findNextDue(tenantId: string): Promise<Date | null> {
    const [row] = await this.database.client.$queryRaw<{ at: Date | null }[]>`
      SELECT least(
        (SELECT min("due_at") FROM "purchase" WHERE "tenant_id" = ${tenantId}),
        (SELECT min("next_charge_at") FROM "test_order" WHERE "tenant_id" = ${tenantId})
      ) AS "at"`;
    return row?.at ?? null;
  }

  async listBalances(tx: Tx, purchaseId: string): Promise<MoneyMove[]> {
    const sums = await tx.moneyEntry.groupBy({
      by: ['account', 'currency'],
      where: { purchaseId },
      _sum: { amountMinor: true },
    });
    return sums.map(({ account, currency, _sum }) => ({
      account,
      currency,
      amountMinor: Number(_sum.amountMinor ?? 0n),
    }));
  }

  async addMoney(tx: Tx, purchase: PurchaseRow, moves: readonly MoneyMove[]): Promise<void> {
    const data = moves.map(({ account, currency, amountMinor }) => ({
      id: newId('moneyEntry'),
      tenantId: purchase.tenantId,
      purchaseId: purchase.id,
      account,
      currency,
      amountMinor: BigInt(amountMinor),
    }));
    if (data.length > 0) await tx.moneyEntry.createMany({ data });
  }

  /** Recurring revenue per month by currency and offer, highest first. */
  async sumRecurring(): Promise<RecurringRow[]> {
    return this.database.client.$queryRaw<RecurringRow[]>`
      SELECT p."currency", o."key" AS "offerKey", o."name" AS "offerName", count(*)::int AS "purchases",
        sum(CASE p."interval" WHEN 'YEAR' THEN round(p."amount_minor" / 12.0) ELSE p."amount_minor" END)::float8 AS "monthlyMinor"
      FROM "purchase" p JOIN "offer" o ON o."id" = p."offer_id"
      WHERE p."renews" AND p."status" IN ('ACTIVE', 'PAST_DUE')
      GROUP BY 1, o."id" ORDER BY "monthlyMinor" DESC, o."key"`;
  }

  /** Purchases whose renewal failed, with their price, by currency. */
  async sumPastDue(): Promise<{ currency: string; purchases: number; amountMinor: number }[]> {
    return this.database.client.$queryRaw`
      SELECT "currency", count(*)::int AS "purchases", sum("amount_minor")::float8 AS "amountMinor"
      FROM "purchase" WHERE "status" = 'PAST_DUE' GROUP BY 1`;
  }

  /** Payments booked since a time, less refunds and disputes, by currency. */
  async sumReceived(since: Date): Promise<{ currency: string; receivedMinor: number }[]> {
    return this.database.client.$queryRaw`
      SELECT "currency", sum("amount_minor")::float8 AS "receivedMinor"
      FROM "money_entry" WHERE "account" = 'CASH' AND "at" >= ${since} GROUP BY 1`;
  }

  /** Upgrades that were first paid since a time and are still in effect, by currency and current tier of the tenant. */
  async countUpgrades(since: Date): Promise<UpgradesRow[]> {
    return this.database.client.$queryRaw<UpgradesRow[]>`
      SELECT p."currency", t."key" AS "tierKey", t."name" AS "tierName", count(*)::int AS "purchases"
      FROM "purchase" p
      JOIN "subscription" s ON s."tenant_id" = p."tenant_id" JOIN "tier" t ON t."id" = s."tier_id"
      WHERE p."kind" = 'UPGRADE' AND p."status" IN ('ACTIVE', 'PAST_DUE') AND ${since} <= (
        SELECT min(e."at") FROM "purchase_event" e WHERE e."purchase_id" = p."id" AND e."type" = 'paid'
      )
      GROUP BY 1, t."id" ORDER BY "purchases" DESC, t."key"`;
  }

  /** Ledger entries by time, per purchase id; purchases without entries are omitted. */
  async listMoney(purchaseIds: string[]): Promise<Map<string, MoneyEntryRow[]>> {
    const rows = await this.database.client.moneyEntry.findMany({
      where: { purchaseId: { in: purchaseIds } },
      orderBy: { id: 'asc' },
    });
    return Map.groupBy(rows, (row) => row.purchaseId);
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
