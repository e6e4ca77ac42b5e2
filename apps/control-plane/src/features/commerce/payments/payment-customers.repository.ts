import { Injectable } from '@nestjs/common';
import type { PaymentProviderName } from '@tollgate/database';
import { Database } from '../../../platform/prisma/database.js';

/** All queries on what providers call tenants. */
@Injectable()
export class PaymentCustomersRepository {
  constructor(private readonly database: Database) {}

  async find(tenantId: string, provider: PaymentProviderName): Promise<string | null> {
    const where = { tenantId_provider: { tenantId, provider } };
    const row = await this.database.client.paymentCustomer.findUnique({ where });
    return row?.ref ?? null;
  }

  /** Keeps `ref`, unless another is kept already; returns the one that is. */
  async keep(tenantId: string, provider: PaymentProviderName, ref: string): Promise<string> {
    await this.database.client.paymentCustomer.createMany({
      data: [{ tenantId, provider, ref }],
      skipDuplicates: true,
    });
    return (await this.find(tenantId, provider)) ?? ref;
  }
}
