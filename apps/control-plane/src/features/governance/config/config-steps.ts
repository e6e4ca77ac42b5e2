import { Injectable } from '@nestjs/common';
import { ApiConfig } from './api-config.js';
import type { ConfigMode } from './config.graphql.js';
import type { ConfigRun } from './config-run.js';
import type { Keeping } from './config-state.repository.js';
import { OfferConfig } from './offer-config.js';
import { TenantConfig } from './tenant-config.js';
import { TierConfig } from './tier-config.js';

/** The steps by which a configuration is put into force: what others name comes before them, and goes after them. */
@Injectable()
export class ConfigSteps {
  constructor(
    private readonly apis: ApiConfig,
    private readonly tiers: TierConfig,
    private readonly offers: OfferConfig,
    private readonly tenants: TenantConfig,
  ) {}

  /** @throws ConfigRefused */
  async carryOut(run: ConfigRun, mode: ConfigMode, selectTag: string | null): Promise<void> {
    const { wanted } = run;
    for (const [key, api] of wanted.apis) await this.apis.apply(run, key, api);
    for (const [key, tier] of wanted.tiers) await this.tiers.apply(run, key, tier);
    for (const [key, offer] of wanted.offers) await this.offers.apply(run, key, offer);
    for (const [key, tenant] of wanted.tenants) await this.tenants.apply(run, key, tenant);
    if (mode === 'SYNC') await this.takeAway(run, selectTag);
  }

  private async takeAway(run: ConfigRun, selectTag: string | null): Promise<void> {
    const { wanted, present } = run;
    const gone = (kept: ReadonlyMap<string, Keeping>, named: ReadonlyMap<string, unknown>) =>
      [...kept].flatMap(([key, { managedBy, tags }]) => {
        const isMine = managedBy === 'CONFIG' && (selectTag === null || tags.includes(selectTag));
        return isMine && !named.has(key) ? [key] : [];
      });
    for (const [key, tenant] of wanted.tenants) {
      if (selectTag === null || tenant.facts.tags.includes(selectTag))
        await this.tenants.prune(run, key, tenant);
    }
    for (const key of gone(present.keptOffers, wanted.offers)) await this.offers.remove(run, key);
    for (const key of gone(present.keptTiers, wanted.tiers)) await this.tiers.remove(run, key);
    for (const [key, api] of wanted.apis) await this.apis.prune(run, key, api);
    for (const key of gone(present.keptApis, wanted.apis)) await this.apis.delete(run, key);
  }
}
