import { Injectable } from '@nestjs/common';
import type { LimitPolicy } from '@tollgate/contracts';
import {
  CarryOver,
  type ScheduledChange,
  type Subscription,
  type SubscriptionMove,
  type Tenant,
  TierVersionStatus,
} from '@tollgate/database';
import { periodAt } from '@tollgate/decision-plane/internals';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { type Tx } from '../../../platform/prisma/database.js';
import {
  haveSameEffect,
  type PlannedChange,
  planSchedule,
  readAdjustments,
  type TimedAdjustment,
} from './adjustment-schedule.js';
import { nextGeneration } from './subscription-generation.js';
import { changesWithoutWarmUp, timedWarmUps, warmUpsOf, withoutWarmUp } from './warm-up.js';

/** Past states of a subscription that nodes keep. */
const KEPT_MOVES = 4;

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

/** Reads the current state of a subscription. Scheduled changes that are due are applied and stored as past states. */
export async function readState(tx: Tx, tenant: TenantCalendar, now: Date): Promise<SubscriptionState> {
  const { moves, scheduledChanges, ...subscription } = await tx.subscription.findUniqueOrThrow({
    where: { tenantId: tenant.id },
    include: { moves: { orderBy: { at: 'desc' } }, scheduledChanges: { orderBy: { at: 'asc' } } },
  });
  const version = subscription.pinnedVersionNumber ?? (await getPublished(tx, subscription.tierId));
  const due = scheduledChanges.filter(({ at }) => at <= now);
  let state: SubscriptionState = {
    subscription,
    version,
    moves,
    scheduled: scheduledChanges.slice(due.length),
  };
  for (const { at, carryOver, generation, adjustments } of due) {
    // A tenant pinned by a rollout followed its tier until then.
    const number = Math.min(version, (await findPublishedAt(tx, subscription.tierId, at)) ?? version);
    const left = await storePastState(tx, tenant, { ...state, version: number }, carryOver, at);
    state = { ...left, version, subscription: { ...state.subscription, generation, adjustments } };
  }
  if (due.length === 0) return state;
  await tx.scheduledChange.deleteMany({ where: { id: { in: due.map(({ id }) => id) } } });
  const { generation, adjustments } = state.subscription;
  await tx.subscription.update({
    where: { id: subscription.id },
    data: { generation, adjustments: adjustments as object[] },
  });
  return state;
}

/** Stores the current state as a past state, replacing an older one if there are too many. */
export async function storePastState(
  tx: Tx,
  { id: tenantId, timeZone, billingAnchorDay }: TenantCalendar,
  state: SubscriptionState,
  carryOver: CarryOver,
  now: Date,
): Promise<SubscriptionState> {
  const { subscription, version, moves } = state;
  const forgotten = findMovesToDelete(moves, { timeZone, billingAnchorDay }, now);
  await tx.subscriptionMove.deleteMany({ where: { id: { in: forgotten.map(({ id }) => id) } } });
  const move = await tx.subscriptionMove.create({
    data: {
      id: newId('subscriptionMove'),
      tenantId,
      subscriptionId: subscription.id,
      tierId: subscription.tierId,
      versionNumber: version,
      generation: subscription.generation,
      carryOver,
      timeZone,
      billingAnchorDay,
      adjustments: subscription.adjustments as object[],
      // Later than any other, even within one millisecond: nodes order past states by time.
      at: new Date(Math.max(now.getTime(), (moves[0]?.at.getTime() ?? 0) + 1)),
    },
  });
  return { ...state, moves: [move, ...moves.filter((old) => !forgotten.includes(old))] };
}

