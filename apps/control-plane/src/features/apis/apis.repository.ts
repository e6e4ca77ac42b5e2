import { Injectable } from '@nestjs/common';
import type { Api, Operation, Prisma } from '@tollgate/database';
import type { Page } from '../../platform/graphql/paging.js';
import { newId } from '../../platform/ids/new-id.js';
import { Database, type Tx } from '../../platform/prisma/database.js';

export type ApiRow = Api;
export type OperationRow = Operation;
export type ApiWithOperations = Api & { operations: Operation[] };

/** All queries on APIs and their operations. */
@Injectable()
export class ApisRepository {
  constructor(private readonly database: Database) {}

  /** One row more than the page holds, when there is one. */
  list(search: string | undefined, page: Page<string>): Promise<ApiRow[]> {
    return this.database.client.api.findMany({
      where: { AND: [matching(search), page.after === undefined ? {} : { key: { gt: page.after } }] },
      orderBy: { key: 'asc' },
      take: page.first + 1,
    });
  }

  count(search: string | undefined): Promise<number> {
    return this.database.client.api.count({ where: matching(search) });
  }

  findByKey(key: string): Promise<ApiRow | null> {
    return this.database.client.api.findUnique({ where: { key } });
  }

  findById(id: string): Promise<ApiRow | null> {
    return this.database.client.api.findUnique({ where: { id } });
  }

  findOperation(id: string): Promise<OperationRow | null> {
    return this.database.client.operation.findUnique({ where: { id } });
  }

  /** Operations by name, per API id; APIs without any are left out. */
  async listOperations(apiIds: string[]): Promise<Map<string, OperationRow[]>> {
    const rows = await this.database.client.operation.findMany({
      where: { apiId: { in: apiIds } },
      orderBy: { name: 'asc' },
    });
    return Map.groupBy(rows, (row) => row.apiId);
  }

  /** The APIs of these keys that exist, with their operations. */
  listWithOperations(tx: Tx, keys: string[]): Promise<ApiWithOperations[]> {
    return tx.api.findMany({ where: { key: { in: keys } }, include: { operations: true } });
  }

  create(tx: Tx, data: Omit<Prisma.ApiCreateInput, 'id'>): Promise<ApiRow> {
    return tx.api.create({ data: { id: newId('api'), ...data } });
  }

  createOperation(tx: Tx, data: Omit<Prisma.OperationUncheckedCreateInput, 'id'>): Promise<OperationRow> {
    return tx.operation.create({ data: { id: newId('operation'), ...data } });
  }

  /** The API, locked until the transaction ends. */
  async lockByKey(tx: Tx, key: string): Promise<ApiRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "api" WHERE "key" = ${key} FOR UPDATE`;
    return tx.api.findUnique({ where: { key } });
  }

  raiseVersion(tx: Tx, id: string): Promise<ApiRow> {
    return tx.api.update({ where: { id }, data: { version: { increment: 1 } } });
  }
}

function matching(search: string | undefined): Prisma.ApiWhereInput {
  if (search === undefined) return {};
  const part = { contains: escapeLike(search), mode: 'insensitive' as const };
  return { OR: [{ key: part }, { name: part }] };
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
