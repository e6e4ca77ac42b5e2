import { Injectable } from '@nestjs/common';
import {
  CarryOver,
  type Subscription,
  type SubscriptionMove,
  type SubscriptionStation,
  type Tenant,
  TierVersionStatus,
} from '@tollgate/database';
import { periodAt } from '@tollgate/decision-plane/internals';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { type Tx } from '../../../platform/prisma/database.js';
import {
  doTheSame,
  layOut,
  type PlannedStation,
  readAdjustments,
  type TimedAdjustment,
} from './adjustment-schedule.js';
import { nextGeneration } from './subscription-generation.js';

/** How many of a subscription's moves nodes are told. */
const KEPT_MOVES = 4;

/** The longest that a quota's period lasts, a day more for a change of zone. */
const LONGEST_PERIOD_MS = 32 * 86_400_000;

/** A node whose clock is ahead may be on a planned station this long before its time. */
const CLOCKS_APART_MS = 60_000;

/** What a tenant's quotas go by. */
export type Calendar = Pick<Tenant, 'timeZone' | 'billingAnchorDay'>;

/** A tenant as it was before the change. */
export type Mover = Pick<Tenant, 'id'> & Calendar;

/** Where a subscription is; where it was, the newest first; and what is planned for it, soonest first. */
export interface Place {
  held: Subscription;
  version: number;
  moves: SubscriptionMove[];
  stations: SubscriptionStation[];
}

/** Finds where a tenant is now. Stations whose time has come are written down as what they are by then: moves. */
export async function findPlace(tx: Tx, tenant: Mover, now: Date): Promise<Place> {
  const { moves, stations, ...held } = await tx.subscription.findUniqueOrThrow({
    where: { tenantId: tenant.id },
    include: { moves: { orderBy: { at: 'desc' } }, stations: { orderBy: { at: 'asc' } } },
  });
  const version = held.pinnedVersionNumber ?? (await getPublished(tx, held.tierId));
  const due = stations.filter(({ at }) => at <= now);
  let place: Place = { held, version, moves, stations: stations.slice(due.length) };
  for (const { at, carryOver, generation, adjustments } of due) {
    // One that a publication held back had followed its tier until then.
    const number = Math.min(version, (await findPublishedAt(tx, held.tierId, at)) ?? version);
    const left = await leave(tx, tenant, { ...place, version: number }, carryOver, at);
    place = { ...left, version, held: { ...place.held, generation, adjustments } };
  }
  if (due.length === 0) return place;
  await tx.subscriptionStation.deleteMany({ where: { id: { in: due.map(({ id }) => id) } } });
  const { generation, adjustments } = place.held;
  await tx.subscription.update({
    where: { id: held.id },
    data: { generation, adjustments: adjustments as object[] },
  });
  return place;
}

/** Keeps what the subscription is on, in place of another move where they are too many. */
export async function leave(
  tx: Tx,
  { id: tenantId, timeZone, billingAnchorDay }: Mover,
  place: Place,
  carryOver: CarryOver,
  now: Date,
): Promise<Place> {
  const { held, version, moves } = place;
  const forgotten = movesInTheWay(moves, { timeZone, billingAnchorDay }, now);
  await tx.subscriptionMove.deleteMany({ where: { id: { in: forgotten.map(({ id }) => id) } } });
  const move = await tx.subscriptionMove.create({
    data: {
      id: newId('subscriptionMove'),
      tenantId,
      subscriptionId: held.id,
      tierId: held.tierId,
      versionNumber: version,
      generation: held.generation,
      carryOver,
      timeZone,
      billingAnchorDay,
      adjustments: held.adjustments as object[],
      // Later than any other, even within one millisecond: moves are told in this order.
      at: new Date(Math.max(now.getTime(), (moves[0]?.at.getTime() ?? 0) + 1)),
    },
  });
  return { ...place, moves: [move, ...moves.filter((old) => !forgotten.includes(old))] };
}

