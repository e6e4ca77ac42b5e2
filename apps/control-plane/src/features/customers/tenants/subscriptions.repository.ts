import { Injectable } from '@nestjs/common';
import type { LimitPolicy } from '@tollgate/contracts';
import { CarryOver, TierVersionStatus } from '@tollgate/database';
import { periodAt } from '@tollgate/limiter/algorithms';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { type Tx } from '../../../platform/prisma/database.js';
import {
  haveSameEffect,
  planSchedule,
  readAdjustments,
  type TimedAdjustment,
} from './adjustment-schedule.js';
import {
  type Calendar,
  findMovesToDelete,
  generationAfter,
  isChangeOfCalendar,
  isNeeded,
  isSameCalendar,
  type SubscriptionState,
  scheduledChangesOf,
  type TenantCalendar,
} from './subscription-state.js';
import { SubscriptionWrites } from './subscription-writes.repository.js';
import { changesWithoutWarmUp, timedWarmUps, warmUpsOf, withoutWarmUp } from './warm-up.js';

/**
 * Reads the current states of subscriptions by tenant id. Scheduled changes that are due are applied and added to `writes` as past
 * states.
 */
async function readStates(
  tx: Tx,
  writes: SubscriptionWrites,
  tenants: readonly TenantCalendar[],
  now: Date,
): Promise<Map<string, SubscriptionState>> {
  const rows = await tx.subscription.findMany({
    where: { tenantId: { in: tenants.map(({ id }) => id) } },
    include: { moves: { orderBy: { at: 'desc' } }, scheduledChanges: { orderBy: { at: 'asc' } } },
  });
  const following = rows.filter(({ pinnedVersionNumber }) => pinnedVersionNumber === null);
  const published = await lockPublished(tx, following);
  const calendars = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  const states = new Map<string, SubscriptionState>();
  for (const { moves, scheduledChanges, ...subscription } of rows) {
    const version = subscription.pinnedVersionNumber ?? published.get(subscription.tierId);
    const tenant = calendars.get(subscription.tenantId);
    if (version === undefined || tenant === undefined)
      throw new Error('A followed tier has no published version');
    const state = { subscription, version, moves, scheduled: scheduledChanges };
    states.set(tenant.id, await applyDue(tx, writes, tenant, state, now));
  }
  return states;
}

async function applyDue(
  tx: Tx,
  writes: SubscriptionWrites,
  tenant: TenantCalendar,
  before: SubscriptionState,
  now: Date,
): Promise<SubscriptionState> {
  const due = before.scheduled.filter(({ at }) => at <= now);
  if (due.length === 0) return before;
  const { version } = before;
  const { tierId } = before.subscription;
  let state: SubscriptionState = { ...before, scheduled: before.scheduled.slice(due.length) };
  for (const { at, carryOver, generation, adjustments } of due) {
    // A tenant pinned by a rollout followed its tier until then.
    const number = Math.min(version, (await findPublishedAt(tx, tierId, at)) ?? version);
    const left = writes.storePastState(tenant, { ...state, version: number }, carryOver, at);
    state = writes.update({ ...left, version }, { generation, adjustments });
  }
  writes.unschedule(due);
  return state;
}

