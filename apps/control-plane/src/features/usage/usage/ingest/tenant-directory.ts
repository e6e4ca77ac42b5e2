import { Injectable } from '@nestjs/common';
import { isTimeZone } from '@tollgate/decision-plane/internals';
import type { Tx } from '../../../../platform/prisma/database.js';

/** Stands for tenants that are not there any more, and for what a frame had no room for. */
export const NO_TENANT = '*';

/** What is told of a tenant whose key nodes send. */
export interface KnownTenant {
  id: string;
  key: string;
  timeZone: string;
}

/** Tenants by the key that nodes know them by. */
@Injectable()
export class TenantDirectory {
  /** Those that are there. */
  async listByKey(tx: Tx, keys: Iterable<string>): Promise<Map<string, KnownTenant>> {
    const rows = await tx.tenant.findMany({
      where: { key: { in: [...new Set(keys)] } },
      select: { id: true, key: true, timeZone: true },
    });
    return new Map(
      rows.map(({ id, key, timeZone }) => [
        key,
        { id, key, timeZone: isTimeZone(timeZone) ? timeZone : 'UTC' },
      ]),
    );
  }
}
