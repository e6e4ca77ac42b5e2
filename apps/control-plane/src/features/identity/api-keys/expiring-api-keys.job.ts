import { Injectable } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { ApiKeysRepository, type ExpiringKey } from './api-keys.repository.js';

const DAY_MS = 86_400_000;

/** Days before expiry at which the owners of a key are warned. */
export const WARNING_DAYS = [14, 3, 1] as const;

export const WARNING_SPAN_MS = Math.max(...WARNING_DAYS) * DAY_MS;

/** The smallest of `WARNING_DAYS` that has been reached, without those before the key was created. */
export function warningDue({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date }, now: Date) {
  if (expiresAt <= now) return undefined;
  return WARNING_DAYS.findLast((days) => {
    const atMs = expiresAt.getTime() - days * DAY_MS;
    return atMs <= now.getTime() && atMs > createdAt.getTime();
  });
}

export function warningKey(id: string, days: number): string {
  return `api_key.expiring:${id}:${days}`;
}

const CHUNK = 500;

/** Warns the owners once per key and element of `WARNING_DAYS`. */
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
    const notified = await this.keys.listNotified(due.map(({ dedupeKey }) => dedupeKey));
    const unnotified = due.filter(({ dedupeKey }) => !notified.has(dedupeKey));
    if (unnotified.length === 0) return;
    const caller = { actor: jobActor('expiring-api-keys'), requestId: newId('request') };
    await this.changes.run(caller, { reason: null }, async (change) => {
      for (const { key, days, dedupeKey } of unnotified) {
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
      return unnotified.length;
    });
  }
}
