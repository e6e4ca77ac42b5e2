import { Injectable } from '@nestjs/common';
import type { BillingDetails } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type BillingDetailsRow = BillingDetails;

@Injectable()
export class BillingDetailsRepository {
  constructor(private readonly database: Database) {}

  find(tenantKey: string, tx: Tx = this.database.client): Promise<BillingDetailsRow | null> {
    return tx.billingDetails.findFirst({ where: { tenant: { key: tenantKey } } });
  }

  /** Creates the row of the tenant if needed. */
  save(tx: Tx, row: BillingDetailsRow): Promise<BillingDetailsRow> {
    const { tenantId, ...data } = row;
    return tx.billingDetails.upsert({ where: { tenantId }, create: row, update: data });
  }
}