/** Published versions by tier id. Locks the tiers: if a version were archived meanwhile, nodes would carry over from the wrong one. */
async function lockPublished(tx: Tx, of: readonly { tierId: string }[]): Promise<Map<string, number>> {
  const tierIds = [...new Set(of.map(({ tierId }) => tierId))];
  if (tierIds.length === 0) return new Map();
  await tx.$executeRaw`SELECT 1 FROM "tier" WHERE "id" = ANY(${tierIds}::text[]) ORDER BY "id" FOR SHARE`;
  const versions = await tx.tierVersion.findMany({
    where: { tierId: { in: tierIds }, status: TierVersionStatus.PUBLISHED },
    select: { tierId: true, number: true },
  });
  return new Map(versions.map(({ tierId, number }) => [tierId, number]));
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

interface NewSubscription {
  tenant: TenantCalendar;
  tierId: string;
  /** Limits of its published version. */
  limits: readonly LimitPolicy[];
}

interface Move {
  tenant: TenantCalendar;
  target: MoveTarget;
  carryOver: CarryOver;
}

interface Readjustment {
  tenant: TenantCalendar;
  adjustments: readonly TimedAdjustment[];
  /** Carry-over of existing usage, if the limits change now. */
  carryOver: CarryOver;
}

/**
 * Changes the tier, version, calendar and adjustments of subscriptions of locked tenants, inside the transaction of the caller. The
 * number of statements does not grow with the tenants of a call.
 */
@Injectable()
export class SubscriptionsRepository {
  constructor(private readonly clock: Clock) {}

  /** Subscribes new tenants, and starts the ramps of their limits. */
  async create(tx: Tx, subscriptions: readonly NewSubscription[]): Promise<void> {
    const now = this.clock.now();
    const created = subscriptions.map(({ tenant, tierId, limits }) => {
      const warmUp = warmUpsOf(limits, now);
      const { current, later } = planSchedule(timedWarmUps(warmUp), now);
      const ids = { id: newId('subscription'), tenantId: tenant.id, tierId };
      return { row: { ...ids, warmUp, adjustments: current }, later };
    });
    await tx.subscription.createMany({ data: created.map(({ row }) => row) });
    const ramps = new Map(
      created.flatMap(({ row, later }) => (later.length === 0 ? [] : [[row.tenantId, later] as const])),
    );
    if (ramps.size === 0) return;
    const writes = new SubscriptionWrites();
    const tenants = subscriptions.flatMap(({ tenant }) => (ramps.has(tenant.id) ? [tenant] : []));
    const states = await readStates(tx, writes, tenants, now);
    for (const [tenantId, state] of states) writes.schedule(state, ramps.get(tenantId) ?? []);
    await writes.flush(tx);
  }

  /** Changes tiers or versions under new generations, and stores the previous states with their calendars. */
  async move(tx: Tx, moves: readonly Move[]): Promise<void> {
    await this.change(tx, moves, ({ tenant, target, carryOver }, state, writes, now) => {
      const { tierId, version, isPinned } = target;
      const left = writes.storePastState(tenant, state, carryOver, now);
      const isSameTier = tierId === state.subscription.tierId;
      // The ramp of a new tenant ends with its first change of tier.
      const adjustments = withoutWarmUp(readAdjustments(state.subscription.adjustments));
      const next = writes.update(left, {
        tierId,
        pinnedVersionNumber: isPinned ? version : null,
        ...NOT_PINNED_BY_ROLLOUT,
        generation: generationAfter(state, version, now),
        ...(isSameTier ? {} : { since: left.moves[0]?.at ?? now, warmUp: [], adjustments }),
      });
      const planned = scheduledChangesOf(state);
      const kept = isSameTier ? planned : changesWithoutWarmUp(adjustments, planned);
      writes.schedule({ ...next, version }, kept);
    });
  }

  /**
   * Applies the adjustments in effect now and schedules later ones. If their effect is unchanged, only labels and ends are
   * updated.
   */
  async adjust(tx: Tx, readjustments: readonly Readjustment[]): Promise<void> {
    await this.change(tx, readjustments, ({ tenant, adjustments, carryOver }, state, writes, now) => {
      const { current, later } = planSchedule(adjustments, now);
      const isSame = haveSameEffect(readAdjustments(state.subscription.adjustments), current);
      const generation = isSame ? state.subscription.generation : generationAfter(state, state.version, now);
      const left = isSame ? state : writes.storePastState(tenant, state, carryOver, now);
      writes.schedule(writes.update(left, { generation, adjustments: current }), later);
    });
  }

  /**
   * Changes the calendars of tenants. Quotas carry over their usage, because the period of the new calendar would otherwise be
   * a second quota. If there is no room for one more past state, switching back to an earlier calendar reuses its generation.
   * @returns ids of tenants that keep their calendar, because another one with an open period would be lost
   */
  async changeCalendars(
    tx: Tx,
    changes: readonly { tenant: TenantCalendar; next: Calendar }[],
  ): Promise<Set<string>> {
    const kept = new Set<string>();
    const clocks = await this.findClocks(tx, changes);
    await this.change(tx, changes, ({ tenant, next }, state, writes, now) => {
      const { moves, version } = state;
      const index = moves.findIndex((move) => isSameCalendar(move, next));
      const isBack = index >= 0 && moves.slice(0, index + 1).every((move) => isChangeOfCalendar(move, state));
      const [forgotten] = findMovesToDelete(moves, tenant, now);
      const isFull = forgotten !== undefined && isNeeded(forgotten, state, tenant, now);
      if (isFull && !isBack && !isSameCalendar(forgotten, next)) {
        kept.add(tenant.id);
        return;
      }
      // A node without the change treats an old generation as outdated, so one is reused only if a new one would lose a calendar
      // whose period may still be open.
      const back = isFull && isBack ? moves[index] : undefined;
      if (back !== undefined) writes.forget(back);
      const remembered = { ...state, moves: moves.filter((move) => move !== back) };
      const left = writes.storePastState(tenant, remembered, CarryOver.KEEP, now);
      const generation = back?.generation ?? generationAfter(state, version, now);
      const followsAt = followsAtBy(state, next, clocks.get(tenant.id) ?? now);
      writes.schedule(writes.update(left, { generation, followsAt }), scheduledChangesOf(state));
    });
    return kept;
  }

  private async change<C extends { tenant: TenantCalendar }>(
    tx: Tx,
    changes: readonly C[],
    plan: (change: C, state: SubscriptionState, writes: SubscriptionWrites, now: Date) => void,
  ): Promise<void> {
    const now = this.clock.now();
    const writes = new SubscriptionWrites();
    const tenants = changes.map(({ tenant }) => tenant);
    const states = await readStates(tx, writes, tenants, now);
    for (const change of changes) {
      const state = states.get(change.tenant.id);
      if (state === undefined) throw new Error(`Tenant ${change.tenant.id} has no subscription`);
      plan(change, state, writes, now);
    }
    await writes.flush(tx);
  }

  /** Times of test clocks by tenant id. */
  private async findClocks(tx: Tx, of: readonly { tenant: TenantCalendar }[]): Promise<Map<string, Date>> {
    const tenantIds = of.map(({ tenant }) => tenant.id);
    const clocks = await tx.testClock.findMany({ where: { tenantId: { in: tenantIds } } });
    return new Map(clocks.map(({ tenantId, now }) => [tenantId, now]));
  }
}

/** A tenant pinned by a rollout waits for the end of the period of the new calendar, in billing time. */
function followsAtBy(
  { subscription: { followsAt } }: SubscriptionState,
  { timeZone, billingAnchorDay }: Calendar,
  now: Date,
): Date | null {
  if (followsAt === null || followsAt <= now) return followsAt;
  return new Date(periodAt('billing', timeZone, billingAnchorDay, now.getTime()).endMs);
}
