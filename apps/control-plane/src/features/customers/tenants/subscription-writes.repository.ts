import {
  type CarryOver,
  Prisma,
  type ScheduledChange,
  type Subscription,
  type SubscriptionMove,
} from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';
import type { PlannedChange } from './adjustment-schedule.js';
import { nextGeneration } from './subscription-generation.js';
import {
  findMovesToDelete,
  KEPT_MOVES,
  marksOf,
  type SubscriptionState,
  type TenantCalendar,
} from './subscription-state.js';

/** Type of each column that a change may write. */
const COLUMNS = {
  tierId: ['tier_id', 'text'],
  pinnedVersionNumber: ['pinned_version_number', 'int'],
  since: ['since', 'timestamptz'],
  generation: ['generation', 'int'],
  adjustments: ['adjustments', 'jsonb'],
  warmUp: ['warm_up', 'jsonb'],
  pinnedByRollout: ['pinned_by_rollout', 'boolean'],
  followsAt: ['follows_at', 'timestamptz'],
  followCarryOver: ['follow_carry_over', '"CarryOver"'],
} as const satisfies Partial<Record<keyof Subscription, readonly [column: string, type: string]>>;

type Column = keyof typeof COLUMNS;

type SubscriptionPatch = Partial<Pick<Subscription, Column>>;

/** Collects the changes of many locked subscriptions, and writes them with a few statements. */
export class SubscriptionWrites {
  private readonly forgotten: string[] = [];
  private readonly moves = new Map<string, SubscriptionMove>();
  private readonly patches = new Map<string, SubscriptionPatch>();
  private readonly unscheduled: string[] = [];
  private readonly scheduled: ScheduledChange[] = [];

  /** Stores the current state as a past state, replacing an older one if there are too many. */
  storePastState(
    tenant: TenantCalendar,
    state: SubscriptionState,
    carryOver: CarryOver,
    now: Date,
  ): SubscriptionState {
    const { id: tenantId, timeZone, billingAnchorDay } = tenant;
    const { subscription, version, moves } = state;
    const forgotten = findMovesToDelete(moves, { timeZone, billingAnchorDay }, now);
    for (const move of forgotten) this.forget(move);
    const move: SubscriptionMove = {
      id: newId('subscriptionMove'),
      tenantId,
      subscriptionId: subscription.id,
      tierId: subscription.tierId,
      versionNumber: version,
      generation: subscription.generation,
      carryOver,
      timeZone,
      billingAnchorDay,
      adjustments: subscription.adjustments,
      // Later than any other, even within one millisecond: nodes order past states by time.
      at: new Date(Math.max(now.getTime(), (moves[0]?.at.getTime() ?? 0) + 1)),
    };
    this.moves.set(move.id, move);
    return { ...state, moves: [move, ...moves.filter((old) => !forgotten.includes(old))] };
  }

  /** Deletes a past state. */
  forget({ id }: SubscriptionMove): void {
    if (!this.moves.delete(id)) this.forgotten.push(id);
  }

  update(state: SubscriptionState, patch: SubscriptionPatch): SubscriptionState {
    const { subscription } = state;
    this.patches.set(subscription.id, { ...this.patches.get(subscription.id), ...patch });
    return { ...state, subscription: { ...subscription, ...patch } };
  }

  /** Removes scheduled changes that are due or replaced. */
  unschedule(changes: readonly ScheduledChange[]): void {
    this.unscheduled.push(...changes.map(({ id }) => id));
  }

  /** Replaces the scheduled changes of a subscription. */
  schedule(
    { subscription, version, moves, scheduled }: SubscriptionState,
    planned: readonly PlannedChange[],
  ): void {
    this.unschedule(scheduled);
    let marks = marksOf({ subscription, version, moves });
    // Nodes with clocks ahead may already use these generations, so they are not reused.
    let above = Math.max(0, ...scheduled.map(({ generation }) => generation));
    for (const { at, carryOver, adjustments } of planned) {
      const generation = nextGeneration(marks, version, above);
      above = generation;
      marks = [{ generation, version }, ...marks.slice(0, KEPT_MOVES - 1)];
      const { id: subscriptionId, tenantId } = subscription;
      const id = newId('scheduledChange');
      this.scheduled.push({ id, tenantId, subscriptionId, at, generation, carryOver, adjustments });
    }
  }

  async flush(tx: Tx): Promise<void> {
    if (this.forgotten.length > 0)
      await tx.subscriptionMove.deleteMany({ where: { id: { in: this.forgotten } } });
    if (this.moves.size > 0)
      await tx.subscriptionMove.createMany({ data: [...this.moves.values()].map(asInput) });
    // Only the given columns: a rollout changes others without the lock of the tenant.
    const groups = Map.groupBy(this.patches, ([, patch]) => Object.keys(patch).sort().join());
    for (const group of groups.values()) await updateAll(tx, group);
    if (this.unscheduled.length > 0)
      await tx.scheduledChange.deleteMany({ where: { id: { in: this.unscheduled } } });
    if (this.scheduled.length > 0) await tx.scheduledChange.createMany({ data: this.scheduled.map(asInput) });
  }
}

/** The type of a read JSON column includes null. */
function asInput<T extends { adjustments: unknown }>(row: T): T & { adjustments: object[] } {
  return row as T & { adjustments: object[] };
}

/** @param patches by subscription id, all with the same columns */
async function updateAll(tx: Tx, patches: readonly [id: string, patch: SubscriptionPatch][]): Promise<void> {
  const columns = Object.keys(patches[0]?.[1] ?? {}).map((name) => COLUMNS[name as Column]);
  if (columns.length === 0) return;
  const rows = patches.map(([id, patch]) => [
    ['id', id],
    ...Object.entries(patch).map(([name, value]) => [COLUMNS[name as Column][0], value]),
  ]);
  const json = JSON.stringify(rows.map((row) => Object.fromEntries(row)));
  const set = Prisma.raw(columns.map(([column]) => `"${column}" = new."${column}"`).join(', '));
  const types = Prisma.raw(
    ['"id" text', ...columns.map(([column, type]) => `"${column}" ${type}`)].join(', '),
  );
  await tx.$executeRaw`
    UPDATE "subscription" AS old SET ${set} FROM jsonb_to_recordset(${json}::jsonb) AS new (${types})
    WHERE old."id" = new."id"`;
}