export async function scheduleChanges(
  tx: Tx,
  { subscription, version, moves, scheduled }: SubscriptionState,
  planned: readonly PlannedChange[],
): Promise<void> {
  if (scheduled.length > 0)
    await tx.scheduledChange.deleteMany({ where: { subscriptionId: subscription.id } });
  let marks = marksOf({ subscription, version, moves });
  // Nodes with clocks ahead may already use these generations, so they are not reused.
  let above = Math.max(0, ...scheduled.map(({ generation }) => generation));
  const rows = planned.map(({ at, carryOver, adjustments }) => {
    const generation = nextGeneration(marks, version, above);
    above = generation;
    marks = [{ generation, version }, ...marks.slice(0, KEPT_MOVES - 1)];
    return {
      id: newId('scheduledChange'),
      tenantId: subscription.tenantId,
      subscriptionId: subscription.id,
      at,
      generation,
      carryOver,
      adjustments,
    };
  });
  if (rows.length > 0) await tx.scheduledChange.createMany({ data: rows });
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

function marksOf({
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
export function isRecent({ at }: SubscriptionMove, now: Date): boolean {
  return now.getTime() - at.getTime() < LONGEST_PERIOD_MS;
}

/** Locks the tier: if the version were archived meanwhile, nodes would carry over from the wrong version. */
async function getPublished(tx: Tx, tierId: string): Promise<number> {
  await tx.$queryRaw`SELECT 1 FROM "tier" WHERE "id" = ${tierId} FOR SHARE`;
  const { number } = await tx.tierVersion.findFirstOrThrow({
    where: { tierId, status: TierVersionStatus.PUBLISHED },
  });
  return number;
}

async function findPublishedAt(tx: Tx, tierId: string, at: Date): Promise<number | undefined> {
  const version = await tx.tierVersion.findFirst({
    where: { tierId, status: { not: TierVersionStatus.DRAFT }, publishedAt: { lte: at } },
    orderBy: { number: 'desc' },
    select: { number: true },
  });
  return version?.number;
}

/** Fields of a subscription that no rollout pins. */
export const NOT_PINNED_BY_ROLLOUT = {
  pinnedByRollout: false,
  followsAt: null,
  followCarryOver: null,
} as const;

/** Target of a tier change; `version` is the published one unless pinned. */
export interface MoveTarget {
  tierId: string;
  version: number;
  isPinned: boolean;
}

/**
 * Changes the tier, version, calendar and adjustments of subscriptions, inside the transaction of the caller.
 */
@Injectable()
export class SubscriptionsRepository {
  constructor(private readonly clock: Clock) {}

  /** Changes tier or version under a new generation, and stores the previous state with its calendar. */
  async move(
    tx: Tx,
    tenant: TenantCalendar,
    { tierId, version, isPinned, carryOver }: MoveTarget & { carryOver: CarryOver },
  ): Promise<void> {
    const now = this.clock.now();
    const state = await readState(tx, tenant, now);
    const left = await storePastState(tx, tenant, state, carryOver, now);
    const isSameTier = tierId === state.subscription.tierId;
    // The ramp of a new tenant ends with its first change of tier.
    const adjustments = withoutWarmUp(readAdjustments(state.subscription.adjustments));
    const subscription = await tx.subscription.update({
      where: { id: state.subscription.id },
      data: {
        tierId,
        pinnedVersionNumber: isPinned ? version : null,
        ...NOT_PINNED_BY_ROLLOUT,
        generation: generationAfter(state, version, now),
        ...(isSameTier ? {} : { since: left.moves[0]?.at ?? now, warmUp: [], adjustments }),
      },
    });
    const planned = scheduledChangesOf(state);
    const kept = isSameTier ? planned : changesWithoutWarmUp(adjustments, planned);
    await scheduleChanges(tx, { ...left, subscription, version }, kept);
  }

  /** Starts the ramps of a tenant that was just created with these limits. */
  async warmUp(tx: Tx, tenant: TenantCalendar, limits: readonly LimitPolicy[]): Promise<void> {
    const now = this.clock.now();
    const warmUp = warmUpsOf(limits, now);
    if (warmUp.length === 0) return;
    const { current, later } = planSchedule(timedWarmUps(warmUp), now);
    await tx.subscription.update({ where: { tenantId: tenant.id }, data: { warmUp, adjustments: current } });
    await scheduleChanges(tx, await readState(tx, tenant, now), later);
  }

  /**
   * Applies the adjustments in effect now and schedules later ones. If their effect is unchanged, only labels and ends are
   * updated.
   * @param carryOver carry-over of existing usage, if the limits change now
   */
  async adjust(
    tx: Tx,
    tenant: TenantCalendar,
    adjustments: readonly TimedAdjustment[],
    carryOver: CarryOver,
  ): Promise<void> {
    const now = this.clock.now();
    let state = await readState(tx, tenant, now);
    const { current, later } = planSchedule(adjustments, now);
    const isSame = haveSameEffect(readAdjustments(state.subscription.adjustments), current);
    const generation = isSame ? state.subscription.generation : generationAfter(state, state.version, now);
    if (!isSame) state = await storePastState(tx, tenant, state, carryOver, now);
    const subscription = await tx.subscription.update({
      where: { id: state.subscription.id },
      data: { generation, adjustments: current },
    });
    await scheduleChanges(tx, { ...state, subscription }, later);
  }

  /**
   * Changes the calendar of a tenant. Quotas carry over their usage, because the period of the new calendar would otherwise be
   * a second quota. If there is no room for one more past state, switching back to an earlier calendar reuses its generation.
   * @returns false, with nothing changed, if a calendar with an open period would be lost
   */
  async changeCalendar(tx: Tx, tenant: TenantCalendar, next: Calendar): Promise<boolean> {
    const now = this.clock.now();
    const state = await readState(tx, tenant, now);
    const { moves, version } = state;
    const index = moves.findIndex((move) => isSameCalendar(move, next));
    const isBack = index >= 0 && moves.slice(0, index + 1).every((move) => isChangeOfCalendar(move, state));
    const [forgotten] = findMovesToDelete(moves, tenant, now);
    const isFull = forgotten !== undefined && isNeeded(forgotten, state, tenant, now);
    if (isFull && !isBack && !isSameCalendar(forgotten, next)) return false;
    // A node without the change treats an old generation as outdated, so one is reused only if a new one would lose a calendar
    // whose period may still be open.
    const back = isFull && isBack ? moves[index] : undefined;
    if (back !== undefined) await tx.subscriptionMove.delete({ where: { id: back.id } });
    const remembered = { ...state, moves: moves.filter((move) => move !== back) };
    const left = await storePastState(tx, tenant, remembered, CarryOver.KEEP, now);
    const generation = back?.generation ?? generationAfter(state, version, now);
    const followsAt = await this.followsAtBy(tx, tenant.id, state.subscription, next);
    const data = { generation, followsAt };
    const subscription = await tx.subscription.update({ where: { id: state.subscription.id }, data });
    await scheduleChanges(tx, { ...left, subscription }, scheduledChangesOf(state));
    return true;
  }

  /** A tenant pinned by a rollout waits for the end of the period of the new calendar, in billing time. */
  private async followsAtBy(
    tx: Tx,
    tenantId: string,
    { followsAt }: SubscriptionState['subscription'],
    { timeZone, billingAnchorDay }: Calendar,
  ): Promise<Date | null> {
    const clock = await tx.testClock.findUnique({ where: { tenantId } });
    const now = clock?.now ?? this.clock.now();
    if (followsAt === null || followsAt <= now) return followsAt;
    return new Date(periodAt('billing', timeZone, billingAnchorDay, now.getTime()).endMs);
  }
}

/** The scheduled changes, to be stored under generations above the new one. */
function scheduledChangesOf({ scheduled }: SubscriptionState): PlannedChange[] {
  return scheduled.map(({ at, carryOver, adjustments }) => ({
    at,
    carryOver,
    adjustments: readAdjustments(adjustments),
  }));
}

/** Whether a past state is the only one with its calendar, whose period may still be open. */
function isNeeded(
  move: SubscriptionMove,
  { moves }: SubscriptionState,
  calendar: Calendar,
  now: Date,
): boolean {
  const after = moves[moves.indexOf(move) - 1] ?? calendar;
  return isRecent(move, now) && !isSameCalendar(move, after);
}

function isChangeOfCalendar(move: SubscriptionMove, { subscription, version }: SubscriptionState): boolean {
  return (
    move.tierId === subscription.tierId &&
    move.versionNumber === version &&
    move.carryOver === CarryOver.KEEP &&
    haveSameEffect(readAdjustments(move.adjustments), readAdjustments(subscription.adjustments))
  );
}
