import { CarryOver } from '../../../platform/prisma/schema.js';
import { doTheSame, effectOf, type StoredAdjustment } from './stored-adjustment.js';

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
