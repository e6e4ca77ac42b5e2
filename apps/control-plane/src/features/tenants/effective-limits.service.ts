import { Injectable } from '@nestjs/common';
import { peekCounters } from '@tollgate/decision-plane';
import type { GraphqlContext } from '../../platform/graphql/context.js';
import { requestLoader } from '../../platform/graphql/request-loader.js';
import { TierVersionStatus } from '../../platform/prisma/schema.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { type LimitRecord, policyOf, TierVersionLoader, type TierVersionRow } from '../tiers/index.js';
import { LimitSource, type LiveCounter } from './tenants.graphql.js';
import { type SubscriptionRow, type TenantRow, TenantsRepository } from './tenants.repository.js';

const SUBSCRIPTIONS = Symbol('subscription by tenant id');

export interface EffectiveLimitRow {
  limit: LimitRecord;
  source: LimitSource;
  live: LiveCounter | null;
}

/** Says what applies to a tenant now, and how much of it is used. */
@Injectable()
export class EffectiveLimitsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly versionLoader: TierVersionLoader,
    private readonly redis: RedisConnections,
  ) {}

  /** @throws when the tenant has no subscription, which the database does not let happen to a tenant made here. */
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

  async list(context: GraphqlContext, tenant: TenantRow): Promise<EffectiveLimitRow[]> {
    const version = await this.getVersion(context, await this.getSubscription(context, tenant.id));
    const limits = await this.versionLoader.limits(context, version.id);
    const live = await this.readCounters(tenant.key, limits);
    return limits.map((limit) => ({ limit, source: LimitSource.TIER, live: live.get(limit.id) ?? null }));
  }

  /** Counters of limits that have exactly one per tenant; nothing when Redis cannot be asked. */
  private async readCounters(tenantKey: string, limits: LimitRecord[]): Promise<Map<string, LiveCounter>> {
    const countable = limits.filter((limit) => limit.per.length === 0);
    const peeked = await peekCounters(this.redis.counters, tenantKey, countable.map(policyOf));
    return new Map(
      countable.flatMap((limit, index) => {
        const counter = peeked[index];
        if (counter == null) return [];
        const { used, remaining, resetAtMs } = counter;
        return [[limit.id, { used, remaining, resetAt: new Date(resetAtMs) }] as const];
      }),
    );
  }
}
