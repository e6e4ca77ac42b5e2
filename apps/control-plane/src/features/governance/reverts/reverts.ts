import { Injectable, Module } from '@nestjs/common';
import { Args, ID, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import { type Caller, isPermitted } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import {
  endingOf,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Reversals } from '../../../platform/changes/policy-commands.js';
import {
  Input,
  MutationInput,
  PublishedPayload,
  type UserError,
  UserErrorCode,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { kindOfId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { type ChangeEntry, RecordedChangesRepository } from './reverts.repository.js';

@ObjectType({ description: 'Whether a change can be reverted now.' })
export class ChangeReversal extends ObjectOf({
  changeId: field.id('The change.'),
  actor: field.string('Author.'),
  at: field.dateTime('When it was created.'),
  actions: field.string('Actions, such as `tier.publish`, in order.').list(),
  revertible: field.boolean('Whether the caller can revert it now.'),
  obstacle: field.string('Why it cannot be reverted; null if it can.').nullable(),
}) {}

const revertSchema = z.object({
  changeId: idField('The change id, as returned by its mutation and in the audit trail.').refine(
    (id) => kindOfId(id) === 'change',
    'Not the id of a change',
  ),
  reason: optionalNote,
});

@InputType({ description: 'The change to revert.' })
export class ChangeRevertInput extends InputOf(revertSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of a revert.' })
export class ChangeRevertPayload extends PublishedPayload {}

const FIELD = ['changeId'];

/** Reverts changes atomically, each with a new change. */
@Injectable()
export class RevertsService {
  constructor(
    private readonly recorded: RecordedChangesRepository,
    private readonly reversals: Reversals,
    private readonly changes: ChangeRunner,
  ) {}

  /** Null if there is no such change. */
  async find(caller: Caller, changeId: string): Promise<ChangeReversal | null> {
    const entries = await this.recorded.list(changeId);
    const [first] = entries;
    if (first === undefined) return null;
    const obstacle = await this.findObstacle(caller, changeId, entries);
    return {
      changeId,
      actor: first.actor,
      at: first.at,
      actions: entries.map(({ action }) => action),
      revertible: obstacle === undefined,
      obstacle: obstacle?.message ?? null,
    };
  }

  /**
   * Reverts a change; history is kept. Errors: NOT_FOUND; INVALID if it is not revertible or not permitted; CONFLICT if its
   * objects have changed since; and those of the mutations that revert it.
   */
  async revert(caller: Caller, input: ChangeRevertInput): Promise<Outcome<null>> {
    const parsed = parseInput(revertSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { changeId } = parsed.data;
    const reason = parsed.data.reason ?? `Reverts ${changeId}`;
    return this.changes.run<null>(caller, { reason }, async (change) => {
      const entries = await this.recorded.list(changeId, change.tx);
      if (entries.length === 0) return refuse([notFound(FIELD, 'change with this id')]);
      const obstacle = await this.findObstacle(caller, changeId, entries, change.tx);
      if (obstacle !== undefined) return refuse([obstacle]);
      for (const [i, entry] of [...entries.entries()].toReversed()) {
        const reversal = this.reversals.find(entry.action);
        change.revertedName = entry.entityName;
        const outcome = await reversal?.run(caller, change, entry, entries.slice(i + 1));
        if (outcome?.ok === false) return refuse(outcome.errors.map((error) => ({ ...error, field: FIELD })));
      }
      return null;
    });
  }

  private async findObstacle(
    caller: Caller,
    changeId: string,
    entries: readonly ChangeEntry[],
    tx?: Tx,
  ): Promise<UserError | undefined> {
    for (const entry of entries) {
      const reversal = this.reversals.find(entry.action);
      if (reversal === undefined || !reversal.applies(entry))
        return invalid(`${entry.action} cannot be reverted.`);
      if (!isPermitted(caller.actor, reversal.permission))
        return invalid(`Reverting it requires the permission ${reversal.permission}.`);
    }
    for (const entry of entries) {
      const later = await this.recorded.findLater(changeId, entry, tx);
      if (later !== null) return changedSince(later);
    }
    return undefined;
  }
}

const invalid = (message: string) => userError(UserErrorCode.INVALID, FIELD, message);

const changedSince = ({ actor, action, at }: { actor: string; action: string; at: Date }) =>
  userError(
    UserErrorCode.CONFLICT,
    FIELD,
    `${actor} has since changed the same object (${action}, ${at.toISOString()}). Revert that change first.`,
  );

/** Requires permission to read the audit trail; a revert also requires that of the change. */
@Resolver()
export class RevertsResolver {
  constructor(private readonly service: RevertsService) {}

  @RequirePermission('audit:read')
  @Query(() => ChangeReversal, {
    name: 'changeReversal',
    nullable: true,
    description: 'Whether a change can be reverted; null if there is no such change.',
  })
  find(
    @Args('changeId', { type: () => ID, description: 'The change id, as returned by its mutation.' })
    changeId: string,
    @CurrentCaller() caller: Caller,
  ): Promise<ChangeReversal | null> {
    return this.service.find(caller, changeId);
  }

  @RequirePermission('audit:read')
  @Mutation(() => ChangeRevertPayload, {
    name: 'changeRevert',
    description:
      'Reverts one change with a new change. Requires the permission of the change, and that its objects have not changed since.',
  })
  async revert(
    @Input() input: ChangeRevertInput,
    @CurrentCaller() caller: Caller,
  ): Promise<ChangeRevertPayload> {
    return endingOf(await this.service.revert(caller, input));
  }
}

/** Reverts single changes, based on the audit trail. */
@Module({ providers: [RecordedChangesRepository, RevertsService, RevertsResolver] })
export class RevertsModule {}
