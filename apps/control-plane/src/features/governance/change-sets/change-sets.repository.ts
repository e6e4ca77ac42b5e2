import { Injectable } from '@nestjs/common';
import type { ChangeSet, ChangeSetItem, Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type ChangeSetUpdate = Prisma.ChangeSetUpdateInput;
export type ChangeSetRow = ChangeSet & { items: ChangeSetItem[] };

const WITH_ITEMS = { items: { orderBy: { id: 'asc' } } } as const;

/** Queries on change sets. They belong to operators, not to a tenant. */
@Injectable()
export class ChangeSetsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first, with one row more than the page size if there is a next page. */
  list(page: Page<string>): Promise<ChangeSetRow[]> {
    return this.database.client.changeSet.findMany({
      where: page.after === undefined ? {} : { id: { lt: page.after } },
      orderBy: { id: 'desc' },
      take: page.first + 1,
      include: WITH_ITEMS,
    });
  }

  count(): Promise<number> {
    return this.database.client.changeSet.count();
  }

  findById(id: string): Promise<ChangeSetRow | null> {
    return this.database.client.changeSet.findUnique({ where: { id }, include: WITH_ITEMS });
  }

  /** Sets that are scheduled for `now` or earlier, oldest time first. */
  async listDue(now: Date): Promise<string[]> {
    const rows = await this.database.client.changeSet.findMany({
      where: { status: 'SCHEDULED', scheduledAt: { lte: now } },
      orderBy: { scheduledAt: 'asc' },
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  }

  async lockById(tx: Tx, id: string): Promise<ChangeSetRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "change_set" WHERE "id" = ${id} FOR UPDATE`;
    return tx.changeSet.findUnique({ where: { id }, include: WITH_ITEMS });
  }

  create(tx: Tx, data: Omit<Prisma.ChangeSetCreateInput, 'id' | 'items'>): Promise<ChangeSetRow> {
    return tx.changeSet.create({ data: { id: newId('changeSet'), ...data }, include: WITH_ITEMS });
  }

  update(tx: Tx, id: string, data: ChangeSetUpdate): Promise<ChangeSetRow> {
    const next = { ...data, version: { increment: 1 } };
    return tx.changeSet.update({ where: { id }, data: next, include: WITH_ITEMS });
  }

  /** Adds items in this order. */
  async addItems(
    tx: Tx,
    changeSetId: string,
    items: readonly { command: string; input: Prisma.InputJsonObject; addedById: string }[],
  ): Promise<void> {
    // Sorted: ids of the same millisecond have no order.
    const ids = items.map(() => newId('changeSetItem')).sort();
    const data = items.map((item, index) => ({ id: ids[index] as string, changeSetId, ...item }));
    await tx.changeSetItem.createMany({ data });
  }

  async removeItem(tx: Tx, changeSetId: string, id: string): Promise<boolean> {
    return (await tx.changeSetItem.deleteMany({ where: { id, changeSetId } })).count > 0;
  }
}
