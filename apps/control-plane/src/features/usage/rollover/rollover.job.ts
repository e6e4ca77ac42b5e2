import { Injectable } from '@nestjs/common';
import { periodAt } from '@tollgate/limiter/algorithms';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import {
  AdjustmentsRepository,
  EntitlementsService,
  TenantsRepository,
  TenantViews,
} from '../../customers/index.js';
import { UsageIngest } from '../ingest/usage-ingest.js';
import { lastingLimit, settle } from './rollover.rules.js';
import { type RollingCalendar, RolloversRepository, type UnsettledQuota } from './rollovers.repository.js';

/** Nodes report a period's last decisions within this time. */
export const SETTLE_AFTER_MS = 60_000;

/** Periods that ended earlier, while no worker ran, do not roll over. */
export const SETTLE_WITHIN_MS = 86_400_000;

/** A settled period is needed until the end of the next one, 31 days later at most. */
const KEEP_MS = 62 * 86_400_000;

const BATCH = 200;

interface EndedPeriod {
  from: Date;
  to: Date;
  /** End of the period after it. */
  nextEnd: Date;
}

/**
 * Grants unused units of quotas with `rolloverPercent` to the next period. Nodes end the grant with that period. Waits until
 * all usage of the period is counted: late units are missing for a while, but units never exist twice.
 */
@ScheduledJob({ name: 'quota-rollover', everyMs: 60_000 })
@Injectable()
export class QuotaRolloverJob {
  constructor(
    private readonly rollovers: RolloversRepository,
    private readonly usage: UsageIngest,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly adjustments: AdjustmentsRepository,
    private readonly entitlements: EntitlementsService,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    const unread = await this.usage.findUnreadSince();
    for (const calendar of await this.rollovers.listCalendars()) {
      const period = endedPeriod(calendar, now.getTime());
      const age = now.getTime() - period.to.getTime();
      if (age < SETTLE_AFTER_MS || age > SETTLE_WITHIN_MS) continue;
      if (unread !== null && unread.getTime() < period.to.getTime() + SETTLE_AFTER_MS) continue;
      await this.settleAll(calendar, period);
    }
    await this.rollovers.forget(new Date(now.getTime() - KEEP_MS));
  }

  private async settleAll(calendar: RollingCalendar, period: EndedPeriod): Promise<void> {
    let last: UnsettledQuota | undefined;
    for (;;) {
      const quotas = await this.rollovers.listUnsettled(calendar, period, last, BATCH);
      for (const quota of quotas) await this.trySettle(quota, period);
      last = quotas.at(-1);
      if (quotas.length < BATCH) return;
    }
  }

  /** A quota that fails is tried again in the next run. */
  private async trySettle(quota: UnsettledQuota, period: EndedPeriod): Promise<void> {
    const caller: Caller = { actor: jobActor('quota-rollover'), requestId: newId('request') };
    const { tenantKey: tenant, api, limitName: limit } = quota;
    try {
      await this.changes.run(caller, { reason: null }, (change) => this.settle(change, quota, period));
    } catch (error) {
      this.log.warn({ error: String(error), tenant, api, limit }, 'quota not rolled over; trying again');
    }
  }

  private async settle(change: Change, quota: UnsettledQuota, { to, nextEnd }: EndedPeriod): Promise<number> {
    const { tenantKey, api, limitName: limit, used } = quota;
    const { tx } = change;
    const tenant = await this.tenants.lockByKey(tx, tenantKey);
    const settledBefore = await this.rollovers.listSettled(tx, quota);
    if (tenant === null || settledBefore.some(({ periodEnd }) => periodEnd.getTime() === to.getTime()))
      return 0;
    const { stored } = await this.views.get(tenant.id, tx);
    const policy = stored.map((record) => record.policy).find((one) => one.api === api && one.name === limit);
    if (policy?.rolloverPercent === undefined) return 0;
    const lastMoment = new Date(to.getTime() - 1);
    const inForce = (await this.adjustments.listTimed(tx, tenant.id, lastMoment))
      .filter(({ startsAt }) => startsAt <= lastMoment)
      .map(({ adjustment }) => adjustment);
    const rolledOver = inForce
      .filter(({ id }) => settledBefore.some(({ entitlementId }) => entitlementId === id))
      .reduce((sum, { effect }) => sum + (effect.kind === 'add' ? effect.units : 0), 0);
    const settled = settle(lastingLimit(policy, inForce), policy.rolloverPercent, rolledOver, used);
    const [row] =
      settled.granted === 0
        ? []
        : await this.entitlements.grant(change, tenant, {
            source: 'topup',
            cause: 'ROLLOVER',
            purchaseId: null,
            label: `Rollover of ${limit}`,
            effects: [{ api, limit, effect: { kind: 'add', units: settled.granted } }],
            startsAt: this.clock.now(),
            endsAt: nextEnd,
          });
    const { tenantKey: _, ...facts } = quota;
    await this.rollovers.add(
      tx,
      { ...facts, ...settled, periodEnd: to, entitlementId: row?.id ?? null },
      this.clock.now(),
    );
    return settled.granted;
  }
}

function endedPeriod({ period, timeZone, billingAnchorDay }: RollingCalendar, nowMs: number): EndedPeriod {
  const { startMs, endMs } = periodAt(period, timeZone, billingAnchorDay, nowMs);
  const before = periodAt(period, timeZone, billingAnchorDay, startMs - 1);
  return { from: new Date(before.startMs), to: new Date(startMs), nextEnd: new Date(endMs) };
}
