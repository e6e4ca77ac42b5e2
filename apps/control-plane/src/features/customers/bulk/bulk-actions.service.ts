import { Injectable } from '@nestjs/common';
import { type Caller, isPermitted } from '../../../platform/access/actor.js';
import { forbidden } from '../../../platform/api-error.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  type Refusal,
  refuse,
  taken,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { kindOfId, newId } from '../../../platform/ids.js';
import { BulkActionKind, BulkActionStatus } from '../../../platform/prisma/schema.js';
import { inputOf, PERMISSION_OF_KIND, startSchema, undoSchema } from './bulk-action.rules.js';
import type { BulkActionInput, BulkActionStartInput } from './bulk-actions.graphql.js';
import { type BulkActionRow, BulkActionsRepository } from './bulk-actions.repository.js';
import { BulkTargets, type Target } from './bulk-targets.js';
import { BulkTrial, type Started } from './bulk-trial.js';

const { QUEUED, RUNNING, DONE, CANCELLED } = BulkActionStatus;

/** Bulk actions as people ask for them; a job carries them out. */
@Injectable()
export class BulkActionsService {
  constructor(
    private readonly actions: BulkActionsRepository,
    private readonly targets: BulkTargets,
    private readonly trial: BulkTrial,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  /**
   * Notes what is to be done to which tenants. Refused: INVALID, NOT_FOUND, CONFLICT. A dry run tries it for the first of them.
   * @throws ApiError FORBIDDEN for whoever may not do the same to one tenant
   */
  async start(caller: Caller, input: BulkActionStartInput): Promise<Outcome<Started>> {
    const parsed = parseInput(startSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const facts = parsed.data;
    if (!isPermitted(caller.actor, PERMISSION_OF_KIND[facts.kind])) throw forbidden();
    const action = { kind: facts.kind, input: inputOf(facts), reason: facts.reason ?? '', revertsId: null };
    return this.carryOut(caller, action, (change) => this.targets.find(change.tx, facts));
  }

  /** Stops an action before it has come to all tenants. Refused: NOT_FOUND, INVALID when it has ended. */
  cancel(caller: Caller, input: BulkActionInput): Promise<Outcome<Started>> {
    return this.step(caller, input, async (change, action) => {
      if (action.status !== QUEUED && action.status !== RUNNING)
        return refuse([userError(UserErrorCode.INVALID, ['id'], 'It has ended already.')]);
      await this.actions.cancelItems(change.tx, action.id);
      const cancelled = await this.actions.update(change.tx, action.id, {
        status: CANCELLED,
        finishedAt: this.clock.now(),
        stoppedBecause: `Stopped by ${caller.actor.label}`,
      });
      await audit(change, 'bulkAction.cancel', action, { status: action.status }, { status: CANCELLED });
      return { action: cancelled, tenants: cancelled.total, trial: null };
    });
  }

  /**
   * Takes back what an action did, tenant by tenant. Refused: NOT_FOUND, INVALID while it runs or when it did nothing, TAKEN
   * when it was taken back before.
   * @throws ApiError FORBIDDEN for whoever may not do the same to one tenant
   */
  async undo(caller: Caller, input: BulkActionInput): Promise<Outcome<Started>> {
    const parsed = parseInput(undoSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const found = kindOfId(input.id) === 'bulkAction' ? await this.actions.findById(input.id) : null;
    if (found === null) return refuse([notFound(['id'], 'bulk action of this id')]);
    const problem = (message: string) => refuse<Started>([userError(UserErrorCode.INVALID, ['id'], message)]);
    if (found.kind === BulkActionKind.UNDO)
      return problem('What takes another action back is not taken back itself.');
    if (found.status !== DONE && found.status !== CANCELLED) return problem('It still runs; stop it first.');
    if (!isPermitted(caller.actor, PERMISSION_OF_KIND[found.kind])) throw forbidden();
    if ((await this.actions.findUndo(found.id)) !== null) return refuse([alreadyUndone()]);
    const reason = parsed.data.reason ?? '';
    const action = { kind: BulkActionKind.UNDO, input: {}, reason, revertsId: found.id };
    return this.carryOut(caller, action, async (change) => {
      const done = await this.actions.listDone(change.tx, found.id);
      return done.length === 0 ? problem('It changed nothing that could be taken back.') : done;
    });
  }

  private async carryOut(
    caller: Caller,
    action: Pick<BulkActionRow, 'kind' | 'reason' | 'revertsId'> & { input: Record<string, unknown> },
    find: (change: Change) => Promise<Target[] | Refusal<unknown>>,
  ): Promise<Outcome<Started>> {
    if (caller.dryRun === true) return this.trial.attempt(caller, action, find);
    const { actor, requestId } = caller;
    return this.changes.run<Started>(
      caller,
      { reason: action.reason, onTaken: alreadyUndone(), timeout: 60_000 },
      async (change) => {
        const targets = await find(change);
        if (!Array.isArray(targets)) return refuse(targets.errors);
        const row = await this.actions.create(
          change.tx,
          {
            ...{ ...action, input: action.input as object, id: newId('bulkAction'), total: targets.length },
            ...{ actorKind: actor.kind, actorId: actor.id, actor: actor.label, requestId },
            createdAt: this.clock.now(),
          },
          targets,
        );
        const { kind, input, revertsId } = action;
        await audit(change, 'bulkAction.start', row, null, { kind, input, revertsId, tenants: row.total });
        return { action: row, tenants: row.total, trial: null };
      },
    );
  }

  private async step(
    caller: Caller,
    input: BulkActionInput,
    work: (change: Change, action: BulkActionRow) => Promise<Started | Refusal<Started>>,
  ): Promise<Outcome<Started>> {
    const reason = optionalNote.safeParse(input.reason).data ?? null;
    const missing = notFound(['id'], 'bulk action of this id');
    if (kindOfId(input.id) !== 'bulkAction') return refuse([missing]);
    return this.changes.run<Started>(caller, { reason }, async (change) => {
      const action = await this.actions.lockById(change.tx, input.id);
      return action === null ? refuse([missing]) : work(change, action);
    });
  }
}

const alreadyUndone = () => taken(['id'], 'What takes this action back');

function audit(
  change: Change,
  action: string,
  { id }: BulkActionRow,
  before: AuditFacts['before'],
  after: Record<string, unknown>,
): Promise<void> {
  return change.audit({
    action,
    entity: 'BulkAction',
    entityId: id,
    before,
    after: after as AuditFacts['after'],
  });
}
