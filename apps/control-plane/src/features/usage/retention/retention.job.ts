import { Injectable } from '@nestjs/common';
import { AppConfig, type RetentionSettings } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import type { UsageInterval } from '../query/usage.graphql.js';
import { type AgingTable, CHUNK, RetentionRepository } from './retention.repository.js';

const DAY_MS = 86_400_000;

/** Retention of crossed thresholds. */
const CROSSINGS_MS = 30 * DAY_MS;

/** Retention of offenders, which identify subjects. */
const OFFENDERS_MS = 7 * DAY_MS;

/** Retention of the usage of limits: charts show a day, quotas end their period first. */
const PEAKS_MS = 2 * DAY_MS;

/** Retention of inactive node processes and unusable entries. */
const TRACES_MS = 30 * DAY_MS;

/** Unusable entries kept, over all streams. */
const MAX_REJECTS = 1000;

/** Retention of checkpoints after their period, to tolerate clock differences. */
const CHECKPOINTS_MS = DAY_MS;

/** Start of the stored usage at an interval. */
export function keptSince(settings: RetentionSettings, interval: UsageInterval, now: Date): Date {
  const { minuteMs, hourMs, dayMs } = settings;
  const kept: Record<UsageInterval, number> = { MINUTE: minuteMs, HOUR: hourMs, DAY: dayMs };
  return new Date(now.getTime() - kept[interval]);
}

const HOUR_MS = 3_600_000;

/** Chunks per kind and run. */
const MAX_CHUNKS = 100;

/** Deletes expired usage data. */
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
      traffic_minute: hourMs,
      usage_peak: hourMs,
      limit_crossing: CROSSINGS_MS,
      limit_offender: OFFENDERS_MS,
      limit_peak: PEAKS_MS,
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
