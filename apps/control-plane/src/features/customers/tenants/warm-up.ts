import { type LimitPolicy, warmUpSchema, warmUpSteps } from '@tollgate/contracts';
import * as z from 'zod';
import { CarryOver } from '../../../platform/prisma/schema.js';
import {
  haveSameEffect,
  type PlannedChange,
  type StoredAdjustment,
  type TimedAdjustment,
} from './adjustment-schedule.js';

const storedSchema = warmUpSchema.extend({ api: z.string(), limit: z.string(), from: z.iso.datetime() });

/** The ramp of one limit of a tenant, as stored with its subscription. */
type StoredWarmUp = z.infer<typeof storedSchema>;

/** The ramps of a tenant that is created now with these limits. */
export function warmUpsOf(limits: readonly LimitPolicy[], now: Date): StoredWarmUp[] {
  return limits.flatMap(({ api, name, warmUp }) =>
    warmUp === undefined ? [] : [{ ...warmUp, api, limit: name, from: now.toISOString() }],
  );
}

/** The steps of a subscription's ramps. @throws Error if the column is invalid, which only a manual edit of the database can cause */
export function timedWarmUps(column: unknown): TimedAdjustment[] {
  return z
    .array(storedSchema)
    .parse(column)
    .flatMap(({ api, limit, from, ...warmUp }, ramp) =>
      warmUpSteps(warmUp).map(({ percent, fromMs, untilMs }, step) => ({
        adjustment: {
          id: `warm-up-${ramp}-${step}`,
          source: 'warm_up' as const,
          label: 'Warm-up',
          api,
          limit,
          effect: { kind: 'multiply' as const, percent },
        },
        startsAt: new Date(Date.parse(from) + fromMs),
        endsAt: new Date(Date.parse(from) + untilMs),
        carryOver: CarryOver.KEEP,
      })),
    );
}

/** When the ramp of a step ends. @param adjustments current and scheduled ones */
export function warmUpEnd(step: StoredAdjustment, adjustments: Iterable<StoredAdjustment>): string | null {
  const ends = [...adjustments]
    .filter(({ source, api, limit }) => source === 'warm_up' && api === step.api && limit === step.limit)
    .flatMap(({ endsAt }) => endsAt ?? []);
  return ends.sort().at(-1) ?? step.endsAt;
}

export const withoutWarmUp = (adjustments: readonly StoredAdjustment[]): StoredAdjustment[] =>
  adjustments.filter(({ source }) => source !== 'warm_up');

/** Scheduled changes without those of ramps. @param current adjustments without ramps */
export function changesWithoutWarmUp(
  current: readonly StoredAdjustment[],
  planned: readonly PlannedChange[],
): PlannedChange[] {
  let before = current;
  return planned.flatMap((change) => {
    const adjustments = withoutWarmUp(change.adjustments);
    if (haveSameEffect(before, adjustments)) return [];
    before = adjustments;
    return [{ ...change, adjustments }];
  });
}
