import { Injectable } from '@nestjs/common';
import { TiersRepository, TiersService, toLimitInput } from '../features/catalogue/index.js';
import { RelayService } from '../features/distribution/index.js';
import { ConfigService } from '../features/governance/index.js';
import { addDays } from '../platform/clock.js';
import { TierVersionStatus } from '../platform/prisma/schema.js';
import { DemoGovernanceSeed, DemoShopSeed } from './demo-activity-seed.js';
import { DemoClock } from './demo-clock.js';
import { DEMO_CALLER, DEMO_REASON, type DemoData, getValue } from './demo-data.js';
import { DemoReplay } from './demo-replay.js';
import { DemoAdjustmentsSeed, DemoCallers, DemoPeopleSeed, DemoRequestsSeed } from './demo-tenants-seed.js';

const OVERRIDE_DAYS = 14;
/** Age of the oldest objects. */
const OLDEST_DAYS = 45;
const HOUR_MS = 3_600_000;

interface Step {
  atMs: number;
  run: () => Promise<void>;
}

/**
 * Creates the demo in the order of its past: at each step, the clock is at the step's time, and the policy is published.
 * Objects are created through the services. Existing objects stay unchanged; a repeated run adds what an interrupted one
 * left out.
 */
@Injectable()
export class DemoSeed {
  constructor(
    private readonly config: ConfigService,
    private readonly tiers: TiersService,
    private readonly tierRows: TiersRepository,
    private readonly relay: RelayService,
    private readonly callers: DemoCallers,
    private readonly people: DemoPeopleSeed,
    private readonly shop: DemoShopSeed,
    private readonly adjustments: DemoAdjustmentsSeed,
    private readonly requests: DemoRequestsSeed,
    private readonly governance: DemoGovernanceSeed,
    private readonly replay: DemoReplay,
    private readonly clock: DemoClock,
  ) {}

  /** Returns the first API key issued for each tenant; keys cannot be shown again. */
  async run(demo: DemoData, password: string): Promise<ReadonlyMap<string, string>> {
    const keys = new Map<string, string>();
    const [tier = ''] = Object.keys(demo.document.tiers ?? {});
    const isNew = (await this.tiers.findByKey(tier)) === null;
    try {
      for (const { atMs, run } of this.listSteps(demo, password, keys, isNew)) {
        this.clock.moveTo(atMs);
        await run();
        await this.relay.run();
        await this.replay.notePolicy(demo, atMs);
      }
    } finally {
      this.clock.reset();
    }
    return keys;
  }

  private listSteps(demo: DemoData, password: string, keys: Map<string, string>, isNew: boolean): Step[] {
    const presentMs = this.clock.presentMs();
    const hoursAgo = (hours: number, run: Step['run']): Step => ({ atMs: presentMs - hours * HOUR_MS, run });
    const daysAgo = (days: number, run: Step['run']) => hoursAgo(days * 24, run);
    const addTenants = async (joined: (hours: number | undefined) => boolean) => {
      const tenants = Object.entries(demo.tenants).filter(([, tenant]) => joined(tenant.hoursAgo));
      await this.applyDocument(
        demo,
        tenants.map(([key]) => key),
      );
      for (const [tenantKey, tenant] of tenants) {
        const key = await this.people.add(tenantKey, tenant, password);
        if (key !== undefined) keys.set(tenantKey, key);
      }
    };
    const later = Object.values(demo.tenants).flatMap((tenant) => tenant.hoursAgo ?? []);
    const steps = [
      daysAgo(OLDEST_DAYS, async () => {
        await this.callers.addOperators(demo, password);
        await addTenants((hours) => hours === undefined);
        await this.governance.addAccess(demo);
      }),
      ...later.map((hours) => hoursAgo(hours, () => addTenants((joined) => joined === hours))),
      // Later, the jobs of the control plane do it.
      ...Array.from({ length: isNew ? OLDEST_DAYS : 0 }, (_, days) => daysAgo(days, () => this.shop.bill())),
      ...demo.publications.map((one) => daysAgo(one.daysAgo, () => this.publish(one))),
      ...demo.purchases.map((one) => daysAgo(one.daysAgo, () => this.shop.buy(one))),
      ...demo.grants.map((one) => daysAgo(one.daysAgo, () => this.adjustments.grant(one))),
      ...demo.boosts.map((one) => hoursAgo(one.hoursAgo, () => this.adjustments.boost(one))),
      ...demo.quotaRequests.map((one) => hoursAgo(one.hoursAgo, () => this.requests.request(one))),
      ...demo.changeSets.map((one) => hoursAgo(one.hoursAgo, () => this.governance.submit(one))),
    ];
    return steps.sort((a, b) => a.atMs - b.atMs);
  }

  private async applyDocument(demo: DemoData, tenantKeys: readonly string[]): Promise<void> {
    const document = structuredClone(demo.document);
    const wanted = Object.entries(document.tenants ?? {}).filter(([key]) => tenantKeys.includes(key));
    document.tenants = Object.fromEntries(wanted);
    // A document has absolute times only.
    const expires = addDays(new Date(this.clock.presentMs()), OVERRIDE_DAYS).toISOString();
    for (const { overrides = [] } of Object.values(document.tenants))
      for (const override of overrides) override.expires = expires;
    const input = { document: JSON.stringify(document), reason: DEMO_REASON };
    getValue(await this.config.apply(DEMO_CALLER, input, { onlyMissing: true }));
  }

  /** Publishes a later version with other numbers. */
  private async publish({
    limits,
    daysAgo: _,
    by,
    ...terms
  }: DemoData['publications'][number]): Promise<void> {
    const tier = await this.tiers.findByKey(terms.tierKey);
    if (tier === null) throw new Error(`The demo has no tier "${terms.tierKey}"`);
    const versions =
      (await this.tierRows.listVersions([tier.id], Object.values(TierVersionStatus))).get(tier.id) ?? [];
    const newest = versions.reduce((a, b) => (a.number > b.number ? a : b));
    if (versions.some(({ note }) => note === terms.note)) return;
    const current = (await this.tierRows.listLimits([newest.id])).get(newest.id) ?? [];
    const next = current
      .filter(({ origin }) => origin === 'TIER')
      .map((record) => toLimitInput(record.policy))
      .map((limit) => {
        const changed = limits.find(({ apiKey, name }) => apiKey === limit.apiKey && name === limit.name);
        return { ...limit, ...changed };
      });
    const change = {
      ...terms,
      limits: next,
      expectedVersion: tier.version,
      reason: terms.note ?? DEMO_REASON,
    };
    getValue(await this.tiers.publish(await this.callers.callerOf(by), change));
  }
}
