import { Injectable } from '@nestjs/common';
import {
  type ResolvedLimit,
  resolveLimit,
  sourceOf,
  subjectEffectSchema,
  summarizeLimit,
  tierKeySchema,
} from '@tollgate/contracts';
import type { CounterReading } from '@tollgate/decision-plane/operate';
import { limitChangeOf } from '@tollgate/policy';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { CarryOver, LimitOrigin, TierVersionStatus } from '../../../platform/prisma/schema.js';
import { RedisConnections } from '../../../platform/redis.js';
import { currentScope, runInScope } from '../../../platform/tenant-scope.js';
import {
  type LimitRecord,
  TiersRepository,
  TierVersionLoader,
  type TierVersionRow,
  upper,
  withPolicy,
} from '../../catalogue/index.js';
import type { SubjectRuleRow } from '../subject-rules/subject-rules.repository.js';
import { readAdjustments, type StoredAdjustment } from './adjustment-schedule.js';
import type { ChangedTenant } from './tenant-changes.js';
import { type TenantSituation, TenantViews } from './tenant-record.repository.js';
import type {
  EffectiveLimit,
  LimitOveruse,
  LimitSource,
  LiveCounter,
  SharedLimit,
  TenantTierChangeInput,
} from './tenants.graphql.js';
import { type SubscriptionRow, type TenantRow, TenantsRepository } from './tenants.repository.js';
import { warmUpEnd, withoutWarmUp } from './warm-up.js';

const SUBSCRIPTIONS = Symbol('subscription by tenant id');
const SITUATIONS = Symbol('situation by tenant id');
/** With the floors of all children, which only the scope of all tenants reads. */
const COMPLETE_SITUATIONS = Symbol('complete situation by tenant id');

export type EffectiveLimitRow = Omit<EffectiveLimit, 'limit'> & { limit: LimitRecord };

