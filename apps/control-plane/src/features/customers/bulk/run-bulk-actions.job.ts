import { Injectable } from '@nestjs/common';
import { type Actor, type Caller, isPermitted } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Refusal, refuse } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { BulkActionKind } from '../../../platform/prisma/schema.js';
import { PERMISSION_OF_KIND } from './bulk-action.rules.js';
import { type BulkActionRow, BulkActionsRepository, type BulkItemRow } from './bulk-actions.repository.js';
import { BulkStarters } from './bulk-starters.js';
import { BulkTrial } from './bulk-trial.js';

/** After so many tenants it is looked again whether to go on, and whoever else waits has a turn. */
const TENANTS_AT_ONCE = 25;

/**
 * Carries out bulk actions. Each tenant is one change, which notes in its own transaction that it is done: a worker that dies
 * repeats nothing and leaves nothing out, and several workers share the tenants.
 */
@ScheduledJob({ name: 'bulk-actions', everyMs: 1000 })
@Injectable()
export class RunBulkActionsJob {
  constructor(
    private readonly actions: BulkActionsRepository,
    private readonly starters: BulkStarters,
    private readonly trial: BulkTrial,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** In turns, so that a long action holds no short one up. */
  async run(): Promise<void> {
    for (;;) {
      const unfinished = await this.actions.listUnfinished();
      if (unfinished.length === 0) return;
      let worked = 0;
      for (const action of unfinished) worked += await this.work(action);
      if (worked === 0) return;
    }
  }

  /** @returns how many tenants had their turn; 0: what is left, other workers have */
  private async work(action: BulkActionRow): Promise<number> {
    const actor = await this.starters.find(action);
    if (!(await this.mayGoOn(action, actor))) {
      await this.actions.stop(action.id, `${action.actor} may not do this any more`, this.clock.now());
      return 0;
    }
    await this.actions.begin(action.id, this.clock.now());
    for (let worked = 0; worked < TENANTS_AT_ONCE; worked++) {
      if (await this.doNext(action, actor)) continue;
      await this.actions.finish(action.id, this.clock.now());
      return worked;
    }
    return TENANTS_AT_ONCE;
  }

  private async mayGoOn({ kind, revertsId }: BulkActionRow, actor: Actor): Promise<boolean> {
    const of = revertsId === null ? kind : (await this.actions.findById(revertsId))?.kind;
    if (of === undefined || of === BulkActionKind.UNDO) return false;
    return isPermitted(actor, PERMISSION_OF_KIND[of]) && isPermitted(actor, 'bulk-actions:write');
  }

  /** @returns false when there is no tenant left that another worker does not have */
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
      this.log.error({ err: cause, bulkAction: action.id }, 'A tenant of a bulk action failed');
      const error =
        'It failed for a reason of our own, which the log of the worker says. Nothing was changed.';
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
    const outcome = await this.trial.runOne(caller, change, step, { id, key });
    if (!outcome.ok) return refuse(outcome.errors);
    const [{ entityId, before, after } = { entityId: '', before: null, after: null }] = change.entries;
    const done = { entityId, before, after };
    await this.actions.close(change.tx, item, { changeId: change.id, done, at: this.clock.now() });
    return true;
  }
}
