import { Injectable } from '@nestjs/common';
import { type AutoTopUp, type Offer, type Prisma, PurchaseStatus, type Tenant } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { PurchaseRow, PurchaseWithTenant } from '../purchases/purchases.repository.js';

export type AutoTopUpRow = AutoTopUp & { offer: Offer; tenant: Tenant };

export type AutoTopUpScope = Pick<AutoTopUp, 'tenantId' | 'apiKey' | 'limitName'>;

/** A claimed row is checked again after this time if its worker stopped. */
const CLAIM_MS = 60_000;

const WITH = { offer: true, tenant: true } as const;

const OPEN = { in: [PurchaseStatus.PENDING, PurchaseStatus.NEEDS_REVIEW] };

@Injectable()
export class AutoTopUpsRepository {
  constructor(private readonly database: Database) {}

  /** By API and limit. */
  list(tenantId: string): Promise<AutoTopUpRow[]> {
    return this.database.client.autoTopUp.findMany({
      where: { tenantId },
      orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }],
      include: WITH,
    });
  }

  /** The tenant's auto top-up of a limit, or with an id. */
  find(tx: Tx, which: AutoTopUpScope | { tenantId: string; id: string }): Promise<AutoTopUpRow | null> {
    return tx.autoTopUp.findFirst({ where: which, include: WITH });
  }

  /** Orders and changes of an auto top-up run one after the other, until the transaction ends. */
  async lock(tx: Tx, id: string): Promise<AutoTopUpRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "auto_top_up" WHERE "id" = ${id} FOR UPDATE`;
    return tx.autoTopUp.findUnique({ where: { id }, include: WITH });
  }

  /** Creates or replaces the auto top-up of a limit. */
  save(
    tx: Tx,
    scope: AutoTopUpScope,
    data: Omit<Prisma.AutoTopUpUncheckedCreateInput, 'id' | keyof AutoTopUpScope>,
  ): Promise<AutoTopUpRow> {
    return tx.autoTopUp.upsert({
      where: { tenantId_apiKey_limitName: scope },
      create: { id: newId('autoTopUp'), ...scope, ...data },
      update: data,
      include: WITH,
    });
  }

  update(tx: Tx, id: string, data: Prisma.AutoTopUpUncheckedUpdateInput): Promise<AutoTopUpRow> {
    return tx.autoTopUp.update({ where: { id }, data, include: WITH });
  }

  /** Takes due auto top-ups, so that another worker does not. Usage that is counted from now on makes them due again. */
  async claimDue(now: Date, most: number): Promise<string[]> {
    const until = new Date(now.getTime() + CLAIM_MS);
    const rows = await this.database.client.$queryRaw<{ id: string }[]>`
      UPDATE "auto_top_up" SET "due_at" = ${until}, "checked_at" = ${now} WHERE "id" IN (
        SELECT "id" FROM "auto_top_up" WHERE "due_at" <= ${now} ORDER BY "due_at" LIMIT ${most} FOR UPDATE SKIP LOCKED
      ) RETURNING "id"`;
    return rows.map(({ id }) => id);
  }

  /** The order that is not paid, or needs review. */
  findOpenOrder(tx: Tx, id: string): Promise<PurchaseWithTenant | null> {
    return tx.purchase.findFirst({
      where: { autoTopUpId: id, status: OPEN },
      orderBy: { id: 'desc' },
      include: { tenant: true },
    });
  }

  /** Its orders with a payment that was ever disputed; never decreases. */
  countDisputed(tx: Tx, id: string): Promise<number> {
    return tx.purchase.count({ where: { autoTopUpId: id, events: { some: { type: 'disputed' } } } });
  }

  /** Orders since a billing time. */
  listOrders(id: string, since: Date, tx: Tx = this.database.client): Promise<PurchaseRow[]> {
    return tx.purchase.findMany({ where: { autoTopUpId: id, createdAt: { gte: since } } });
  }

  /** Units used in the current period of a quota, as nodes reported last; 0 before the first report. */
  async readUsed(tx: Tx, { tenantId, apiKey, limitName }: AutoTopUpScope, now: Date): Promise<number> {
    const [row] = await tx.$queryRaw<{ used: number }[]>`
      SELECT "used"::float8 AS "used" FROM "limit_peak"
      WHERE "tenant_id" = ${tenantId} AND "api" = ${apiKey} AND "limit_name" = ${limitName} AND "is_quota" AND "at" > ${now}
      ORDER BY "peak_at" DESC LIMIT 1`;
    return row?.used ?? 0;
  }
}
