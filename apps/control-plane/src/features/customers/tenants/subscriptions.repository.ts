import { Injectable } from '@nestjs/common';
import { CarryOver, type SubscriptionMove } from '@tollgate/database';
import { periodAt } from '@tollgate/decision-plane/internals';
import { Clock } from '../../../platform/clock.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { layOut, type PlannedStation, type TimedAdjustment } from './adjustment-timeline.js';
import { doTheSame, readAdjustments } from './stored-adjustment.js';
import {
  type Calendar,
  findPlace,
  generationAfter,
  isRecent,
  isSameCalendar,
  leave,
  type Mover,
  movesInTheWay,
  type Place,
  planStations,
} from './subscription-place.repository.js';

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