/** The effective limits of tenants, with their live counters. */
@Injectable()
export class EffectiveLimitsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly versionLoader: TierVersionLoader,
    private readonly views: TenantViews,
    private readonly tiers: TiersRepository,
    private readonly redis: RedisConnections,
  ) {}

  /** @throws Error if the tenant has no subscription, which the schema prevents */
  async getSubscription(context: GraphqlContext, tenantId: string): Promise<SubscriptionRow> {
    const subscription = await requestLoader<SubscriptionRow | undefined>(
      context,
      SUBSCRIPTIONS,
      undefined,
      (ids) => this.tenants.listSubscriptions(ids),
    ).load(tenantId);
    if (subscription === undefined) throw new Error(`Tenant ${tenantId} has no subscription`);
    return subscription;
  }

  /** The pinned version, else the published one. */
  async getVersion(context: GraphqlContext, subscription: SubscriptionRow): Promise<TierVersionRow> {
    if (subscription.pinnedVersion !== null) return subscription.pinnedVersion;
    const { PUBLISHED } = TierVersionStatus;
    const version = await this.versionLoader.findCurrent(context, subscription.tierId, PUBLISHED);
    if (version === undefined)
      throw new Error(`Tier ${subscription.tierId} has subscribers but no published version`);
    return version;
  }

  /** The effective limits with their provenance; with counters where the tenant has exactly one. */
  async list(context: GraphqlContext, tenant: ChangedTenant): Promise<EffectiveLimitRow[]> {
    const { view, stored, adjustments } =
      tenant.preview?.situation ?? (await this.getSituation(context, tenant));
    const readings = await view.peek(this.redis.counters);
    return view.limits.flatMap((resolved, i) => {
      const base = stored[i];
      if (base === undefined) return [];
      return [{ ...toEffectiveLimit(base, resolved, adjustments), live: toLive(readings[i]) }];
    });
  }

  /**
   * The limits that a parent and its children share, with the usage of all of them. Read by the scope of the parent, because members
   * of a child cannot read it; the result names no other tenant.
   */
  async listShared(context: GraphqlContext, tenant: TenantRow): Promise<SharedLimit[]> {
    const { key, parentKey } = tenant;
    const isRead = parentKey === null && currentScope() === 'all';
    const situation = isRead
      ? await this.findSituation(context, tenant)
      : await runInScope('all', () => this.views.findByKey(parentKey ?? key));
    if (situation === undefined) return [];
    const { view } = situation;
    if (!view.limits.some(({ policy }) => policy.sharedWithChildren === true)) return [];
    const { counters } = this.redis;
    const [readings, floors] = await Promise.all([view.peek(counters), view.peekFloors(counters, key)]);
    return view.limits.flatMap(({ policy }, i) => {
      if (policy.sharedWithChildren !== true) return [];
      const { api: apiKey, name, limit } = policy;
      const { common = limit, units = 0, reading = null } = floors[i] ?? {};
      const floor = units === 0 ? null : { units, live: toLive(reading) };
      return [
        { apiKey, name, limit, summary: summarizeLimit(policy), live: toLive(readings[i]), common, floor },
      ];
    });
  }

  /**
   * Limits of the target version that the tenant's usage already exceeds. Covers only limits counted per tenant: others have
   * more than one counter.
   */
  async findOverused(
    context: GraphqlContext,
    tenant: TenantRow,
    input: TenantTierChangeInput,
  ): Promise<LimitOveruse[]> {
    const version = await this.findTarget(input);
    if (version === null) return [];
    const limits = (await this.tiers.listLimits([version.id])).get(version.id) ?? [];
    // Separate loaders: those of the request would keep returning the state before the change.
    const own = { ...context, loaders: new Map() };
    const present = await this.list(own, tenant);
    const { adjustments, tierId } = await this.getSubscription(own, tenant.id);
    const inForce = readAdjustments(adjustments);
    const kept = version.tierId === tierId ? inForce : withoutWarmUp(inForce);
    return limits.flatMap((next) => {
      const row = present.find(({ limit }) => isSameCounter(limit, next));
      if (row?.live == null) return [];
      const used = carriedOver(row.live.used, row.limit.limit, input.carryOver ?? CarryOver.KEEP);
      const { limit } = resolveLimit(next.policy, kept).policy;
      if (used <= limit) return [];
      const { name, apiKey } = next;
      const { resetAt } = row.live;
      const message = `${used} of "${name}" (${apiKey}) are used, above the new limit of ${limit}. Requests are denied until usage drops below it.`;
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

  private async getSituation(context: GraphqlContext, tenant: TenantRow): Promise<TenantSituation> {
    const situation = await this.findSituation(context, tenant);
    if (situation === undefined) throw new Error(`Tenant ${tenant.id} is on no published version`);
    return situation;
  }

  private findSituation(context: GraphqlContext, { id }: TenantRow): Promise<TenantSituation | undefined> {
    const name = currentScope() === 'all' ? COMPLETE_SITUATIONS : SITUATIONS;
    const read = (ids: string[]) => this.views.list(ids);
    return requestLoader<TenantSituation | undefined>(context, name, undefined, read).load(id);
  }
}

/** A limit of a tier version with its adjustments, by id. */
export function toEffectiveLimit(
  base: LimitRecord,
  { policy, provenance, clamped }: ResolvedLimit,
  adjustments: ReadonlyMap<string, StoredAdjustment>,
): Omit<EffectiveLimitRow, 'live'> {
  const steps = provenance.map(({ id: adjustmentId, ...step }) => {
    const adjustment = adjustments.get(adjustmentId);
    const { label = '', endsAt = null } = adjustment ?? {};
    const end = adjustment?.source === 'warm_up' ? warmUpEnd(adjustment, adjustments.values()) : endsAt;
    const until = end === null ? null : new Date(end);
    return { ...step, source: upper(step.source) as LimitSource, adjustmentId, label, until };
  });
  const source = sourceOf(provenance, base.origin === LimitOrigin.DEFAULT ? 'default' : 'tier');
  return {
    limit: withPolicy(base, policy),
    tierLimit: base.limit,
    source: upper(source) as LimitSource,
    provenance: steps,
    clamped,
  };
}

/** A limit for the subjects of a rule that changes it, with the rule as last step; unchanged if the rule has another effect. */
export function withSubjectRule(effective: EffectiveLimitRow, rule: SubjectRuleRow): EffectiveLimitRow {
  const change = limitChangeOf(rule.id, subjectEffectSchema.parse(rule.effect));
  if (change === undefined) return effective;
  const { policy } = effective.limit;
  const changed = change.apply(policy);
  const source = 'SUBJECT_RULE' as const;
  const step = {
    ...{ source, adjustmentId: rule.id, label: `${rule.dimension} ${rule.pattern}` },
    ...{ from: policy.limit, to: changed.limit, until: rule.endsAt },
  };
  const provenance = [...effective.provenance, step];
  return { ...effective, limit: withPolicy(effective.limit, changed), provenance, source };
}

function toLive(reading: CounterReading | null | undefined): LiveCounter | null {
  if (reading == null) return null;
  const { used, remaining, resetAtMs } = reading;
  return { used, remaining: Math.max(0, remaining), resetAt: new Date(resetAtMs) };
}

function isSameCounter(before: LimitRecord, after: LimitRecord): boolean {
  return before.apiKey === after.apiKey && before.name === after.name && before.algorithm === after.algorithm;
}

function carriedOver(used: number, limit: number, rule: CarryOver): number {
  switch (rule) {
    case CarryOver.KEEP:
      return used;
    case CarryOver.ADDITIVE:
      return Math.min(used, limit);
    default:
      // Reset leaves nothing; proportional usage never exceeds the new limit.
      return 0;
  }
}
