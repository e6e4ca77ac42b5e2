import { Injectable } from '@nestjs/common';
import {
  policyOf,
  type TierRow,
  TiersRepository,
  TiersService,
  toLimitInput,
} from '../features/catalogue/index.js';
import { TierVersionStatus } from '../platform/prisma/schema.js';
import { DEMO_CALLER, DEMO_REASON, getValue } from './demo-change.js';
import type { DemoData } from './demo-data.js';

/** Creates the demo's tiers and publishes their versions, as far as they are missing. */
@Injectable()
export class DemoTiersSeed {
  constructor(
    private readonly tiers: TiersService,
    private readonly rows: TiersRepository,
  ) {}

  /** The tier with its first version. */
  async create({ limits, ...input }: DemoData['tiers'][number]): Promise<void> {
    const tierKey = input.key;
    const tier =
      (await this.tiers.findByKey(tierKey)) ??
      getValue(await this.tiers.create(DEMO_CALLER, { ...input, reason: DEMO_REASON }));
    const published = await this.rows.listVersions([tier.id], [TierVersionStatus.PUBLISHED]);
    if (published.has(tier.id)) return;
    const { version } = await this.draft(tier, { limits, note: 'First version' });
    getValue(
      await this.tiers.publish(DEMO_CALLER, { tierKey, expectedVersion: version, reason: DEMO_REASON }),
    );
  }

  /** Publishes a later version to its audience, once. */
  async publish({ tierKey, note, limits, ...terms }: DemoData['publications'][number]): Promise<void> {
    const tier = await this.tiers.findByKey(tierKey);
    if (tier === null) throw new Error(`The demo has no tier "${tierKey}"`);
    const versions = await this.rows.listVersions([tier.id], Object.values(TierVersionStatus));
    const [newest, ...others] = versions.get(tier.id) ?? [];
    if (newest === undefined || others.length > 0) return;
    const current = (await this.rows.listLimits([newest.id])).get(newest.id) ?? [];
    const next = current
      .filter(({ origin }) => origin === 'TIER')
      .map((record) => toLimitInput(policyOf(record)))
      .map((limit) => {
        const changed = limits.find(({ apiKey, name }) => apiKey === limit.apiKey && name === limit.name);
        return { ...limit, ...changed };
      });
    const { version } = await this.draft(tier, { limits: next, note });
    const change = { tierKey, expectedVersion: version, ...terms, reason: DEMO_REASON };
    getValue(await this.tiers.publish(DEMO_CALLER, change));
  }

  private async draft(
    { key: tierKey, version: expectedVersion }: TierRow,
    draft: Pick<Parameters<TiersService['saveDraft']>[1], 'limits' | 'note'>,
  ): Promise<TierRow> {
    const change = { tierKey, expectedVersion, ...draft, reason: DEMO_REASON };
    return getValue(await this.tiers.saveDraft(DEMO_CALLER, change));
  }
}
