import {
  type Subscription,
  type SubscriptionMove,
  type SubscriptionStation,
  type Tenant,
  TierVersionStatus,
} from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';
import type { CarryOver } from '../../../platform/prisma/schema.js';
import type { PlannedStation } from './adjustment-timeline.js';
import { nextGeneration } from './subscription-mark.js';

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
