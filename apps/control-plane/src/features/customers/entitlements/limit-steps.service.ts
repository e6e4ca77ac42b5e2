import { Injectable } from '@nestjs/common';
import { type LimitPolicy, resolveLimit, ruleFieldsOf } from '@tollgate/contracts';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/prisma/database.js';
import { type PublishedTier, PublishedTiersRepository } from '../../catalogue/index.js';
import { type TimedAdjustment } from '../tenants/adjustment-schedule.js';
import { AdjustmentsRepository, type VersionPeriod } from './entitlements.repository.js';

/** Value of a limit from a time on. */
export interface LimitStep {
  at: Date;
  limit: number;
  /** Without boosts. */
  lasting: number;
  /** The limit with its other numbers. */
  policy: LimitPolicy;
}

/** Past values of a tenant's limits: tier versions, purchases, overrides and boosts at each time. */
@Injectable()
export class LimitSteps {
  constructor(
    private readonly adjustments: AdjustmentsRepository,
    private readonly tiers: PublishedTiersRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Values of a limit since a time, oldest first. The first one starts at that time, or when the limit was added with its
   * present window.
   */
  async read(tenantId: string, since: Date): Promise<(policy: LimitPolicy) => LimitStep[]> {
    const now = this.clock.now();
    const tx = this.database.client;
    const timed = await this.adjustments.listTimed(tx, tenantId, since);
    const periods = await this.adjustments.listVersions(tx, tenantId);
    const needed = Map.groupBy(periods, ({ tierId }) => tierId);
    const tiers = await this.tiers.list(
      new Map(
        [...needed].map(([id, some]) => [id, new Set(some.flatMap(({ version }) => version ?? []))] as const),
      ),
    );
    const times = [
      ...timed.flatMap(({ startsAt, endsAt }) => (endsAt === null ? [startsAt] : [startsAt, endsAt])),
      ...periods.flatMap(({ until }) => until ?? []),
      ...tiers.flatMap(({ versions }) => versions.map(({ publishedAt }) => publishedAt)),
    ].filter((at) => at > since && at <= now);
    const moments = [since, ...times].sort((a, b) => a.getTime() - b.getTime());
    return (policy) =>
      withoutRepeats(
        moments.flatMap((at) => {
          const base = findLimit(tiers, periods, policy, at);
          if (base === undefined) return [];
          const inForce = timed.filter((one) => isInForce(one, at)).map(({ adjustment }) => adjustment);
          const resolved = resolveLimit(base, inForce).policy;
          const lasting = inForce.filter(({ source }) => source !== 'boost');
          const { limit } = resolveLimit(base, lasting).policy;
          return [{ at, limit: resolved.limit, lasting: limit, policy: resolved }];
        }),
      );
  }
}

function isInForce({ startsAt, endsAt }: TimedAdjustment, at: Date): boolean {
  return startsAt <= at && (endsAt === null || endsAt > at);
}

/** The limit in the tier version of that time; undefined without it, or if it had another window. */
function findLimit(
  tiers: readonly PublishedTier[],
  periods: readonly VersionPeriod[],
  policy: LimitPolicy,
  at: Date,
): LimitPolicy | undefined {
  const period = periods.find(({ until }) => until === null || until > at);
  const tier = tiers.find(({ id }) => id === period?.tierId);
  if (period === undefined || tier === undefined) return undefined;
  const most = period.version ?? tier.currentVersion;
  const known = tier.versions.filter(({ number }) => number <= most);
  const version = known.findLast(({ publishedAt }) => publishedAt <= at) ?? known[0];
  const base = version?.limits.find(
    (limit) => limit.policy.api === policy.api && limit.policy.name === policy.name,
  );
  return base !== undefined && spanOf(base.policy) === spanOf(policy) ? base.policy : undefined;
}

const spanOf = (policy: LimitPolicy): number | string | undefined =>
  policy.algorithm === 'quota' ? policy.period : 'windowMs' in policy ? policy.windowMs : undefined;

function withoutRepeats(steps: readonly LimitStep[]): LimitStep[] {
  return steps.filter((step, i) => {
    const before = steps[i - 1];
    return before === undefined || textOf(before) !== textOf(step);
  });
}

function textOf({ lasting, policy }: LimitStep): string {
  const fields = ['algorithm', 'limit', 'throttle', ...ruleFieldsOf(policy.algorithm)];
  return JSON.stringify([lasting, ...fields.map((field) => policy[field as keyof LimitPolicy])]);
}
