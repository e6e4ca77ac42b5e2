import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../../../platform/prisma/database.js';

/** All queries on tenants' test clocks. */
@Injectable()
export class TestClocksRepository {
  constructor(private readonly database: Database) {}

  /** Null: the tenant lives in real time. */
  async find(tenantId: string, tx: Tx = this.database.client): Promise<Date | null> {
    const row = await tx.testClock.findUnique({ where: { tenantId } });
    return row?.now ?? null;
  }

  /** A clock that stands later already stays there. */
  async advance(tenantId: string, now: Date): Promise<void> {
    await this.database.client.testClock.updateMany({ where: { tenantId, now: { lt: now } }, data: { now } });
  }

  async set(tx: Tx, tenantId: string, now: Date): Promise<void> {
    await tx.testClock.upsert({ where: { tenantId }, create: { tenantId, now }, update: { now } });
  }
}
