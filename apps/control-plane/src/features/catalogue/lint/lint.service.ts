import { Injectable } from '@nestjs/common';
import { Args, Int, Query, Resolver } from '@nestjs/graphql';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { ApisRepository } from '../apis/apis.repository.js';
import { DefaultLimitsRepository } from '../limits/default-limits.repository.js';
import { type KnownApi, missingDefaults } from '../limits/limit.rules.js';
import { toChecked, toKnownApis } from '../tiers/tier-publisher.js';
import { type TierRow, TiersRepository, type TierVersionRow } from '../tiers/tiers.repository.js';
import { type Publication, TiersService } from '../tiers/tiers.service.js';
import { SentDimensionsRepository } from './lint.repository.js';
import { LintFinding, lintPools, lintVersion, type SentDimensions } from './lint.rules.js';

/** Finds problems in the catalogue. */
@Injectable()
export class LintService {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly apis: ApisRepository,
    private readonly defaults: DefaultLimitsRepository,
    private readonly sent: SentDimensionsRepository,
  ) {}

  /** Lints one version; a draft as it would be published. */
  async lintVersion(tier: TierRow, version: TierVersionRow): Promise<LintFinding[]> {
    return this.lintOne(tier, version, await this.knownApis(), await this.sent.listRecent());
  }

  /** Lints a publication. Reports an API without a limit only if the version before had one on it. */
  async lintPublication(tierKey: string, publication: Publication): Promise<LintFinding[]> {
    const { number, limits, limitedBefore } = publication;
    const [apis, sent] = [await this.knownApis(), await this.sent.listRecent()];
    return lintVersion({ tierKey, number, limits }, apis, sent).filter(
      ({ code, path }) => code !== 'NO_LIMIT' || limitedBefore.includes(path[1] ?? ''),
    );
  }

  async lintAll(): Promise<LintFinding[]> {
    const apis = await this.knownApis();
    const tiers = await this.tiers.listAll();
    const versions = await this.tiers.listVersions(idsOf(tiers), ['DRAFT', 'PUBLISHED']);
    const sent = await this.sent.listRecent();
    const findings: LintFinding[] = [];
    for (const tier of tiers) {
      for (const version of (versions.get(tier.id) ?? []).reverse())
        findings.push(...(await this.lintOne(tier, version, apis, sent)));
    }
    return [...findings, ...lintPools(await this.listUsedVersions(tiers), apis)];
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

  private async listUsedVersions(tiers: readonly TierRow[]) {
    const released = await this.tiers.listVersions(idsOf(tiers), ['PUBLISHED', 'ARCHIVED']);
    const versions = [...released.values()].flat();
    const counts = await this.tiers.countTenantsOn(versions.map(({ id }) => id));
    const used = versions.filter(({ id }) => (counts.get(id) ?? 0) > 0);
    const limits = await this.tiers.listLimits(used.map(({ id }) => id));
    const keys = new Map(tiers.map(({ id, key }) => [id, key]));
    return used.map(({ id, tierId, number }) => ({
      tierKey: keys.get(tierId) ?? '',
      number,
      tenants: counts.get(id) ?? 0,
      policies: (limits.get(id) ?? []).map(({ policy }) => policy),
    }));
  }

  private async knownApis(): Promise<Map<string, KnownApi>> {
    return toKnownApis(await this.apis.listAllWithParts());
  }
}

const idsOf = (tiers: readonly TierRow[]) => tiers.map(({ id }) => id);

@Resolver(() => LintFinding)
export class LintResolver {
  constructor(
    private readonly lint: LintService,
    private readonly service: TiersService,
    private readonly tiers: TiersRepository,
  ) {}

  @RequirePermission('tiers:read')
  @Query(() => [LintFinding], {
    name: 'lint',
    description: 'Problems in the whole catalogue: drafts, published versions, pools.',
  })
  all(): Promise<LintFinding[]> {
    return this.lint.lintAll();
  }

  @RequirePermission('tiers:read')
  @Query(() => [LintFinding], {
    name: 'tierLint',
    nullable: true,
    description: 'Problems in one version of a tier; null if there is no such version.',
  })
  async one(
    @Args('tierKey', { description: 'Key of the tier.' }) tierKey: string,
    @Args('version', {
      type: () => Int,
      nullable: true,
      description:
        'Number of the version. When omitted: the draft as it would be published, or the published version.',
    })
    number?: number | null,
  ): Promise<LintFinding[] | null> {
    const tier = await this.service.findByKey(tierKey);
    if (tier === null) return null;
    const version =
      number == null ? await this.tiers.findNewest(tier.id) : await this.tiers.findVersion(tier.id, number);
    return version === null ? null : this.lint.lintVersion(tier, version);
  }
}
