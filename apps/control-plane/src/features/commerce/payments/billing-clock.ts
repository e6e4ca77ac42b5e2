import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export interface BillingTime {
  now: Date;
  /** Real time, used for order timeouts and by the nodes. */
  realNow: Date;
  /** Whether `now` is a test clock, which only moves when it is advanced. */
  isTest: boolean;
}

/** Billing time of tenants: real time, or the tenant's test clock. */
@Injectable()
export class BillingClock {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
  ) {}

  async read(tenantId: string, tx: Tx = this.database.client): Promise<BillingTime> {
    const test = await tx.testClock.findUnique({ where: { tenantId } });
    const realNow = this.clock.now();
    return { now: test?.now ?? realNow, realNow, isTest: test !== null };
  }

  async now(tenantId: string, tx?: Tx): Promise<Date> {
    return (await this.read(tenantId, tx)).now;
  }

  /** Puts a tenant on a test clock at `now`. */
  async stopAt(tx: Tx, tenantId: string, now: Date): Promise<void> {
    await tx.testClock.upsert({ where: { tenantId }, create: { tenantId, now }, update: { now } });
  }

  /** Moves a test clock forward; never back. */
  async advance(tenantId: string, now: Date): Promise<void> {
    await this.database.client.testClock.updateMany({ where: { tenantId, now: { lt: now } }, data: { now } });
  }
}
