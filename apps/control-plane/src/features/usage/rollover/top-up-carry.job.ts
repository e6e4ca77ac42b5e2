import { Injectable } from '@nestjs/common';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { TopUpsService } from '../../customers/index.js';
import { UsageIngest } from '../ingest/usage-ingest.js';
import { SETTLE_AFTER_MS, SETTLE_WITHIN_MS } from './rollover.job.js';
import { RolloversRepository } from './rollovers.repository.js';

const BATCH = 200;

/**
 * Grants unused units of top-ups to the next period of a monthly quota. Waits like the rollover until all usage of the period
 * is counted: late units are missing for a while, but units never exist twice.
 */
@ScheduledJob({ name: 'top-up-carry', everyMs: 60_000 })
@Injectable()
export class TopUpCarryJob {
  constructor(
    private readonly rollovers: RolloversRepository,
    private readonly usage: UsageIngest,
    private readonly topUps: TopUpsService,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const unread = await this.usage.findUnreadSince();
    const settledMs = Math.min(nowMs, unread?.getTime() ?? nowMs) - SETTLE_AFTER_MS;
    const ended = {
      after: new Date(nowMs - SETTLE_WITHIN_MS),
      until: new Date(settledMs),
      now: new Date(nowMs),
    };
    let last = '';
    for (;;) {
      const topUps = await this.rollovers.listEndedTopUps(ended, last, BATCH);
      for (const topUp of topUps) {
        const caller: Caller = { actor: jobActor('top-up-carry'), requestId: newId('request') };
        try {
          await this.changes.run(caller, { reason: null }, (change) => this.topUps.carry(change, topUp));
        } catch (error) {
          const { id: entitlement, tenantKey: tenant } = topUp;
          this.log.warn(
            { error: String(error), tenant, entitlement },
            'top-up not carried over; trying again',
          );
        }
      }
      last = topUps.at(-1)?.id ?? '';
      if (topUps.length < BATCH) return;
    }
  }
}
