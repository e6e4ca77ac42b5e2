import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import { type Caller, checkPermitted } from '../../../platform/access/actor.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  type Refusal,
  refuse,
  searchTerm,
  taken,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { kindOfId, newId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { BulkActionKind, BulkActionStatus } from '../../../platform/prisma/schema.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import {
  type BulkActionInput,
  type BulkActionStartInput,
  inputOf,
  MAX_TENANTS,
  MAX_TRIED,
  PERMISSION_OF_KIND,
  type StartFacts,
  startSchema,
  undoSchema,
} from './bulk-actions.graphql.js';
import { type BulkActionRow, BulkActionsRepository } from './bulk-actions.repository.js';
import { BulkSteps, type BulkTarget, type BulkWork } from './bulk-steps.js';

/** Unknown tenant keys listed in an error. */
const MAX_LISTED_KEYS = 5;

/** A dry run, or the insertion of 100,000 items, takes a while. */
const TIMEOUT_MS = 60_000;

const { QUEUED, RUNNING, DONE, CANCELED } = BulkActionStatus;

/** A started bulk action; after a dry run without `action`, with the outcome for the first tenants. */
export interface StartedBulkAction {
  action: BulkActionRow | null;
  tenants: number;
  tried: number;
  refusals: { tenantKey: string; message: string }[];
}

