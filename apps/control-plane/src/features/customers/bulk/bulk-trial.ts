import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Outcome, type Refusal, refuse } from '../../../platform/changes/outcome.js';
import { MAX_TRIED } from './bulk-action.rules.js';
import { type BulkActionRow, BulkActionsRepository } from './bulk-actions.repository.js';
import { BulkSteps, type StepFacts } from './bulk-steps.js';
import type { Target } from './bulk-targets.js';

/** What an action would do to the first of its tenants. */
export interface Trial {
  tried: number;
  refusals: { tenantKey: string; message: string }[];
}

/** What became of asking for an action; of a dry run, what it would do. */
export interface Started {
  action: BulkActionRow | null;
  tenants: number;
  trial: Trial | null;
}

type Action = Pick<BulkActionRow, 'kind' | 'reason' | 'revertsId'> & { input: Record<string, unknown> };

/** Runs an action for some of its tenants and takes everything back. */
@Injectable()
export class BulkTrial {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly steps: BulkSteps,
    private readonly actions: BulkActionsRepository,
  ) {}

  /** @param caller one who asks for a dry run: whom it would reach is told to them */
  attempt(
    caller: Caller,
    action: Action,
    find: (change: Change) => Promise<Target[] | Refusal<unknown>>,
  ): Promise<Outcome<Started>> {
    return this.changes.run<Started>(caller, { reason: action.reason, timeout: 60_000 }, async (change) => {
      const targets = await find(change);
      if (!Array.isArray(targets)) return refuse(targets.errors);
      const tried = targets.slice(0, MAX_TRIED);
      const refusals: Trial['refusals'] = [];
      for (const target of tried) {
        const outcome = await this.runOne(caller, change, action, target);
        if (outcome.ok) continue;
        const message = outcome.errors.map((error) => error.message).join(' ');
        refusals.push({ tenantKey: target.key, message });
      }
      return { action: null, tenants: targets.length, trial: { tried: tried.length, refusals } };
    });
  }

  /** One tenant's part of an action, within a change that is open. */
  async runOne(caller: Caller, change: Change, action: Action, target: Target): Promise<Outcome<unknown>> {
    const step = { ...action, tenantKey: target.key };
    if (action.revertsId === null) return this.steps.run(caller, change, step);
    const first = await this.actions.findById(action.revertsId, change.tx);
    const item = await this.actions.findItem(change.tx, action.revertsId, target.id);
    if (first === null || item?.done == null)
      throw new Error(`Nothing is known of ${target.key} to take back`);
    const done = item.done as unknown as StepFacts;
    return this.steps.undo(
      caller,
      change,
      { ...step, kind: first.kind, input: first.input as object as Action['input'] },
      done,
    );
  }
}
