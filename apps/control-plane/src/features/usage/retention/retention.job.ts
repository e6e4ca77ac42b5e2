import { Injectable } from '@nestjs/common';
import { AppConfig, type RetentionSettings } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import type { UsageInterval } from '../query/usage.graphql.js';
import { type AgingTable, CHUNK, RetentionRepository } from './retention.repository.js';

const DAY_MS = 86_400_000;

/** Crossed thresholds. */
const CROSSINGS_MS = 30 * DAY_MS;

/** Offenders name subjects: no longer than it takes to look into something. */
const OFFENDERS_MS = 7 * DAY_MS;

/** What is known of a process that tells nothing any more, and entries that could not be used. */
const TRACES_MS = 30 * DAY_MS;

/** Entries that could not be used, of all streams. */
const MAX_REJECTS = 1000;

/** Checkpoints after the end of their period: clocks differ. */
const CHECKPOINTS_MS = DAY_MS;

/** Since when usage is kept at this interval. */
export function keptSince(settings: RetentionSettings, interval: UsageInterval, now: Date): Date {
  const { minuteMs, hourMs, dayMs } = settings;
  const kept: Record<UsageInterval, number> = { MINUTE: minuteMs, HOUR: hourMs, DAY: dayMs };
  return new Date(now.getTime() - kept[interval]);
}

const HOUR_MS = 3_600_000;

/** Chunks of one kind in one run; the next run goes on. */
const MAX_CHUNKS = 100;

/** Lets go of what is kept for a time only. */
@Injectable()
@ScheduledJob({ name: 'usage-retention', everyMs: 60_000 })
export class UsageRetention {
  constructor(
    private readonly rows: RetentionRepository,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const { minuteMs, hourMs, dayMs, sampleMs, sampleRows } = this.config.retention;
    const ages: Record<AgingTable, number> = {
      usage_minute: minuteMs,
      usage_hour: hourMs,
      usage_day: dayMs,
      limit_crossing: CROSSINGS_MS,
      limit_offender: OFFENDERS_MS,
      decision_sample: sampleMs,
      quota_checkpoint: CHECKPOINTS_MS,
      usage_source: TRACES_MS,
      stream_reject: TRACES_MS,
    };
    for (const table of Object.keys(ages) as AgingTable[]) {
      const before = new Date(nowMs - ages[table]);
      await inChunks(() => this.rows.removeBefore(table, before));
    }
    await inChunks(() => this.rows.removeSamplesBeyond(sampleRows));
    await inChunks(() => this.rows.removeRejectsBeyond(MAX_REJECTS));
    const hourMsStart = nowMs - (nowMs % HOUR_MS);
    await inChunks(() =>
      this.rows.removeLesserOffenders(new Date(hourMsStart - 3 * HOUR_MS), new Date(hourMsStart)),
    );
  }
}

async function inChunks(remove: () => Promise<number>): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) if ((await remove()) < CHUNK) return;
}
