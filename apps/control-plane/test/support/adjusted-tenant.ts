import type { TenantRecord } from '@tollgate/contracts';
import { ApisService, TiersService } from '../../src/features/catalogue/index.js';
import { type TenantRow, TenantsRepository, TenantsService } from '../../src/features/customers/index.js';
import { RelayService } from '../../src/features/distribution/index.js';
import { Database } from '../../src/platform/prisma/database.js';
import { RedisConnections } from '../../src/platform/redis.js';
import { readTenant } from './published-policy.js';
import { CALLER } from './test-app.js';
import type { TestServices } from './test-services.js';

/** API `shop`, tier `basic` with 100 per hour by GCRA and 1,000 per month, and tenants on it. */
export class AdjustedTenants {
  constructor(readonly services: TestServices) {}

  get database(): Database {
    return this.services.context.get(Database);
  }

  async setUp(): Promise<void> {
    const { context } = this.services;
    await context.get(ApisService).create(CALLER, { key: 'shop', name: 'Shop' });
    await context
      .get(ApisService)
      .createOperation(CALLER, { apiKey: 'shop', name: 'buy', expectedVersion: 1 });
    const tiers = context.get(TiersService);
    await tiers.create(CALLER, { key: 'basic', name: 'Basic' });
    const common = { apiKey: 'shop', operations: [], per: [] };
    const limits = [
      { ...common, name: 'rate', algorithm: 'GCRA' as const, limit: 100, windowMs: 3_600_000, burst: 9 },
      { ...common, name: 'monthly', algorithm: 'QUOTA' as const, limit: 1000, period: 'MONTH' as const },
    ];
    await tiers.saveDraft(CALLER, { tierKey: 'basic', expectedVersion: 1, limits });
    const published = await tiers.publish(CALLER, { tierKey: 'basic', expectedVersion: 2 });
    if (!published.ok) throw new Error(published.errors[0]?.message);
  }

  async create(key: string): Promise<TenantRow> {
    const tenants = this.services.context.get(TenantsService);
    const outcome = await tenants.create(CALLER, { key, name: key, tierKey: 'basic' });
    if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
    return outcome.value;
  }

  async get(key: string): Promise<TenantRow> {
    const tenant = await this.services.context.get(TenantsRepository).findByKey(key);
    if (tenant === null) throw new Error(`There is no ${key}`);
    return tenant;
  }

  /** The published record of a tenant. */
  async published(key: string): Promise<TenantRecord> {
    await this.services.context.get(RelayService).run();
    return readTenant(this.services.context.get(RedisConnections).config, key);
  }
}
