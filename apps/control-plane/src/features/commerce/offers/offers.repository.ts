import { Injectable } from '@nestjs/common';
import { type Offer, type OfferKind, OfferStatus, type Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type OfferRow = Offer;

export interface OfferFilter {
  statuses: OfferStatus[];
  /** Whether offers are listed whose price needs a confirmation. */
  withUnconfirmed: boolean;
  kind: OfferKind | undefined;
}

/** All queries on offers. They belong to the platform, not to a tenant. */
@Injectable()
export class OffersRepository {
  constructor(private readonly database: Database) {}

  /** Ordered by key; one row beyond the page if there is a next page. */
  list(filter: OfferFilter, page: Page<string>): Promise<OfferRow[]> {
    return this.database.client.offer.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { key: { gt: page.after } }] },
      orderBy: { key: 'asc' },
      take: page.first + 1,
    });
  }

  count(filter: OfferFilter): Promise<number> {
    return this.database.client.offer.count({ where: matching(filter) });
  }

  findByKey(key: string): Promise<OfferRow | null> {
    return this.database.client.offer.findUnique({ where: { key } });
  }

  findById(id: string): Promise<OfferRow | null> {
    return this.database.client.offer.findUnique({ where: { id } });
  }

  async listByIds(ids: string[]): Promise<Map<string, OfferRow>> {
    const rows = await this.database.client.offer.findMany({ where: { id: { in: ids } } });
    return new Map(rows.map((row) => [row.id, row]));
  }

  async lockByKey(tx: Tx, key: string): Promise<OfferRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "offer" WHERE "key" = ${key} FOR UPDATE`;
    return tx.offer.findUnique({ where: { key } });
  }

  create(tx: Tx, data: Omit<Prisma.OfferCreateInput, 'id'>): Promise<OfferRow> {
    return tx.offer.create({ data: { id: newId('offer'), isPriceConfirmed: true, ...data } });
  }

  update(tx: Tx, id: string, data: Prisma.OfferUpdateInput): Promise<OfferRow> {
    return tx.offer.update({ where: { id }, data: { ...data, version: { increment: 1 } } });
  }

  confirmPrice(tx: Tx, id: string): Promise<OfferRow> {
    return tx.offer.update({ where: { id }, data: { isPriceConfirmed: true, version: { increment: 1 } } });
  }

  /** Offers that are not for sale until their price is confirmed, by key. */
  listUnconfirmed(): Promise<OfferRow[]> {
    const where = { isPriceConfirmed: false, status: { not: OfferStatus.ARCHIVED } };
    return this.database.client.offer.findMany({ where, orderBy: { key: 'asc' } });
  }

  setStatus(tx: Tx, id: string, status: OfferStatus): Promise<OfferRow> {
    return tx.offer.update({ where: { id }, data: { status, version: { increment: 1 } } });
  }

  /** Reserves `quantity` units of the stock and locks the offer; false if not enough stock is left. */
  async reserve(tx: Tx, id: string, quantity: number): Promise<boolean> {
    const count = await tx.$executeRaw`
      UPDATE "offer" SET "taken" = "taken" + ${quantity}
      WHERE "id" = ${id} AND ("stock" IS NULL OR "taken" + ${quantity} <= "stock")`;
    return count === 1;
  }

  async release(tx: Tx, id: string, quantity: number): Promise<void> {
    await tx.$executeRaw`UPDATE "offer" SET "taken" = "taken" - ${quantity} WHERE "id" = ${id}`;
  }

  /** Whether the API exists and has a limit of this name in any tier. */
  async hasLimit(tx: Tx, apiKey: string, name: string | undefined): Promise<'yes' | 'no-api' | 'no-limit'> {
    const api = await tx.api.findUnique({ where: { key: apiKey }, select: { id: true } });
    if (api === null) return 'no-api';
    if (name === undefined) return 'yes';
    const limit = await tx.limit.findFirst({ where: { apiId: api.id, name }, select: { id: true } });
    return limit === null ? 'no-limit' : 'yes';
  }
}

function matching({ statuses, withUnconfirmed, kind }: OfferFilter): Prisma.OfferWhereInput {
  return {
    status: { in: statuses },
    ...(withUnconfirmed ? {} : { isPriceConfirmed: true }),
    ...(kind === undefined ? {} : { kind }),
  };
}

/** Whether customers can see and order an offer. */
export const isOnSale = ({ status, isPriceConfirmed }: OfferRow): boolean =>
  status === OfferStatus.ACTIVE && isPriceConfirmed;
