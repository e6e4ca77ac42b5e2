import { Injectable } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { Clock } from '../../../platform/clock/clock.js';
import { newId } from '../../../platform/ids/new-id.js';
import { ScheduledJob } from '../../../platform/jobs/scheduled-job.js';
import { WARNING_SPAN_MS, warningDue, warningKey } from './api-key-warnings.rules.js';
import { ApiKeysRepository, type ExpiringKey } from './api-keys.repository.js';

/** Keys that one statement reads. */
const CHUNK = 500;

/** Warns the owners of API keys that end soon: of each key once at each of `WARNING_DAYS`, however often this runs. */
@ScheduledJob({ name: 'expiring-api-keys', everyMs: 600_000 })
@Injectable()
export class ExpiringApiKeysJob {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + WARNING_SPAN_MS);
    let after = '';
    for (;;) {
      const keys = await this.keys.listExpiring(now, until, after, CHUNK);
      await this.warn(keys, now);
      if (keys.length < CHUNK) return;
      after = keys.at(-1)?.id ?? after;
    }
  }

  private async warn(keys: readonly ExpiringKey[], now: Date): Promise<void> {
    const due = keys.flatMap((key) => {
      const days = warningDue(key, now);
      return days === undefined ? [] : [{ key, days, dedupeKey: warningKey(key.id, days) }];
    });
    const told = await this.keys.findTold(due.map(({ dedupeKey }) => dedupeKey));
    const untold = due.filter(({ dedupeKey }) => !told.has(dedupeKey));
    if (untold.length === 0) return;
    const caller = { actor: jobActor('expiring-api-keys'), requestId: newId('request') };
    await this.changes.run(caller, { reason: null }, async (change) => {
      for (const { key, days, dedupeKey } of untold) {
        const { id: apiKeyId, name, publicId, tenant, expiresAt } = key;
        const data = {
          tenant: tenant.key,
          apiKeyId,
          publicId,
          name,
          days,
          expiresAt: expiresAt.toISOString(),
        };
        await change.notify({ kind: 'api_key.expiring', tenant, data, dedupeKey });
      }
      return untold.length;
    });
  }
}
