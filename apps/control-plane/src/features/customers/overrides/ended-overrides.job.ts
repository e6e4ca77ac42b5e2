import { Injectable } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { OverrideKind } from '../../../platform/prisma/schema.js';
import { endNoticeKey, OverridesRepository } from './overrides.repository.js';

/** How far back it looks: longer than workers are ever down. */
const LOOK_BACK_MS = 7 * 86_400_000;

/**
 * Tells people that an override or boost has ended. The end itself needs nobody: nodes know it in advance. Each is told once,
 * however often this runs.
 */
@ScheduledJob({ name: 'ended-overrides', everyMs: 10_000 })
@Injectable()
export class EndedOverridesJob {
  constructor(
    private readonly overrides: OverridesRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    const ended = await this.overrides.listUntold(new Date(now.getTime() - LOOK_BACK_MS), now);
    if (ended.length === 0) return;
    const caller = { actor: jobActor('ended-overrides'), requestId: newId('request') };
    await this.changes.run(caller, { reason: null }, async (change) => {
      for (const { id, kind, tenant, apiKey, limitName, endsAt } of ended) {
        await change.notify({
          kind: kind === OverrideKind.BOOST ? 'boost.ended' : 'override.expired',
          tenant,
          data: {
            tenant: tenant.key,
            overrideId: id,
            api: apiKey,
            limit: limitName,
            endedAt: endsAt?.toISOString() ?? null,
          },
          dedupeKey: endNoticeKey({ id }),
        });
      }
      return ended.length;
    });
  }
}
