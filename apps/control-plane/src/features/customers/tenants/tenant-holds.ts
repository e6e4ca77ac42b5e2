import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/prisma/database.js';

/** What stands against the end of a tenant. */
export interface TenantHold {
  /** In the plural, such as `open purchases`. */
  what: string;
  count(tx: Tx, tenantId: string): Promise<number>;
}

/** Features that have something to lose with a tenant say so here: they know of tenants, tenants know nothing of them. */
@Injectable()
export class TenantHolds {
  private readonly holds: TenantHold[] = [];

  register(hold: TenantHold): void {
    this.holds.push(hold);
  }

  /** What there is of each kind, such as `2 open purchases`. */
  async list(tx: Tx, tenantId: string): Promise<string[]> {
    const found: string[] = [];
    for (const { what, count } of this.holds) {
      const number = await count(tx, tenantId);
      if (number > 0) found.push(`${number} ${what}`);
    }
    return found;
  }
}