/** Starts, cancels and undoes bulk actions. `RunBulkActionsJob` executes them. */
@Injectable()
export class BulkActionsService {
  constructor(
    private readonly actions: BulkActionsRepository,
    private readonly steps: BulkSteps,
    private readonly tenants: TenantsRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues an action. Errors: INVALID, NOT_FOUND, CONFLICT. A dry run tries it for the first 200 tenants.
   * @throws ApiError FORBIDDEN if the caller may not do the same to one tenant
   */
  async start(caller: Caller, input: BulkActionStartInput): Promise<Outcome<StartedBulkAction>> {
    const parsed = parseInput(startSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const facts = parsed.data;
    checkPermitted(caller.actor, PERMISSION_OF_KIND[facts.kind]);
    const action = { kind: facts.kind, input: inputOf(facts), reason: facts.reason ?? '', revertsId: null };
    return this.enqueue(caller, action, (change) => this.findTargets(change.tx, facts));
  }

  /** Cancels the remaining tenants of an action. Errors: NOT_FOUND, INVALID if it has ended. */
  cancel(caller: Caller, input: BulkActionInput): Promise<Outcome<StartedBulkAction>> {
    return this.step(caller, input, async (change, action) => {
      if (action.status !== QUEUED && action.status !== RUNNING)
        return refuse([invalid(['id'], 'The bulk action has already ended.')]);
      await this.actions.cancelItems(change.tx, action.id);
      const canceled = await this.actions.update(change.tx, action.id, {
        status: CANCELED,
        finishedAt: this.clock.now(),
        stoppedBecause: `Canceled by ${caller.actor.label}`,
      });
      await audit(change, 'bulkAction.cancel', action, { status: action.status }, { status: CANCELED });
      return { action: canceled, tenants: canceled.total, tried: 0, refusals: [] };
    });
  }

  /**
   * Queues the undo of an action, tenant by tenant. Errors: NOT_FOUND, INVALID while it runs or if it changed nothing, TAKEN
   * if it already has an undo.
   * @throws ApiError FORBIDDEN if the caller may not do the same to one tenant
   */
  async undo(caller: Caller, input: BulkActionInput): Promise<Outcome<StartedBulkAction>> {
    const parsed = parseInput(undoSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const found = kindOfId(input.id) === 'bulkAction' ? await this.actions.findById(input.id) : null;
    if (found === null) return refuse([notFound(['id'], 'bulk action of this id')]);
    const problem = (message: string) => refuse<StartedBulkAction>([invalid(['id'], message)]);
    if (found.kind === BulkActionKind.UNDO) return problem('An undo cannot be undone.');
    if (found.status !== DONE && found.status !== CANCELED)
      return problem('The bulk action is still running. Cancel it first.');
    checkPermitted(caller.actor, PERMISSION_OF_KIND[found.kind]);
    if ((await this.actions.findUndo(found.id)) !== null) return refuse([alreadyUndone()]);
    const reason = parsed.data.reason ?? '';
    const action = { kind: BulkActionKind.UNDO, input: {}, reason, revertsId: found.id };
    return this.enqueue(caller, action, async (change) => {
      const done = await this.actions.listDone(change.tx, found.id);
      return done.length === 0 ? problem('The bulk action changed nothing that can be undone.') : done;
    });
  }

  /** The tenants of an action, by key. Errors: NOT_FOUND for unknown keys, CONFLICT for another count than expected, INVALID for none or too many. */
  private async findTargets(
    tx: Tx,
    { tenantKeys, filter }: StartFacts,
  ): Promise<BulkTarget[] | Refusal<never>> {
    const chosen = {
      search: searchTerm(filter?.search),
      tierKey: filter?.tier ?? undefined,
      status: filter?.status ?? undefined,
      minPercent: filter?.minPercent ?? undefined,
      denied: filter?.denied ?? false,
      keys: tenantKeys ?? undefined,
    };
    const found = await this.tenants.listIds(tx, chosen, MAX_TENANTS);
    if (tenantKeys != null) {
      const known = new Set(found.map(({ key }) => key));
      const missing = tenantKeys.filter((key) => !known.has(key));
      if (missing.length > 0) {
        const names = missing.slice(0, MAX_LISTED_KEYS).join(', ');
        return refuse([
          notFound(['tenantKeys'], `tenant ${names}${missing.length > MAX_LISTED_KEYS ? ', …' : ''}`),
        ]);
      }
    }
    const problem = findCountProblem(found.length, filter?.expectedCount);
    return problem === undefined ? found : refuse([problem]);
  }

  /** Queues an action; a dry run applies it to the first tenants instead, and is rolled back. */
  private enqueue(
    caller: Caller,
    action: BulkWork,
    find: (change: Change) => Promise<BulkTarget[] | Refusal<unknown>>,
  ): Promise<Outcome<StartedBulkAction>> {
    const options = { reason: action.reason, onTaken: alreadyUndone(), timeout: TIMEOUT_MS };
    return this.changes.run<StartedBulkAction>(caller, options, async (change) => {
      const targets = await find(change);
      if (!Array.isArray(targets)) return refuse(targets.errors);
      if (caller.dryRun === true) return this.tryOut(caller, change, action, targets);
      const { actor, requestId } = caller;
      const data = {
        ...{ ...action, input: action.input as object, id: newId('bulkAction'), total: targets.length },
        ...{ actorKind: actor.kind, actorId: actor.id, actor: actor.label, requestId },
        createdAt: this.clock.now(),
      };
      const row = await this.actions.create(change.tx, data, targets);
      const { kind, input, revertsId } = action;
      await audit(change, 'bulkAction.start', row, null, { kind, input, revertsId, tenants: row.total });
      return { action: row, tenants: row.total, tried: 0, refusals: [] };
    });
  }

  private async tryOut(
    caller: Caller,
    change: Change,
    action: BulkWork,
    targets: readonly BulkTarget[],
  ): Promise<StartedBulkAction> {
    const tried = targets.slice(0, MAX_TRIED);
    const refusals: StartedBulkAction['refusals'] = [];
    for (const target of tried) {
      const outcome = await this.steps.run(caller, change, action, target);
      if (outcome.ok) continue;
      refusals.push({
        tenantKey: target.key,
        message: outcome.errors.map(({ message }) => message).join(' '),
      });
    }
    return { action: null, tenants: targets.length, tried: tried.length, refusals };
  }

  private async step(
    caller: Caller,
    input: BulkActionInput,
    work: (change: Change, action: BulkActionRow) => Promise<StartedBulkAction | Refusal<StartedBulkAction>>,
  ): Promise<Outcome<StartedBulkAction>> {
    const reason = optionalNote.safeParse(input.reason).data ?? null;
    const missing = notFound(['id'], 'bulk action of this id');
    if (kindOfId(input.id) !== 'bulkAction') return refuse([missing]);
    return this.changes.run<StartedBulkAction>(caller, { reason }, async (change) => {
      const action = await this.actions.lockById(change.tx, input.id);
      return action === null ? refuse([missing]) : work(change, action);
    });
  }
}

const alreadyUndone = () => taken(['id'], 'An undo of this bulk action');

function findCountProblem(count: number, expected: number | null | undefined) {
  const { INVALID, CONFLICT } = UserErrorCode;
  if (count > MAX_TENANTS) {
    return userError(INVALID, ['filter'], `More than ${MAX_TENANTS} tenants match; narrow the filter.`);
  }
  if (expected != null && expected !== count) {
    const message = `${count} tenants match now, not ${expected}. Review them and try again.`;
    return userError(CONFLICT, ['filter', 'expectedCount'], message);
  }
  return count === 0 ? userError(INVALID, ['filter'], 'No tenant matches.') : undefined;
}

function audit(
  change: Change,
  action: AuditAction,
  { id, kind, total }: BulkActionRow,
  before: AuditFacts['before'],
  after: Record<string, unknown>,
): Promise<void> {
  return change.audit({
    action,
    entityId: id,
    entityName: `${kind.toLowerCase().replaceAll('_', ' ')} of ${total} tenants`,
    before,
    after: after as AuditFacts['after'],
  });
}
