import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { TestClocksRepository } from './test-provider/test-clocks.repository.js';

export interface BillingTime {
  now: Date;
  /** The time outside, by which orders lapse and nodes live. */
  realNow: Date;
  /** It stands still until somebody advances it. */
  isTest: boolean;
}

/** The time by which a tenant pays: the real one, unless the tenant is on a test clock. */
@Injectable()
export class BillingClock {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly clocks: TestClocksRepository,
  ) {}

  async read(tenantId: string, tx: Tx = this.database.client): Promise<BillingTime> {
    const testNow = await this.clocks.find(tenantId, tx);
    const realNow = this.clock.now();
    return { now: testNow ?? realNow, realNow, isTest: testNow !== null };
  }

  /** Lets a tenant's time stand still at `now`, until it is advanced. */
  stopAt(tx: Tx, tenantId: string, now: Date): Promise<void> {
    return this.clocks.set(tx, tenantId, now);
  }

  async now(tenantId: string, tx?: Tx): Promise<Date> {
    return (await this.read(tenantId, tx)).now;
  }
}
