import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import { AppConfig } from '../../../config/app-config.js';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import type { CommandCall } from '../../../platform/changes/policy-commands.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { kindOfId, newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { digestOf, findWrongStep, MAX_ITEMS, type Step } from './change-set.rules.js';
import { ChangeSetTrial } from './change-set-trial.js';
import {
  type ChangeSetCreateInput,
  type ChangeSetInput,
  type ChangeSetReviewInput,
  type ChangeSetScheduleInput,
  changeSetCreateSchema,
  reviewSchema,
} from './change-sets.graphql.js';
import { type ChangeSetRow, ChangeSetsRepository, type ChangeSetUpdate } from './change-sets.repository.js';

type StepWork = (
  change: Change,
  set: ChangeSetRow,
  note: string | null,
) => Promise<ChangeSetRow | Refusal<ChangeSetRow>>;

/** The life cycle of change sets. */
@Injectable()
export class ChangeSetsService {
  constructor(
    private readonly sets: ChangeSetsRepository,
    private readonly trial: ChangeSetTrial,
    private readonly changes: ChangeRunner,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  async create(caller: Caller, input: ChangeSetCreateInput): Promise<Outcome<ChangeSetRow>> {
    const parsed = parseInput(changeSetCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, ...facts } = parsed.data;
    return this.changes.run<ChangeSetRow>(caller, { reason }, async (change) => {
      const { id: authorId, label: author } = caller.actor;
      const set = await this.sets.create(change.tx, { ...facts, authorId, author });
      await audit(change, 'changeSet.create', set, null, { needsApproval: facts.needsApproval });
      return set;
    });
  }

  /** Adds validated items. Errors: NOT_FOUND, CONFLICT, INVALID if there are too many. */
  add(caller: Caller, input: ChangeSetInput, calls: readonly CommandCall[]): Promise<Outcome<ChangeSetRow>> {
    return this.step(caller, input, 'edit', async (change, set) => {
      if (set.items.length + calls.length > MAX_ITEMS) {
        const message = `A set has ${MAX_ITEMS} items at most`;
        return refuse([userError(UserErrorCode.INVALID, ['id'], message)], set);
      }
      const addedById = caller.actor.id;
      const items = calls.map(({ command, input: facts }) => ({ command, input: facts as never, addedById }));
      await this.sets.addItems(change.tx, set.id, items);
      return this.save(change, 'changeSet.addItem', set, { status: 'DRAFT' });
    });
  }

  /** Submits the set for approval if required. Errors: those of its items. */
  async submit(caller: Caller, input: ChangeSetInput): Promise<Outcome<ChangeSetRow>> {
    const seen = await this.sets.findById(input.id);
    const trial = seen === null ? undefined : await this.trial.attempt(seen);
    return this.step(caller, input, 'submit', async (change, set) => {
      if (set.items.length === 0) {
        return refuse([userError(UserErrorCode.INVALID, ['id'], 'The change set is empty.')], set);
      }
      if (trial === undefined || trial.errors.length > 0) return refuse(trial?.errors ?? [], set);
      const status = this.needsApproval(set) ? 'SUBMITTED' : 'APPROVED';
      return this.save(change, 'changeSet.submit', set, {
        status,
        reviewedDiff: trial.diff as object[],
        reviewedDigest: trial.digest,
        reviewedBy: null,
        reviewedAt: null,
        note: null,
      });
    });
  }

  /** Only by a person with the permission of every item who neither created the set nor added an item. Errors: CONFLICT if it is stale. */
  async approve(caller: Caller, input: ChangeSetReviewInput): Promise<Outcome<ChangeSetRow>> {
    const seen = await this.sets.findById(input.id);
    const trial = seen === null ? undefined : await this.trial.attempt(seen);
    const outcome = await this.step(caller, input, 'approve', async (change, set, note) => {
      const { actor } = caller;
      const own = [set.authorId, ...set.items.map(({ addedById }) => addedById)].includes(actor.id);
      if (own || actor.kind !== 'USER') {
        const message = own ? 'A second person must approve the set.' : 'Only a person can approve a set.';
        return refuse([userError(UserErrorCode.INVALID, ['id'], message)], set);
      }
      const forbidden = this.trial.findForbidden(actor, set.items);
      if (forbidden.length > 0) return refuse(forbidden, set);
      if (trial === undefined || trial.errors.length > 0) return refuse(trial?.errors ?? [], set);
      if (trial.digest !== set.reviewedDigest) return refuse([stale()], set);
      const review = { reviewedBy: actor.label, reviewedAt: this.clock.now(), note };
      return this.save(change, 'changeSet.approve', set, { status: 'APPROVED', ...review });
    });
    return isStale(outcome) ? { ...outcome, current: await this.refresh(caller, input.id) } : outcome;
  }

  reject(caller: Caller, input: ChangeSetReviewInput): Promise<Outcome<ChangeSetRow>> {
    return this.step(caller, input, 'reject', (change, set, note) => {
      const review = { reviewedBy: caller.actor.label, reviewedAt: this.clock.now(), note };
      return this.save(change, 'changeSet.reject', set, { status: 'REJECTED', ...review });
    });
  }

  schedule(caller: Caller, input: ChangeSetScheduleInput): Promise<Outcome<ChangeSetRow>> {
    return this.step(caller, input, 'schedule', async (change, set) => {
      const forbidden = this.trial.findForbidden(caller.actor, set.items);
      if (forbidden.length > 0) return refuse(forbidden, set);
      if (input.at <= this.clock.now()) {
        return refuse([userError(UserErrorCode.INVALID, ['at'], 'at must be in the future')], set);
      }
      return this.save(change, 'changeSet.schedule', set, {
        status: 'SCHEDULED',
        scheduledAt: input.at,
        scheduledById: caller.actor.id,
      });
    });
  }

  cancel(caller: Caller, input: ChangeSetInput): Promise<Outcome<ChangeSetRow>> {
    return this.step(caller, input, 'cancel', (change, set) =>
      this.save(change, 'changeSet.cancel', set, { status: 'CANCELED', scheduledAt: null }),
    );
  }

  /** Applies all items in one transaction, under one change id. Errors: CONFLICT if the effect differs from the reviewed one. */
  async apply(caller: Caller, input: ChangeSetInput): Promise<Outcome<ChangeSetRow>> {
    const outcome = await this.step(caller, input, 'apply', async (change, set) => {
      const forbidden = this.trial.findForbidden(caller.actor, set.items);
      return forbidden.length > 0 ? refuse(forbidden, set) : this.runItems(caller, change, set);
    });
    return isStale(outcome) ? { ...outcome, current: await this.refresh(caller, input.id) } : outcome;
  }

  /** Applies a due set; one that can no longer be applied becomes FAILED, with the errors. */
  async applyDue(caller: Caller, id: string): Promise<void> {
    const outcome = await this.changes.run<ChangeSetRow | null>(caller, { reason: null }, async (change) => {
      const set = await this.sets.lockById(change.tx, id);
      if (set?.status !== 'SCHEDULED') return null;
      const forbidden = await this.trial.findForbiddenTo(change.tx, set.scheduledById, set.items);
      return forbidden.length > 0 ? refuse(forbidden, set) : this.runItems(caller, change, set);
    });
    if (outcome.ok) return;
    await this.changes.run(caller, { reason: null }, async (change) => {
      const set = await this.sets.lockById(change.tx, id);
      if (set?.status !== 'SCHEDULED') return null;
      const errors = outcome.errors.map((error) => ({ ...error }));
      return this.save(change, 'changeSet.fail', set, { status: 'FAILED', scheduledAt: null, errors });
    });
  }

  /** Runs a step on the locked set, after checking its version and status. */
  async step(
    caller: Caller,
    input: ChangeSetReviewInput,
    step: Step,
    work: StepWork,
  ): Promise<Outcome<ChangeSetRow>> {
    const parsed = parseInput(reviewSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, note } = parsed.data;
    const missing = notFound(['id'], 'change set with this id');
    if (kindOfId(input.id) !== 'changeSet') return refuse([missing]);
    return this.changes.run<ChangeSetRow>(caller, { reason }, async (change) => {
      const set = await this.sets.lockById(change.tx, input.id);
      if (set === null) return refuse([missing]);
      if (set.version !== input.expectedVersion) return refuse([conflict('change set')], set);
      const wrong = findWrongStep(step, set.status);
      return wrong === undefined ? work(change, set, note) : refuse([wrong], set);
    });
  }

  async save(
    change: Change,
    action: AuditAction,
    set: ChangeSetRow,
    data: ChangeSetUpdate,
    facts: Readonly<Record<string, boolean>> = {},
  ): Promise<ChangeSetRow> {
    const saved = await this.sets.update(change.tx, set.id, data);
    await audit(change, action, set, { status: set.status }, { status: saved.status, ...facts });
    return saved;
  }

  needsApproval({ needsApproval }: Pick<ChangeSetRow, 'needsApproval'>): boolean {
    return needsApproval || this.config.changeSetApproval === 'required';
  }

  private async runItems(
    caller: Caller,
    change: Change,
    set: ChangeSetRow,
  ): Promise<ChangeSetRow | Refusal<ChangeSetRow>> {
    const abandoned = await this.trial.findAbandoned(change.tx, set.items);
    if (abandoned.length > 0) return refuse(abandoned, set);
    const diff = await this.trial.runAll(caller, change, set.items);
    if ('ok' in diff) return refuse(diff.errors, set);
    if (digestOf(diff) !== set.reviewedDigest) return refuse([stale()], set);
    const data: ChangeSetUpdate = {
      status: 'APPLIED',
      // Includes the ids of created objects, which a revert needs.
      reviewedDiff: diff as object[],
      appliedAt: this.clock.now(),
      appliedBy: caller.actor.label,
      changeId: change.id,
      scheduledAt: null,
    };
    return this.save(change, 'changeSet.apply', set, data, { neededApproval: this.needsApproval(set) });
  }

  /** Stores the current effect of a stale set and requests approval again if required. */
  private async refresh(caller: Caller, id: string): Promise<ChangeSetRow | null> {
    const seen = await this.sets.findById(id);
    if (seen === null) return null;
    const { diff, digest } = await this.trial.attempt(seen);
    const outcome = await this.changes.run<ChangeSetRow>(caller, { reason: null }, async (change) => {
      const set = (await this.sets.lockById(change.tx, id)) ?? seen;
      const status = this.needsApproval(set) ? 'SUBMITTED' : 'APPROVED';
      const reviewedDiff = diff as object[];
      return this.save(change, 'changeSet.refresh', set, { status, reviewedDiff, reviewedDigest: digest });
    });
    return outcome.ok ? outcome.value : seen;
  }
}

function audit(
  change: Change,
  action: AuditAction,
  { id, title }: ChangeSetRow,
  before: AuditFacts['before'],
  after: NonNullable<AuditFacts['after']>,
): Promise<void> {
  return change.audit({ action, entityId: id, entityName: title, before, after: { title, ...after } });
}

/** The only CONFLICT that is not about the set itself. */
const STALE_FIELD = ['items'];

function stale() {
  const message = 'The effect has changed since the review. Review the changes again, then repeat the step.';
  return userError(UserErrorCode.CONFLICT, STALE_FIELD, message);
}

function isStale(outcome: Outcome<ChangeSetRow>): outcome is Refusal<ChangeSetRow> {
  return !outcome.ok && outcome.errors.some(({ field }) => field === STALE_FIELD);
}

@ScheduledJob({ name: 'change-sets', everyMs: 5000 })
@Injectable()
export class ApplyChangeSetsJob {
  constructor(
    private readonly sets: ChangeSetsRepository,
    private readonly service: ChangeSetsService,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    for (const id of await this.sets.listDue(this.clock.now())) {
      await this.service.applyDue({ actor: jobActor('change-sets'), requestId: newId('request') }, id);
    }
  }
}
