import { Injectable } from '@nestjs/common';
import type { CounterReading } from '@tollgate/decision-plane/internals';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { requestLoader } from '../../../platform/graphql/request-loader.js';
import { TierVersionStatus } from '../../../platform/prisma/schema.js';
import { RedisConnections } from '../../../platform/redis.js';
import {
  type LimitRecord,
  TierVersionLoader,
  type TierVersionRow,
  upper,
  withPolicy,
} from '../../catalogue/index.js';
import type { AdjustmentStage, LimitSource, LiveCounter } from './effective-limits.graphql.js';
import type { ChangedTenant } from './tenant-changes.js';
import { type TenantSituation, TenantViews } from './tenant-views.js';
import { type SubscriptionRow, type TenantRow, TenantsRepository } from './tenants.repository.js';

const SUBSCRIPTIONS = Symbol('subscription by tenant id');
const SITUATIONS = Symbol('situation by tenant id');

export interface EffectiveLimitRow {
  limit: LimitRecord;
  tierLimit: number;
  source: LimitSource;
  provenance: AdjustmentStage[];
  clamped: boolean;
  live: LiveCounter | null;
}

/** Says what applies to a tenant now, and how much of it is used. */
@Injectable()
export class EffectiveLimitsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly versionLoader: TierVersionLoader,
    private readonly views: TenantViews,
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

  /** Each limit as it applies now, with the way from the tier's number to it; counters where the tenant has just one. */
  async list(context: GraphqlContext, tenant: ChangedTenant): Promise<EffectiveLimitRow[]> {
    const { view, stored, adjustments } =
      tenant.preview?.situation ?? (await this.getSituation(context, tenant));
    const readings = await view.peek(this.redis.counters);
    return view.limits.flatMap(({ policy, provenance, source, clamped }, i) => {
      const base = stored[i];
      if (base === undefined) return [];
      const steps = provenance.map(({ id: adjustmentId, ...step }) => {
        const { label = '', endsAt = null } = adjustments.get(adjustmentId) ?? {};
        const until = endsAt === null ? null : new Date(endsAt);
        return { ...step, source: upper(step.source) as LimitSource, adjustmentId, label, until };
      });
      return [
        {
          limit: withPolicy(base, policy),
          tierLimit: base.limit,
          source: upper(source) as LimitSource,
          provenance: steps,
          clamped,
          live: toLive(readings[i]),
        },
      ];
    });
  }

  private async getSituation(context: GraphqlContext, { id }: TenantRow): Promise<TenantSituation> {
    const situation = await requestLoader<TenantSituation | undefined>(
      context,
      SITUATIONS,
      undefined,
      (ids) => this.views.list(ids),
    ).load(id);
    if (situation === undefined) throw new Error(`Tenant ${id} is on no published version`);
    return situation;
  }
}

function toLive(reading: CounterReading | null | undefined): LiveCounter | null {
  if (reading == null) return null;
  const { used, remaining, resetAtMs } = reading;
  return { used, remaining: Math.max(0, remaining), resetAt: new Date(resetAtMs) };
}