/** Plans what comes later, in place of all that was planned, from where the subscription is now. */
export async function planStations(
  tx: Tx,
  { held, version, moves, stations }: Place,
  planned: readonly PlannedStation[],
): Promise<void> {
  if (stations.length > 0) await tx.subscriptionStation.deleteMany({ where: { subscriptionId: held.id } });
  let marks = marksOf({ held, version, moves });
  // What was promised may be in use where a clock is ahead: the numbers are not used again.
  let above = Math.max(0, ...stations.map(({ generation }) => generation));
  const rows = planned.map(({ at, carryOver, adjustments }) => {
    const generation = nextGeneration(marks, version, above);
    above = generation;
    marks = [{ generation, version }, ...marks.slice(0, KEPT_MOVES - 1)];
    return {
      id: newId('subscriptionStation'),
      tenantId: held.tenantId,
      subscriptionId: held.id,
      at,
      generation,
      carryOver,
      adjustments,
    };
  });
  if (rows.length > 0) await tx.subscriptionStation.createMany({ data: rows });
}

/** The generation under which the subscription goes on at `next`. */
export function generationAfter(place: Place, next: number, now: Date): number {
  const { version, stations } = place;
  const [left, ...before] = marksOf(place);
  const early = stations
    .filter(({ at }) => at.getTime() - now.getTime() < CLOCKS_APART_MS)
    .map(({ generation }) => ({ generation, version }));
  const above = Math.max(0, ...stations.map(({ generation }) => generation));
  return nextGeneration([left, ...early.slice(0, 1), ...before], next, above);
}

type Marks = Parameters<typeof nextGeneration>[0];

function marksOf({ held, version, moves }: Pick<Place, 'held' | 'version' | 'moves'>): Marks {
  const kept = moves
    .slice(0, KEPT_MOVES - 1)
    .map(({ generation, versionNumber }) => ({ generation, version: versionNumber }));
  return [{ generation: held.generation, version }, ...kept];
}

/**
 * What has to be forgotten for one more move: the oldest that leaves nothing but what the one after it knows of the
 * calendar, as a forgotten calendar would be a second quota; else the oldest.
 */
