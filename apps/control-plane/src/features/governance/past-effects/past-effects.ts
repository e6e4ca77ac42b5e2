import { Injectable } from '@nestjs/common';
import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { knownTimeZone, periodAt, startOfHour } from '@tollgate/limiter/algorithms';
import { compileLimit } from '@tollgate/limiter/rules';
import { denialBounds, quotaBounds } from '@tollgate/replay';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { type LimitOfPurchase, PurchasedLimit } from '../../commerce/index.js';
import { LimitSteps } from '../../customers/index.js';
import { busiestMinutes, UsageRepository } from '../../usage/index.js';
import { PastEffect } from './past-effects.graphql.js';
import { PastEffectsRepository } from './past-effects.repository.js';
import { bucketsOf, costOf, gapOf } from './past-effects.rules.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const DAYS = 30;

/** Until minutes are deleted, those that are about to be are not read. */
const MARGIN_MS = HOUR_MS;

/** Computes the past effect of a purchase from stored usage. */
@Injectable()
export class PastEffectsService {
  constructor(
    private readonly covered: PastEffectsRepository,
    private readonly usage: UsageRepository,
    private readonly steps: LimitSteps,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  async find(purchased: LimitOfPurchase): Promise<PastEffect> {
    const { tenant, policies } = purchased;
    const to = this.clock.now();
    const nowMs = to.getTime();
    const { hourMs } = this.config.retention;
    const zone = knownTimeZone(tenant.timeZone);
    const dayOf = (atMs: number) => periodAt('day', zone, 1, atMs).startMs;
    const from = new Date(dayOf(nowMs - Math.min(DAYS * DAY_MS, Math.max(DAY_MS, hourMs - 2 * DAY_MS))));
    const { after } = policies;
    const compiled = compileLimit(
      after,
      {},
      { timeZone: zone, billingAnchorDay: tenant.billingAnchorDay, nowMs },
    );
    // Limits of its parent can have the same names.
    const isAlone = compiled.ok && tenant.parentKey === null;
    const gap = isAlone ? gapOf(after, compiled.limit.policy.horizonMs) : 'NOT_BY_REQUESTS';
    if (gap !== undefined || !compiled.ok) {
      const rows = await this.covered.list(tenant.id, 'day', { from, to }, after);
      const sum = (field: 'requests' | 'denied') => rows.reduce((total, row) => total + row[field], 0);
      return { from, to, requests: sum('requests'), denied: sum('denied'), after: null, gap: gap ?? null };
    }
    const range = { from, to };
    const { low, high, ...counts } =
      after.algorithm === 'quota'
        ? await this.quota(purchased, range)
        : await this.rate(purchased, compiled.limit.policy, range, dayOf);
    return { from, to, ...counts, after: { low, high }, gap: null };
  }

  /** Days of the periods that overlap the range. */
  private async quota({ tenant, policies, before, after, isTopUp }: LimitOfPurchase, { from, to }: Range) {
    const { after: policy } = policies;
    if (policy.algorithm !== 'quota') throw new Error(`${policy.name} is not a quota`);
    const zone = knownTimeZone(tenant.timeZone);
    const periodOf = (at: Date) =>
      periodAt(policy.period, zone, tenant.billingAnchorDay, at.getTime()).startMs;
    const since = new Date(periodOf(from));
    const rows = await this.covered.list(tenant.id, 'day', { from: since, to }, policy);
    const days = rows.map(({ at, ...row }) => ({ ...row, startMs: at.getTime(), periodMs: periodOf(at) }));
    const options = { fromMs: from.getTime(), cost: costOf(rows) };
    // Units of a top-up are used once.
    return isTopUp ? quotaBounds(before, days, options, after - before) : quotaBounds(after, days, options);
  }

  /** Hours, and minutes while they are stored. */
  private async rate(
    { tenant, policies: { after } }: LimitOfPurchase,
    policy: Parameters<typeof denialBounds>[1],
    { from, to }: Range,
    dayOf: (atMs: number) => number,
  ) {
    const since = new Date(from.getTime() - DAY_MS);
    const minutesMs = to.getTime() - this.config.retention.minuteMs + MARGIN_MS;
    const minutesFrom = new Date(startOfHour(knownTimeZone(tenant.timeZone), minutesMs) + HOUR_MS);
    const [hours, minutes, peaks, stepsOf] = await Promise.all([
      this.covered.list(tenant.id, 'hour', { from: since, to: minutesFrom }, after),
      this.covered.list(tenant.id, 'minute', { from: minutesFrom, to }, after),
      this.usage.listPeaks(tenant.id, new Date(since.getTime() - DAY_MS)),
      this.steps.read(tenant.id, since),
    ]);
    const all = [...hours, ...minutes];
    const busyDays = new Set(all.map(({ at }) => dayOf(at.getTime())));
    const busiest = busiestMinutes(peaks, after);
    const context = { after, steps: stepsOf(after), busiest, busyDays, dayOf };
    const buckets = [...bucketsOf(hours, HOUR_MS, context), ...bucketsOf(minutes, MINUTE_MS, context)];
    return denialBounds(after, policy, buckets, { fromMs: from.getTime(), cost: costOf(all) });
  }
}

interface Range {
  from: Date;
  to: Date;
}

/** Query cost of 30 days of a limit's usage. */
const THIRTY_DAYS = 40;

@Resolver(() => PurchasedLimit)
export class PastEffectsResolver {
  constructor(private readonly effects: PastEffectsService) {}

  @ResolveField(() => PastEffect, {
    complexity: THIRTY_DAYS,
    description: 'Effect that the purchase would have had in the last 30 days.',
  })
  past(@Parent() limit: LimitOfPurchase): Promise<PastEffect> {
    return this.effects.find(limit);
  }
}
