import { Injectable } from '@nestjs/common';
import type { Prisma } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { CheckedLimit } from './limit.rules.js';
import { type DefaultLimitRecord, toDefaultLimitRecord, toPolicyColumns } from './limit-record.js';

const WITH_API_KEY = { api: { select: { key: true } } } as const;

/** Queries on default limits of APIs. They belong to the operator, not to a tenant. */
@Injectable()
export class DefaultLimitsRepository {
  constructor(private readonly database: Database) {}

  /** In order, per API id; APIs without default limits are omitted. */
  async list(
    apiIds: string[] | 'all',
    tx: Tx = this.database.client,
  ): Promise<Map<string, DefaultLimitRecord[]>> {
    const rows = await tx.defaultLimit.findMany({
      where: apiIds === 'all' ? {} : { apiId: { in: apiIds } },
      orderBy: [{ api: { key: 'asc' } }, { position: 'asc' }],
      include: WITH_API_KEY,
    });
    return Map.groupBy(rows.map(toDefaultLimitRecord), (limit) => limit.apiId);
  }

  async findById(id: string): Promise<DefaultLimitRecord | null> {
    const row = await this.database.client.defaultLimit.findUnique({ where: { id }, include: WITH_API_KEY });
    return row === null ? null : toDefaultLimitRecord(row);
  }

  async replace(tx: Tx, apiId: string, limits: readonly CheckedLimit[]): Promise<void> {
    await tx.defaultLimit.deleteMany({ where: { apiId } });
    const data = limits.map(
      ({ policy }, position) =>
        ({
          id: newId('defaultLimit'),
          apiId,
          position,
          ...toPolicyColumns(policy),
        }) satisfies Prisma.DefaultLimitCreateManyInput,
    );
    await tx.defaultLimit.createMany({ data });
  }
}
