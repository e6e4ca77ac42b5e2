import { Injectable } from '@nestjs/common';
import type { BulkAction, BulkActionItem, Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { BulkActionStatus, BulkItemStatus } from '../../../platform/prisma/schema.js';

export type BulkActionRow = BulkAction;
export type BulkItemRow = BulkActionItem;
export type BulkItemCounts = Record<BulkItemStatus, number>;

const { QUEUED, RUNNING, DONE, CANCELED } = BulkActionStatus;

const CHUNK = 5000;

@Injectable()
export class BulkActionsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; at most one row more than the page. */
  list(page: Page<string>): Promise<BulkActionRow[]> {
    return this.database.client.bulkAction.findMany({
      where: page.after === undefined ? {} : { id: { lt: page.after } },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(): Promise<number> {
    return this.database.client.bulkAction.count();
  }

  findById(id: string, tx: Tx = this.database.client): Promise<BulkActionRow | null> {
    return tx.bulkAction.findUnique({ where: { id } });
  }

  async findUndo(id: string): Promise<string | null> {
    const undo = await this.database.client.bulkAction.findUnique({
      where: { revertsId: id },
      select: { id: true },
    });
    return undo?.id ?? null;
  }

  async lockById(tx: Tx, id: string): Promise<BulkActionRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "bulk_action" WHERE "id" = ${id} FOR UPDATE`;
    return this.findById(id, tx);
  }

  /** Queued and running actions, oldest first. */
  listUnfinished(): Promise<BulkActionRow[]> {
    return this.database.client.bulkAction.findMany({
      where: { status: { in: [QUEUED, RUNNING] } },
      orderBy: { id: 'asc' },
    });
  }

  async create(
    tx: Tx,
    data: Prisma.BulkActionCreateInput,
    tenants: readonly { id: string; key: string }[],
  ): Promise<BulkActionRow> {
    const action = await tx.bulkAction.create({ data });
    for (let from = 0; from < tenants.length; from += CHUNK) {
      const rows = tenants.slice(from, from + CHUNK);
      await tx.bulkActionItem.createMany({
        data: rows.map(({ id, key }) => ({ bulkActionId: action.id, tenantId: id, tenantKey: key })),
      });
    }
    return action;
  }

  update(tx: Tx, id: string, data: Prisma.BulkActionUpdateInput): Promise<BulkActionRow> {
    return tx.bulkAction.update({ where: { id }, data });
  }

  async countItems(bulkActionId: string): Promise<BulkItemCounts> {
    const groups = await this.database.client.bulkActionItem.groupBy({
      by: ['status'],
      where: { bulkActionId },
      _count: true,
    });
    const counts = { PENDING: 0, DONE: 0, FAILED: 0, CANCELED: 0 };
    for (const { status, _count } of groups) counts[status] = _count;
    return counts;
  }

  /** Number of tenants in a status, or of all. */
  countItemsIn(bulkActionId: string, status: BulkItemStatus | undefined): Promise<number> {
    return this.database.client.bulkActionItem.count({
      where: { bulkActionId, ...(status === undefined ? {} : { status }) },
    });
  }

  /** By tenant key; at most one row more than the page. */
  listItems(
    bulkActionId: string,
    status: BulkItemStatus | undefined,
    page: Page<string>,
  ): Promise<BulkItemRow[]> {
    const after = page.after === undefined ? {} : { tenantKey: { gt: page.after } };
    return this.database.client.bulkActionItem.findMany({
      where: { bulkActionId, ...(status === undefined ? {} : { status }), ...after },
      orderBy: { tenantKey: 'asc' },
      take: page.first + 1,
    });
  }

  async listDone(tx: Tx, bulkActionId: string): Promise<{ id: string; key: string }[]> {
    const rows = await tx.bulkActionItem.findMany({
      where: { bulkActionId, status: BulkItemStatus.DONE },
      orderBy: { tenantKey: 'asc' },
      select: { tenantId: true, tenantKey: true },
    });
    return rows.map(({ tenantId, tenantKey }) => ({ id: tenantId, key: tenantKey }));
  }

  findItem(tx: Tx, bulkActionId: string, tenantId: string): Promise<BulkItemRow | null> {
    return tx.bulkActionItem.findUnique({
      where: { bulkActionId_tenantId: { bulkActionId, tenantId } },
    });
  }

  /** Locks the next pending tenant; null if none is left or other workers hold the rest. */
  async lockNextItem(tx: Tx, bulkActionId: string): Promise<BulkItemRow | null> {
    const [next] = await tx.$queryRaw<{ tenant_id: string }[]>`
      SELECT "tenant_id" FROM "bulk_action_item"
      WHERE "bulk_action_id" = ${bulkActionId} AND "status" = 'PENDING'
      ORDER BY "tenant_key" LIMIT 1 FOR UPDATE SKIP LOCKED`;
    return next === undefined ? null : this.findItem(tx, bulkActionId, next.tenant_id);
  }

  async complete(
    tx: Tx,
    { bulkActionId, tenantId }: BulkItemRow,
    { changeId, done, at }: { changeId: string; done: object; at: Date },
  ): Promise<void> {
    await tx.bulkActionItem.update({
      where: { bulkActionId_tenantId: { bulkActionId, tenantId } },
      data: { status: BulkItemStatus.DONE, changeId, done, at },
    });
  }

  /** Marks a tenant as failed, unless another worker has completed it. */
  async fail(item: BulkItemRow | null, error: string, at: Date): Promise<void> {
    if (item === null) return;
    const { bulkActionId, tenantId } = item;
    await this.database.client.bulkActionItem.updateMany({
      where: { bulkActionId, tenantId, status: BulkItemStatus.PENDING },
      data: { status: BulkItemStatus.FAILED, error, at },
    });
  }

  async begin(id: string, startedAt: Date): Promise<void> {
    await this.database.client.bulkAction.updateMany({
      where: { id, status: QUEUED },
      data: { status: RUNNING, startedAt },
    });
  }

  /** Marks an action as done if no tenant is pending. */
  async finish(id: string, finishedAt: Date): Promise<void> {
    await this.database.client.bulkAction.updateMany({
      where: { id, status: RUNNING, items: { none: { status: BulkItemStatus.PENDING } } },
      data: { status: DONE, finishedAt },
    });
  }

  async stop(id: string, stoppedBecause: string, finishedAt: Date): Promise<void> {
    await this.database.transaction(async (tx) => {
      const data = { status: CANCELED, stoppedBecause, finishedAt };
      const { count } = await tx.bulkAction.updateMany({
        where: { id, status: { in: [QUEUED, RUNNING] } },
        data,
      });
      if (count > 0) await this.cancelItems(tx, id);
    });
  }

  async cancelItems(tx: Tx, bulkActionId: string): Promise<void> {
    await tx.bulkActionItem.updateMany({
      where: { bulkActionId, status: BulkItemStatus.PENDING },
      data: { status: BulkItemStatus.CANCELED },
    });
  }

  async deleteFinishedBefore(before: Date): Promise<void> {
    await this.database.client.bulkAction.deleteMany({ where: { finishedAt: { lt: before } } });
  }
}
