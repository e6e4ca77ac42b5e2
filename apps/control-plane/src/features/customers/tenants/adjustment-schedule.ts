import { type Adjustment, adjustmentSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { CarryOver } from '../../../platform/prisma/schema.js';

/** An adjustment as rows hold it: with what people want to know of it, and nodes do not need. */
export type StoredAdjustment = Adjustment & {
  /** What was sold or given, for people. */
  label: string;
  /** When it ends by itself, ISO 8601; null: when somebody ends it. */
  endsAt: string | null;
};

const storedFields = z.object({ label: z.string(), endsAt: z.iso.datetime().nullable() });

/** @throws Error for a column that holds none: nothing but a hand in the database writes one. */
export function readAdjustments(column: unknown): StoredAdjustment[] {
  return z
    .array(z.looseObject({}))
    .parse(column)
    .map(({ label, endsAt, ...adjustment }) => ({
      ...adjustmentSchema.parse(adjustment),
      ...storedFields.parse({ label, endsAt }),
    }));
}

/** An adjustment as nodes know it. */
export function toAdjustment({ label: _, endsAt: __, ...adjustment }: StoredAdjustment): Adjustment {
  return adjustment;
}

/** Whether two lists do the same to every limit, whatever they are called and whenever they end. */
export function doTheSame(a: readonly Adjustment[], b: readonly Adjustment[]): boolean {
  return a.length === b.length && effectsOf(a) === effectsOf(b);
}

/** What an adjustment does, and to which limits. */
export function effectOf({ source, api, limit, appliesTo, effect }: Adjustment): string {
  const { kind, ...numbers } = effect;
  return JSON.stringify([source, api, limit, appliesTo, kind, Object.entries(numbers).sort()]);
}

function effectsOf(adjustments: readonly Adjustment[]): string {
  return adjustments.map(effectOf).sort().join('\n');
}

/** An adjustment with the time that it is in force. */
export interface TimedAdjustment {
  adjustment: Omit<StoredAdjustment, 'endsAt'>;
  startsAt: Date;
  /** Null: until somebody ends it. */
  endsAt: Date | null;
  /** What becomes of what is used when it begins. */
  carryOver: CarryOver;
}

/** What is in force from a moment on. */
export interface PlannedStation {
  at: Date;
  carryOver: CarryOver;
  adjustments: StoredAdjustment[];
}

export interface Timeline {
  /** In force now. */
  current: StoredAdjustment[];
  /** In force later, soonest first; each differs from what is in force before it. */
  stations: PlannedStation[];
}

/**
 * Lays out what is in force when. An adjustment that goes on as another one that does the same, such as a renewal, is one
 * that lasts longer: nothing changes for anybody in between.
 */
export function layOut(adjustments: readonly TimedAdjustment[], now: Date): Timeline {
  const timed = joined(adjustments.filter(({ startsAt, endsAt }) => endsAt === null || endsAt > startsAt));
  const inForceAt = (at: Date) =>
    timed
      .filter(({ startsAt, endsAt }) => startsAt <= at && (endsAt === null || endsAt > at))
      .map(({ adjustment, endsAt }) => ({ ...adjustment, endsAt: endsAt?.toISOString() ?? null }));
  const current = inForceAt(now);
  const stations: PlannedStation[] = [];
  let before = current;
  for (const at of boundariesAfter(now, timed)) {
    const inForce = inForceAt(at);
    if (doTheSame(before, inForce)) continue;
    stations.push({ at, adjustments: inForce, carryOver: ruleAt(at, timed) });
    before = inForce;
  }
  return { current, stations };
}

function boundariesAfter(now: Date, timed: readonly TimedAdjustment[]): Date[] {
  const times = timed.flatMap(({ startsAt, endsAt }) => [startsAt.getTime(), endsAt?.getTime() ?? 0]);
  return [...new Set(times)]
    .filter((atMs) => atMs > now.getTime())
    .sort((a, b) => a - b)
    .map((atMs) => new Date(atMs));
}

/** The rule of what begins or ends at that moment; what is used is kept where several disagree. */
function ruleAt(at: Date, timed: readonly TimedAdjustment[]): CarryOver {
  const rules = timed.flatMap(({ startsAt, endsAt, carryOver }) => [
    ...(startsAt.getTime() === at.getTime() ? [carryOver] : []),
    ...(endsAt?.getTime() === at.getTime() ? [ruleOfEnd(carryOver)] : []),
  ]);
  const [first] = rules;
  return first !== undefined && rules.every((rule) => rule === first) ? first : CarryOver.KEEP;
}

/** Nobody gets anything back for an end: only what was put in proportion is put back. */
export function ruleOfEnd(carryOver: CarryOver): CarryOver {
  return carryOver === CarryOver.PROPORTIONAL ? CarryOver.PROPORTIONAL : CarryOver.KEEP;
}

/** Joins what does the same and follows without a gap, under the name of the first. */
function joined(adjustments: readonly TimedAdjustment[]): TimedAdjustment[] {
  const result: TimedAdjustment[] = [];
  const inOrder = [...adjustments].sort(
    (a, b) => a.startsAt.getTime() - b.startsAt.getTime() || (a.adjustment.id < b.adjustment.id ? -1 : 1),
  );
  for (const next of inOrder) {
    const place = result.findIndex(
      ({ adjustment, endsAt }) =>
        endsAt?.getTime() === next.startsAt.getTime() && effectOf(adjustment) === effectOf(next.adjustment),
    );
    const before = result[place];
    if (before === undefined) result.push(next);
    else result[place] = { ...before, endsAt: next.endsAt };
  }
  return result;
}
