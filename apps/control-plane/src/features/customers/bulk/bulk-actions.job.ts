import { Injectable } from '@nestjs/common';
import { abilityOf } from '../../../platform/access/ability.js';
import { type Actor, type Caller, isPermitted, jobActor } from '../../../platform/access/actor.js';
import { CurrentActors } from '../../../platform/access/current-actors.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { type Refusal, refuse } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { ActorKind, BulkActionKind } from '../../../platform/prisma/schema.js';
import { PERMISSION_OF_KIND } from './bulk-actions.graphql.js';
import { type BulkActionRow, BulkActionsRepository, type BulkItemRow } from './bulk-actions.repository.js';
import { BulkSteps } from './bulk-steps.js';

/** Tenants per batch; after each, permissions are checked again and the next action runs. */
const BATCH_SIZE = 25;

/**
 * Executes bulk actions. Each tenant is one change, whose transaction also marks the item as done: a crashed worker neither
 * repeats nor skips a tenant, and several workers share the tenants.
 */
@ScheduledJob({ name: 'bulk-actions', everyMs: 1000 })
@Injectable()
export class RunBulkActionsJob {
  constructor(
    private readonly actions: BulkActionsRepository,
    private readonly actors: CurrentActors,
    private readonly steps: BulkSteps,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Alternates between actions, so that a long one does not delay a short one. */
  async run(): Promise<void> {
    for (;;) {
      const unfinished = await this.actions.listUnfinished();
      if (unfinished.length === 0) return;
      let worked = 0;
      for (const action of unfinished) worked += await this.work(action);
      if (worked === 0) return;
    }
  }

  /** @returns the number of tenants processed; 0 if other workers hold the rest */
  private async work(action: BulkActionRow): Promise<number> {
    const actor = await this.findStarter(action);
    if (!(await this.isPermittedToContinue(action, actor))) {
      await this.actions.stop(action.id, `${action.actor} no longer has permission`, this.clock.now());
      return 0;
    }
    await this.actions.begin(action.id, this.clock.now());
    for (let worked = 0; worked < BATCH_SIZE; worked++) {
      if (await this.doNext(action, actor)) continue;
      await this.actions.finish(action.id, this.clock.now());
      return worked;
    }
    return BATCH_SIZE;
  }

  /** Who started the action, with their current permissions: none if they are gone, suspended or revoked. */
  private async findStarter({ actorKind, actorId, actor }: BulkActionRow): Promise<Actor> {
    const named = { kind: actorKind, id: actorId, label: actor, name: actor };
    if (actorKind === ActorKind.SYSTEM) return { ...jobActor('bulk-actions'), ...named };
    const found = await this.actors.find(actorId);
    if (found !== undefined) return { ...found, ...named };
    return { ...named, email: null, role: null, memberships: [], ability: abilityOf(null, []) };
  }

  private async isPermittedToContinue({ kind, revertsId }: BulkActionRow, actor: Actor): Promise<boolean> {
    const of = revertsId === null ? kind : (await this.actions.findById(revertsId))?.kind;
    if (of === undefined || of === BulkActionKind.UNDO) return false;
    return isPermitted(actor, PERMISSION_OF_KIND[of]) && isPermitted(actor, 'bulk-actions:write');
  }

  /** @returns false if no tenant is left, or other workers hold the rest */
  private async doNext(action: BulkActionRow, actor: Actor): Promise<boolean> {
    let taken: BulkItemRow | null = null;
    try {
      const caller = { actor, requestId: action.requestId };
      const outcome = await this.changes.run<boolean>(caller, { reason: action.reason }, async (change) => {
        taken = await this.actions.lockNextItem(change.tx, action.id);
        return taken === null ? false : this.doOne(caller, change, action, taken);
      });
      if (outcome.ok) return outcome.value;
      const error = outcome.errors.map(({ message }) => message).join(' ');
      await this.actions.fail(taken as BulkItemRow | null, error, this.clock.now());
    } catch (cause) {
      if (taken === null) throw cause;
      this.log.error({ err: cause, bulkAction: action.id }, 'bulk action item failed');
      const error = 'Internal error; nothing was changed. See the worker log.';
      await this.actions.fail(taken, error, this.clock.now());
    }
    return true;
  }

  private async doOne(
    caller: Caller,
    change: Change,
    action: BulkActionRow,
    item: BulkItemRow,
  ): Promise<true | Refusal<boolean>> {
    const step = { ...action, input: action.input as Record<string, unknown> };
    const { tenantId: id, tenantKey: key } = item;
    const outcome = await this.steps.run(caller, change, step, { id, key });
    if (!outcome.ok) return refuse(outcome.errors);
    const [{ entityId, before, after } = { entityId: '', before: null, after: null }] = change.entries;
    const done = { entityId, before, after };
    await this.actions.complete(change.tx, item, { changeId: change.id, done, at: this.clock.now() });
    return true;
  }
}

/** The audit trail keeps the changes; the progress of old actions is not needed longer. */
const RETENTION_MS = 90 * 86_400_000;

@ScheduledJob({ name: 'forget-bulk-actions', everyMs: 3_600_000 })
@Injectable()
export class ForgetBulkActionsJob {
  constructor(
    private readonly actions: BulkActionsRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.actions.deleteFinishedBefore(new Date(this.clock.now().getTime() - RETENTION_MS));
  }
}
