import {
  CarryOver,
  type ScheduledChange,
  type Subscription,
  type SubscriptionMove,
  type Tenant,
} from '../../../platform/prisma/schema.js';
import { haveSameEffect, type PlannedChange, readAdjustments } from './adjustment-schedule.js';
import { nextGeneration } from './subscription-generation.js';

/** Past states of a subscription that nodes keep. */
export const KEPT_MOVES = 4;

/** The longest that a quota's period lasts, a day more for a change of zone. */
const LONGEST_PERIOD_MS = 32 * 86_400_000;

/** A node whose clock is ahead may apply a scheduled change this much early. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** Time zone and billing day: the calendar of a tenant's quotas. */
export type Calendar = Pick<Tenant, 'timeZone' | 'billingAnchorDay'>;

export type TenantCalendar = Pick<Tenant, 'id'> & Calendar;

/** State of a subscription: the current row and version, past states (newest first) and scheduled changes (soonest first). */
export interface SubscriptionState {
  subscription: Subscription;
  version: number;
  moves: SubscriptionMove[];
  scheduled: ScheduledChange[];
}

/** The generation of the subscription for version `next`. */
export function generationAfter(state: SubscriptionState, next: number, now: Date): number {
  const { version, scheduled } = state;
  const [left, ...before] = marksOf(state);
  const early = scheduled
    .filter(({ at }) => at.getTime() - now.getTime() < MAX_CLOCK_SKEW_MS)
    .map(({ generation }) => ({ generation, version }));
  const above = Math.max(0, ...scheduled.map(({ generation }) => generation));
  return nextGeneration([left, ...early.slice(0, 1), ...before], next, above);
}

type Marks = Parameters<typeof nextGeneration>[0];

export function marksOf({
  subscription,
  version,
  moves,
}: Pick<SubscriptionState, 'subscription' | 'version' | 'moves'>): Marks {
  const kept = moves
    .slice(0, KEPT_MOVES - 1)
    .map(({ generation, versionNumber }) => ({ generation, version: versionNumber }));
  return [{ generation: subscription.generation, version }, ...kept];
}

/**
 * The past states to delete to make room for one more: the oldest whose calendar is known from a later state, because losing
 * a calendar would grant a second quota; otherwise the oldest.
 */
export function findMovesToDelete(
  moves: readonly SubscriptionMove[],
  calendar: Calendar,
  now: Date,
): SubscriptionMove[] {
  const forgotten: SubscriptionMove[] = [];
  let kept = [...moves];
  while (kept.length >= KEPT_MOVES) {
    const isDispensable = (move: SubscriptionMove, i: number) =>
      !isRecent(move, now) || isSameCalendar(move, kept[i - 1] ?? calendar);
    const oldest = kept.findLast(isDispensable) ?? (kept.at(-1) as SubscriptionMove);
    forgotten.push(oldest);
    kept = kept.filter((move) => move !== oldest);
  }
  return forgotten;
}

export function isSameCalendar(a: Calendar, b: Calendar): boolean {
  return a.timeZone === b.timeZone && a.billingAnchorDay === b.billingAnchorDay;
}

/** Whether a quota period of that past state may still be open. */
function isRecent({ at }: SubscriptionMove, now: Date): boolean {
  return now.getTime() - at.getTime() < LONGEST_PERIOD_MS;
}

/** The scheduled changes, to be stored under generations above the new one. */
export function scheduledChangesOf({ scheduled }: SubscriptionState): PlannedChange[] {
  return scheduled.map(({ at, carryOver, adjustments }) => ({
    at,
    carryOver,
    adjustments: readAdjustments(adjustments),
  }));
}

/** Whether a past state is the only one with its calendar, whose period may still be open. */
export function isNeeded(
  move: SubscriptionMove,
  { moves }: SubscriptionState,
  calendar: Calendar,
  now: Date,
): boolean {
  const after = moves[moves.indexOf(move) - 1] ?? calendar;
  return isRecent(move, now) && !isSameCalendar(move, after);
}

export function isChangeOfCalendar(
  move: SubscriptionMove,
  { subscription, version }: SubscriptionState,
): boolean {
  return (
    move.tierId === subscription.tierId &&
    move.versionNumber === version &&
    move.carryOver === CarryOver.KEEP &&
    haveSameEffect(readAdjustments(move.adjustments), readAdjustments(subscription.adjustments))
  );
}
