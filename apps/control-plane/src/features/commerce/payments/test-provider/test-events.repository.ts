import { Injectable } from '@nestjs/common';
import { newId } from '../../../../platform/ids.js';
import { Database, type Tx } from '../../../../platform/prisma/database.js';

export interface TestEventRow {
  id: string;
  body: string;
}

/** All queries on what the test provider has to tell. */
@Injectable()
export class TestEventsRepository {
  constructor(private readonly database: Database) {}

  /** Puts an event up for delivery. `bodyOf` gets its id. */
  async add(tx: Tx, tenantId: string, bodyOf: (id: string) => object): Promise<void> {
    const id = newId('testEvent');
    await tx.testEvent.create({ data: { id, tenantId, body: JSON.stringify(bodyOf(id)) } });
  }

  /** What was not taken yet, oldest first. */
  listUndelivered(tenantId: string | undefined, most: number): Promise<TestEventRow[]> {
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
