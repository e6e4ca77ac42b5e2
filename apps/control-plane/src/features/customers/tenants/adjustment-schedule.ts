import { type Adjustment, adjustmentSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { CarryOver } from '../../../platform/prisma/schema.js';

/** An adjustment as stored: with a label and an end, which nodes do not need. */
export type StoredAdjustment = Adjustment & {
  label: string;
  /** When it ends automatically, ISO 8601; null: when it is ended manually. */
  endsAt: string | null;
};

const storedFields = z.object({ label: z.string(), endsAt: z.iso.datetime().nullable() });

/** @throws Error if the column is invalid, which only a manual edit of the database can cause. */
export function readAdjustments(column: unknown): StoredAdjustment[] {
  return z
    .array(z.looseObject({}))
    .parse(column)
    .map(({ label, endsAt, ...adjustment }) => ({
      ...adjustmentSchema.parse(adjustment),
      ...storedFields.parse({ label, endsAt }),
    }));
}

export function toAdjustment({ label: _, endsAt: __, ...adjustment }: StoredAdjustment): Adjustment {
  return adjustment;
}

/** Whether two lists have the same effect on every limit, ignoring labels and ends. */
export function haveSameEffect(a: readonly Adjustment[], b: readonly Adjustment[]): boolean {
  return a.length === b.length && effectsOf(a) === effectsOf(b);
}

/** The effect and the target of an adjustment, as text to compare. */
export function effectOf({ source, api, limit, appliesTo, effect }: Adjustment): string {
  const { kind, ...numbers } = effect;
  return JSON.stringify([source, api, limit, appliesTo, kind, Object.entries(numbers).sort()]);
}

function effectsOf(adjustments: readonly Adjustment[]): string {
  return adjustments.map(effectOf).sort().join('\n');
}

export interface TimedAdjustment {
  adjustment: Omit<StoredAdjustment, 'endsAt'>;
  startsAt: Date;
  /** Null: until it is ended manually. */
  endsAt: Date | null;
  /** Carry-over of existing usage at its start. */
  carryOver: CarryOver;
}

/** The adjustments in effect from a time on. */
export interface PlannedChange {
  at: Date;
  carryOver: CarryOver;
  adjustments: StoredAdjustment[];
}

export interface Timeline {
  current: StoredAdjustment[];
  /** Later changes, soonest first; each differs from the one before. */
  later: PlannedChange[];
}

/**
 * Computes the schedule of adjustments. An adjustment followed without a gap by one with the same effect, such as a renewal,
 * counts as one that lasts longer: nothing changes in between.
 */
export function planSchedule(adjustments: readonly TimedAdjustment[], now: Date): Timeline {
  const timed = joined(adjustments.filter(({ startsAt, endsAt }) => endsAt === null || endsAt > startsAt));
  const inForceAt = (at: Date) =>
    timed
      .filter(({ startsAt, endsAt }) => startsAt <= at && (endsAt === null || endsAt > at))
      .map(({ adjustment, endsAt }) => ({ ...adjustment, endsAt: endsAt?.toISOString() ?? null }));
  const current = inForceAt(now);
  const later: PlannedChange[] = [];
  let before = current;
  for (const at of boundariesAfter(now, timed)) {
    const inForce = inForceAt(at);
    if (haveSameEffect(before, inForce)) continue;
    later.push({ at, adjustments: inForce, carryOver: ruleAt(at, timed) });
    before = inForce;
  }
  return { current, later };
}

function boundariesAfter(now: Date, timed: readonly TimedAdjustment[]): Date[] {
  const times = timed.flatMap(({ startsAt, endsAt }) => [startsAt.getTime(), endsAt?.getTime() ?? 0]);
  return [...new Set(times)]
    .filter((atMs) => atMs > now.getTime())
    .sort((a, b) => a - b)
    .map((atMs) => new Date(atMs));
}

/** The carry-over rule of adjustments that start or end at that time; KEEP if they differ. */
function ruleAt(at: Date, timed: readonly TimedAdjustment[]): CarryOver {
  const rules = timed.flatMap(({ startsAt, endsAt, carryOver }) => [
    ...(startsAt.getTime() === at.getTime() ? [carryOver] : []),
    ...(endsAt?.getTime() === at.getTime() ? [ruleOfEnd(carryOver)] : []),
  ]);
  const [first] = rules;
  return first !== undefined && rules.every((rule) => rule === first) ? first : CarryOver.KEEP;
}

/** The carry-over rule at the end of an adjustment: usage is kept, or scaled back if it was scaled at the start. */
export function ruleOfEnd(carryOver: CarryOver): CarryOver {
  return carryOver === CarryOver.PROPORTIONAL ? CarryOver.PROPORTIONAL : CarryOver.KEEP;
}

/** Merges consecutive adjustments with the same effect, under the id of the first. */
function joined(adjustments: readonly TimedAdjustment[]): TimedAdjustment[] {
  const result: TimedAdjustment[] = [];
  const inOrder = [...adjustments].sort(
    (a, b) => a.startsAt.getTime() - b.startsAt.getTime() || (a.adjustment.id < b.adjustment.id ? -1 : 1),
  );
  for (const next of inOrder) {
    const index = result.findIndex(
      ({ adjustment, endsAt }) =>
        endsAt?.getTime() === next.startsAt.getTime() && effectOf(adjustment) === effectOf(next.adjustment),
    );
    const before = result[index];
    if (before === undefined) result.push(next);
    else result[index] = { ...before, endsAt: next.endsAt };
  }
  return result;
}