export function movesInTheWay(
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

/** Whether a period that lasted when it was left may still last. */
export function isRecent({ at }: SubscriptionMove, now: Date): boolean {
  return now.getTime() - at.getTime() < LONGEST_PERIOD_MS;
}

/** Locked: were it archived meanwhile, nodes would carry over from another version than the tenant was on. */
async function getPublished(tx: Tx, tierId: string): Promise<number> {
  await tx.$queryRaw`SELECT 1 FROM "tier" WHERE "id" = ${tierId} FOR SHARE`;
  const { number } = await tx.tierVersion.findFirstOrThrow({
    where: { tierId, status: TierVersionStatus.PUBLISHED },
  });
  return number;
}

/** The version that was in force at that time. */
async function findPublishedAt(tx: Tx, tierId: string, at: Date): Promise<number | undefined> {
  const version = await tx.tierVersion.findFirst({
    where: { tierId, status: { not: TierVersionStatus.DRAFT }, publishedAt: { lte: at } },
    orderBy: { number: 'desc' },
    select: { number: true },
  });
  return version?.number;
}

/** What a subscription has that no publication holds back. */
export const NOT_HELD = { heldBack: false, followsAt: null, followCarryOver: null } as const;

/** Where a tenant moves to; `version` is the one in force when it is not pinned. */
export interface MoveTarget {
  tierId: string;
  version: number;
  isPinned: boolean;
}

/**
 * Moves of subscriptions between tiers, versions, calendars and adjustments. Every method works inside the transaction that
 * it is given.
 */
@Injectable()
export class SubscriptionsRepository {
  constructor(private readonly clock: Clock) {}

  /** Moves a tenant from now on, under a new generation, and keeps what it was on and the calendar that it went by. */
  async move(
    tx: Tx,
    tenant: Mover,
    { tierId, version, isPinned, carryOver }: MoveTarget & { carryOver: CarryOver },
  ): Promise<void> {
    const now = this.clock.now();
    const place = await findPlace(tx, tenant, now);
    const left = await leave(tx, tenant, place, carryOver, now);
    const held = await tx.subscription.update({
      where: { id: place.held.id },
      data: {
        tierId,
        pinnedVersionNumber: isPinned ? version : null,
        ...NOT_HELD,
        generation: generationAfter(place, version, now),
        ...(tierId === place.held.tierId ? {} : { since: left.moves[0]?.at ?? now }),
      },
    });
    await planStations(tx, { ...left, held, version }, plannedOf(place));
  }

  /**
   * Puts into force what changes a tenant's limits now, and plans what does later. Where it does the same as before, only
   * its names and ends are noted.
   * @param carryOver what becomes of what is used, if something changes now
   */
  async adjust(
    tx: Tx,
    tenant: Mover,
    adjustments: readonly TimedAdjustment[],
    carryOver: CarryOver,
  ): Promise<void> {
    const now = this.clock.now();
    let place = await findPlace(tx, tenant, now);
    const { current, stations } = layOut(adjustments, now);
    const isSame = doTheSame(readAdjustments(place.held.adjustments), current);
    const generation = isSame ? place.held.generation : generationAfter(place, place.version, now);
    if (!isSame) place = await leave(tx, tenant, place, carryOver, now);
    const held = await tx.subscription.update({
      where: { id: place.held.id },
      data: { generation, adjustments: current },
    });
    await planStations(tx, { ...place, held }, stations);
  }

  /**
   * Marks that a tenant goes by another calendar from now on, where it is: its quotas carry over what they counted, as
   * the period of the new calendar would be a second one otherwise. Going back and forth forgets nothing: where there is no
   * room for one more move, a calendar that is gone back to gets the generation back that it had.
   * @returns false, with nothing changed, where a calendar would be forgotten of which a period may still last
   */
  async changeCalendar(tx: Tx, tenant: Mover, next: Calendar): Promise<boolean> {
    const now = this.clock.now();
    const place = await findPlace(tx, tenant, now);
    const { moves, version } = place;
    const index = moves.findIndex((move) => isSameCalendar(move, next));
    const isBack = index >= 0 && moves.slice(0, index + 1).every((move) => isChangeOfCalendar(move, place));
    const [forgotten] = movesInTheWay(moves, tenant, now);
    const isFull = forgotten !== undefined && isNeeded(forgotten, place, tenant, now);
    if (isFull && !isBack && !isSameCalendar(forgotten, next)) return false;
    // An old generation looks old to a node that has not heard of the change: it is taken only where a new one would cost
    // the memory of a calendar whose period may still last. What such a node carries over once more, it keeps.
    const back = isFull && isBack ? moves[index] : undefined;
    if (back !== undefined) await tx.subscriptionMove.delete({ where: { id: back.id } });
    const remembered = { ...place, moves: moves.filter((move) => move !== back) };
    const left = await leave(tx, tenant, remembered, CarryOver.KEEP, now);
    const generation = back?.generation ?? generationAfter(place, version, now);
    const followsAt = await this.followsAtBy(tx, tenant.id, place.held, next);
    const data = { generation, followsAt };
    const held = await tx.subscription.update({ where: { id: place.held.id }, data });
    await planStations(tx, { ...left, held }, plannedOf(place));
    return true;
  }

  /** A tenant that waits for the end of its period waits for that of the new calendar, in billing time. */
  private async followsAtBy(
    tx: Tx,
    tenantId: string,
    { followsAt }: Place['held'],
    { timeZone, billingAnchorDay }: Calendar,
  ): Promise<Date | null> {
    const clock = await tx.testClock.findUnique({ where: { tenantId } });
    const now = clock?.now ?? this.clock.now();
    if (followsAt === null || followsAt <= now) return followsAt;
    return new Date(periodAt('billing', timeZone, billingAnchorDay, now.getTime()).endMs);
  }
}

/** What was planned goes on, under generations that follow the new one. */
function plannedOf({ stations }: Place): PlannedStation[] {
  return stations.map(({ at, carryOver, adjustments }) => ({
    at,
    carryOver,
    adjustments: readAdjustments(adjustments),
  }));
}

/** Whether a move is the only one that knows its calendar, of which a period may still last. */
function isNeeded(move: SubscriptionMove, { moves }: Place, calendar: Calendar, now: Date): boolean {
  const after = moves[moves.indexOf(move) - 1] ?? calendar;
  return isRecent(move, now) && !isSameCalendar(move, after);
}

function isChangeOfCalendar(move: SubscriptionMove, { held, version }: Place): boolean {
  return (
    move.tierId === held.tierId &&
    move.versionNumber === version &&
    move.carryOver === CarryOver.KEEP &&
    doTheSame(readAdjustments(move.adjustments), readAdjustments(held.adjustments))
  );
}
