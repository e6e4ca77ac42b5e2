import { Injectable } from '@nestjs/common';
import { TenantsService } from '../features/customers/index.js';
import { DemoApisSeed } from './demo-apis-seed.js';
import { DEMO_CALLER, DEMO_REASON, getValue } from './demo-change.js';
import type { DemoData } from './demo-data.js';
import { DemoExceptionsSeed } from './demo-exceptions-seed.js';
import { DemoGovernanceSeed } from './demo-governance-seed.js';
import { DemoPeopleSeed } from './demo-people-seed.js';
import { DemoShopSeed } from './demo-shop-seed.js';
import { DemoTiersSeed } from './demo-tiers-seed.js';
import { DemoUsageSeed } from './demo-usage-seed.js';

/**
 * Creates the demo through the same services as everybody else, so that audit trail and outbox know of it. What is complete
 * is left as it is: a demo that someone has changed stays changed. What an interrupted set-up has left out is made good.
 */
@Injectable()
export class DemoSeed {
  constructor(
    private readonly apis: DemoApisSeed,
    private readonly tiers: DemoTiersSeed,
    private readonly tenants: TenantsService,
    private readonly people: DemoPeopleSeed,
    private readonly usage: DemoUsageSeed,
    private readonly shop: DemoShopSeed,
    private readonly exceptions: DemoExceptionsSeed,
    private readonly governance: DemoGovernanceSeed,
  ) {}

  /** @returns by tenant, keys that were issued now: they cannot be shown again */
  async run(demo: DemoData, password: string): Promise<ReadonlyMap<string, string>> {
    for (const api of demo.apis) await this.apis.run(api);
    for (const tier of demo.tiers) await this.tiers.create(tier);
    const keys = new Map<string, string>();
    for (const tenant of demo.tenants)
      for (const [name, key] of await this.seedTenant(tenant, password)) keys.set(name, key);
    for (const publication of demo.publications) await this.tiers.publish(publication);
    await this.usage.run(demo.usage);
    await this.shop.run(demo);
    await this.exceptions.run(demo);
    await this.governance.run(demo);
    return keys;
  }

  private async seedTenant(
    { members, invitations, keys, alerts, ...input }: DemoData['tenants'][number],
    password: string,
  ): Promise<(readonly [tenant: string, key: string])[]> {
    const people = { members, invitations, keys, alerts };
    const tenant =
      (await this.tenants.findByKey(input.key)) ??
      getValue(await this.tenants.create(DEMO_CALLER, { ...input, reason: DEMO_REASON }));
    const key = await this.people.run(tenant, { ...input, ...people }, password);
    return key === undefined ? [] : [[input.key, key] as const];
  }
}
