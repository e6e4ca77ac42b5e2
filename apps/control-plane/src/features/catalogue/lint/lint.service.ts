import { Injectable } from '@nestjs/common';
import { ApisRepository } from '../apis/apis.repository.js';
import { DefaultLimitsRepository } from '../limits/default-limits.repository.js';
import type { LimitInput } from '../limits/limit.inputs.js';
import { checkDraft, type KnownApi, missingDefaults } from '../limits/limit.rules.js';
import { policyOf } from '../limits/limit-record.js';
import { toChecked, toKnownApis } from '../tiers/tier-publisher.js';
import { type TierRow, TiersRepository, type TierVersionRow } from '../tiers/tiers.repository.js';
import type { LintFinding } from './lint.graphql.js';
import { SentDimensionsRepository } from './lint.repository.js';
import { lintPools, lintVersion, type SentDimensions } from './lint.rules.js';

/** Looks for what is wrong or doubtful in the catalogue. */
@Injectable()
export class LintService {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly apis: ApisRepository,
    private readonly defaults: DefaultLimitsRepository,
    private readonly sent: SentDimensionsRepository,
  ) {}

  /** Of one version. */
  async lintVersion(tier: TierRow, version: TierVersionRow): Promise<LintFinding[]> {
    return this.lintOne(tier, version, await this.knownApis(), await this.sent.listRecent());
  }

  /**
   * Of a publication that was made, or of `limits` that were tried. An API without a limit is a finding only if the version
   * before had one on it: the other APIs have nothing to do with this change.
   */
  async lintPublication(tier: TierRow, limits?: readonly LimitInput[]): Promise<LintFinding[]> {
    const version = await this.tiers.findNewest(tier.id);
    const findings = limits
      ? await this.lintLimits(tier, limits)
      : version && (await this.lintVersion(tier, version));
    const number = findings?.find(({ code }) => code === 'NO_LIMIT')?.version;
    if (number === undefined) return findings ?? [];
    const released = await this.tiers.listVersions([tier.id], ['PUBLISHED', 'ARCHIVED']);
    const before = released.get(tier.id)?.find((one) => one.number < (number ?? 0));
    const limited = before && (await this.tiers.listLimits([before.id])).get(before.id);
    const apiKeys = new Set(limited?.map((limit) => limit.apiKey));
    return (findings ?? []).filter(({ code, path }) => code !== 'NO_LIMIT' || apiKeys.has(path[1] ?? ''));
  }

  /** Of limits as they would be published; none of such as could not be saved. */
  private async lintLimits(tier: TierRow, inputs: readonly LimitInput[]): Promise<LintFinding[]> {
    const apis = await this.knownApis();
    const checked = checkDraft(inputs, apis);
    if (!checked.ok) return [];
    const defaults = [...(await this.defaults.list('all')).values()].flat();
    const limits = [...checked.limits, ...missingDefaults(checked.limits, defaults)];
    const number = ((await this.tiers.findNewest(tier.id))?.number ?? 0) + 1;
    return lintVersion({ tierKey: tier.key, number, limits }, apis, await this.sent.listRecent());
  }

  /** Of all drafts and published versions, and of the pools that the tiers draw on. */
  async lintAll(): Promise<LintFinding[]> {
    const apis = await this.knownApis();
    const tiers = await this.tiers.listAll();
    const versions = await this.tiers.listVersions(
      tiers.map(({ id }) => id),
      ['DRAFT', 'PUBLISHED'],
    );
    const sent = await this.sent.listRecent();
    const findings: LintFinding[] = [];
    for (const tier of tiers) {
      for (const version of (versions.get(tier.id) ?? []).reverse())
        findings.push(...(await this.lintOne(tier, version, apis, sent)));
    }
    return [...findings, ...lintPools(await this.listSold(tiers), apis)];
  }

  private async lintOne(
    tier: TierRow,
    { id, number, status }: TierVersionRow,
    apis: ReadonlyMap<string, KnownApi>,
    sent: readonly SentDimensions[],
  ): Promise<LintFinding[]> {
    const own = ((await this.tiers.listLimits([id])).get(id) ?? []).map(toChecked);
    const defaults = status === 'DRAFT' ? [...(await this.defaults.list('all')).values()].flat() : [];
    const limits = [...own, ...missingDefaults(own, defaults)];
    return lintVersion({ tierKey: tier.key, number, limits }, apis, sent);
  }

  private async listSold(tiers: readonly TierRow[]) {
    const versions = [
      ...(
        await this.tiers.listVersions(
          tiers.map(({ id }) => id),
          ['PUBLISHED', 'ARCHIVED'],
        )
      ).values(),
    ].flat();
    const counts = await this.tiers.countTenantsOn(versions.map(({ id }) => id));
    const sold = versions.filter(({ id }) => (counts.get(id) ?? 0) > 0);
    const limits = await this.tiers.listLimits(sold.map(({ id }) => id));
    const keys = new Map(tiers.map(({ id, key }) => [id, key]));
    return sold.map(({ id, tierId, number }) => ({
      tierKey: keys.get(tierId) ?? '',
      number,
      tenants: counts.get(id) ?? 0,
      policies: (limits.get(id) ?? []).map(policyOf),
    }));
  }

  private async knownApis(): Promise<Map<string, KnownApi>> {
    return toKnownApis(await this.apis.listAllWithParts());
  }
}
