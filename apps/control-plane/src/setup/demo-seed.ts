import { Injectable } from '@nestjs/common';
import { TiersRepository, TiersService, toLimitInput } from '../features/catalogue/index.js';
import { ConfigService } from '../features/governance/index.js';
import { addDays, Clock } from '../platform/clock.js';
import { TierVersionStatus } from '../platform/prisma/schema.js';
import { DemoGovernanceSeed, DemoShopSeed, DemoUsageSeed } from './demo-activity-seed.js';
import { DEMO_CALLER, DEMO_REASON, type DemoData, getValue } from './demo-data.js';
import { DemoAdjustmentsSeed, DemoPeopleSeed, DemoRequestsSeed } from './demo-tenants-seed.js';

const OVERRIDE_DAYS = 14;

/**
 * Creates the demo: applies the configuration document, then adds through the services what a document cannot express. Existing
 * objects stay unchanged; a repeated run adds what an interrupted one left out.
 */
@Injectable()
export class DemoSeed {
  constructor(
    private readonly config: ConfigService,
    private readonly tiers: TiersService,
    private readonly tierRows: TiersRepository,
    private readonly people: DemoPeopleSeed,
    private readonly usage: DemoUsageSeed,
    private readonly shop: DemoShopSeed,
    private readonly adjustments: DemoAdjustmentsSeed,
    private readonly requests: DemoRequestsSeed,
    private readonly governance: DemoGovernanceSeed,
    private readonly clock: Clock,
  ) {}

  /** Returns the first API key issued for each tenant; keys cannot be shown again. */
  async run(demo: DemoData, password: string): Promise<ReadonlyMap<string, string>> {
    await this.applyDocument(demo);
    const keys = await this.people.run(demo, password);
    for (const publication of demo.publications) await this.publish(publication);
    await this.usage.run(demo);
    await this.shop.run(demo);
    await this.adjustments.run(demo);
    await this.requests.run(demo);
    await this.governance.run(demo);
    return keys;
  }

  private async applyDocument(demo: DemoData): Promise<void> {
    const document = structuredClone(demo.document);
    // A document has absolute times only.
    const expires = addDays(this.clock.now(), OVERRIDE_DAYS).toISOString();
    for (const { overrides = [] } of Object.values(document.tenants ?? {}))
      for (const override of overrides) override.expires = expires;
    const input = { document: JSON.stringify(document), reason: DEMO_REASON };
    getValue(await this.config.apply(DEMO_CALLER, input, { onlyMissing: true }));
  }

  /** Publishes a second version with other numbers. */
  private async publish({ limits, ...terms }: DemoData['publications'][number]): Promise<void> {
    const tier = await this.tiers.findByKey(terms.tierKey);
    if (tier === null) throw new Error(`The demo has no tier "${terms.tierKey}"`);
    const versions = await this.tierRows.listVersions([tier.id], Object.values(TierVersionStatus));
    const [first, ...later] = versions.get(tier.id) ?? [];
    if (first === undefined || later.length > 0) return;
    const current = (await this.tierRows.listLimits([first.id])).get(first.id) ?? [];
    const next = current
      .filter(({ origin }) => origin === 'TIER')
      .map((record) => toLimitInput(record.policy))
      .map((limit) => {
        const changed = limits.find(({ apiKey, name }) => apiKey === limit.apiKey && name === limit.name);
        return { ...limit, ...changed };
      });
    const change = { ...terms, limits: next, expectedVersion: tier.version, reason: DEMO_REASON };
    getValue(await this.tiers.publish(DEMO_CALLER, change));
  }
}
