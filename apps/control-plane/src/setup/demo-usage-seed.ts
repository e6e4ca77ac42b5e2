import { Injectable } from '@nestjs/common';
import type { UsageFrame, UsageRow } from '@tollgate/contracts';
import { UsageIngest } from '../features/usage/index.js';
import { Clock } from '../platform/clock.js';
import type { DemoData } from './demo-data.js';

const HOUR_MS = 3_600_000;
const HOURS = 14 * 24;

/** What one node could tell at once. */
const HOURS_PER_FRAME = 24;

/** Tells two weeks of usage, as if a node had been there: charts of a new demo are not empty. */
@Injectable()
export class DemoUsageSeed {
  constructor(
    private readonly ingest: UsageIngest,
    private readonly clock: Clock,
  ) {}

  /** Run again, it adds nothing: these frames were counted. */
  async run(usage: DemoData['usage']): Promise<void> {
    const end = Math.floor(this.clock.now().getTime() / HOUR_MS);
    const hour = end - HOURS;
    const frames: UsageFrame[] = [];
    for (let first = 0; first < HOURS; first += HOURS_PER_FRAME) {
      const hours = Array.from({ length: HOURS_PER_FRAME }, (_, i) => hour + first + i);
      frames.push({
        nodeId: 'demo',
        epoch: 'history',
        sequence: first / HOURS_PER_FRAME + 1,
        atMs: (hour + first + HOURS_PER_FRAME) * HOUR_MS,
        rows: usage.flatMap((one) =>
          hours.filter((at) => at >= end - (one.lastHours ?? HOURS)).flatMap((at) => rowsOf(one, at)),
        ),
      });
    }
    await this.ingest.add(frames);
  }
}

/** Busy by day and quiet by night and at weekends, and the same at every set-up of one hour. */
function rowsOf(
  { perHour, deniedPercent, lastHours: _, ...names }: DemoData['usage'][number],
  hour: number,
): UsageRow[] {
  const date = new Date(hour * HOUR_MS);
  const byHour = 1 - Math.cos(((date.getUTCHours() - 2) / 24) * 2 * Math.PI);
  const byDay = [0, 6].includes(date.getUTCDay()) ? 0.4 : 1;
  const count = Math.round(perHour * byHour * byDay * (0.8 + ((hour * 37) % 41) / 100));
  const denied = Math.floor((count * deniedPercent * byHour) / 100);
  const row = (outcome: UsageRow['outcome'], of: number): UsageRow[] =>
    of === 0 ? [] : [{ ...names, outcome, minute: hour * 60 + (hour % 60), count: of, units: of }];
  return [...row('allowed', count - denied), ...row('denied', denied)];
}
