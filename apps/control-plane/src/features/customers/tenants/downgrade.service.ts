import { Injectable } from '@nestjs/common';
import { resolveLimit, tierKeySchema } from '@tollgate/contracts';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { CarryOver, TierVersionStatus } from '../../../platform/prisma/schema.js';
import { type LimitRecord, TiersRepository, type TierVersionRow } from '../../catalogue/index.js';
import { EffectiveLimitsService } from './effective-limits.service.js';
import { readAdjustments } from './stored-adjustment.js';
import type { LimitOveruse, TenantTierChangeInput } from './tenants.graphql.js';
import type { TenantRow } from './tenants.repository.js';

/** Says what a tenant has used already of more than it would have. */
@Injectable()
export class DowngradeService {
  constructor(
    private readonly effective: EffectiveLimitsService,
    private readonly tiers: TiersRepository,
  ) {}

  /**
   * Limits of the version that the tenant would move to of which more is used now than they let pass. As far as counters can be
   * read: limits that count by more than the tenant have many.
   */
  async findOverused(
    context: GraphqlContext,
    tenant: TenantRow,
    input: TenantTierChangeInput,
  ): Promise<LimitOveruse[]> {
    const version = await this.findTarget(input);
    if (version === null) return [];
    const limits = (await this.tiers.listLimits([version.id])).get(version.id) ?? [];
    // With loaders of its own: those of the request would go on answering with what is there before the move.
    const own = { ...context, loaders: new Map() };
    const present = await this.effective.list(own, tenant);
    const { adjustments } = await this.effective.getSubscription(own, tenant.id);
    const kept = readAdjustments(adjustments);
    return limits.flatMap((next) => {
      const row = present.find(({ limit }) => isSameCounter(limit, next));
      if (row?.live == null) return [];
      const used = carriedOver(row.live.used, row.limit.limit, input.carryOver ?? CarryOver.KEEP);
      const { limit } = resolveLimit(next.policy, kept).policy;
      if (used <= limit) return [];
      const { name, apiKey } = next;
      const { resetAt } = row.live;
      const message = `${used} of "${name}" (${apiKey}) are used and ${limit} would be allowed: requests are refused until enough of them are over.`;
      return [{ apiKey, name, used, limit, resetAt, message }];
    });
  }

  private async findTarget({
    tierKey,
    pinnedVersion,
  }: TenantTierChangeInput): Promise<TierVersionRow | null> {
    const tier = tierKeySchema.safeParse(tierKey).success ? await this.tiers.findByKey(tierKey) : null;
    if (tier === null) return null;
    if (pinnedVersion != null) return this.tiers.findVersion(tier.id, pinnedVersion);
    const { PUBLISHED } = TierVersionStatus;
    return (await this.tiers.listVersions([tier.id], [PUBLISHED])).get(tier.id)?.[0] ?? null;
  }
}

/** What was counted by one goes on counting in the other. */
function isSameCounter(before: LimitRecord, after: LimitRecord): boolean {
  return before.apiKey === after.apiKey && before.name === after.name && before.algorithm === after.algorithm;
}

/** What is used after the move, by the rule. */
function carriedOver(used: number, limit: number, rule: CarryOver): number {
  switch (rule) {
    case CarryOver.KEEP:
      return used;
    case CarryOver.ADDITIVE:
      return Math.min(used, limit);
    default:
      // Nothing, or the same part of the new limit.
      return 0;
  }
}
