import { Injectable } from '@nestjs/common';
import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { type Caller, isPermitted } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Reversals } from '../../../platform/changes/reversals.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { kindOfId } from '../../../platform/ids.js';
import { type Tx } from '../../../platform/prisma/database.js';
import { type ChangeEntry, RecordedChangesRepository } from './reverts.repository.js';

@ObjectType({ description: 'Whether a change can be taken back now, and what stands in the way.' })
export class ChangeReversal {
  @Field(() => ID, { description: 'The change.' })
  changeId!: string;

  @Field({ description: 'Who made it.' })
  actor!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  at!: Date;

  @Field(() => [String], { description: 'What was done, such as `tier.publish`, in its order.' })
  actions!: string[];

  @Field({ description: 'Whether the caller can take it back now.' })
  revertible!: boolean;

  @Field(() => String, { nullable: true, description: 'Why not; null when it can be.' })
  obstacle!: string | null;
}

@InputType({ description: 'Which change to take back.' })
export class ChangeRevertInput extends MutationInput {
  @Field(() => ID, { description: 'The change, as its mutation and the audit trail name it.' })
  changeId!: string;
}

@ObjectType({ description: 'Outcome of taking a change back: a change of its own.' })
export class ChangeRevertPayload extends PublishedPayload {}

const FIELD = ['changeId'];

const revertSchema = z.object({
  changeId: z.string().refine((id) => kindOfId(id) === 'change', 'Not the id of a change'),
  reason: optionalNote,
});

/** Takes changes back: each by what its features know of it, all of it or nothing, as a change of its own. */
@Injectable()
export class RevertsService {
  constructor(
    private readonly recorded: RecordedChangesRepository,
    private readonly reversals: Reversals,
    private readonly changes: ChangeRunner,
  ) {}

  /** Null where there is no such change. */
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
   * Brings what a change did into the form that it had before. Nothing is taken out of history. Refused: NOT_FOUND; INVALID
   * where nothing takes it back, or not by this caller; CONFLICT where somebody has changed the same since; and as the
   * mutations that take it back are.
   */
  async revert(caller: Caller, input: ChangeRevertInput): Promise<Outcome<null>> {
    const parsed = parseInput(revertSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { changeId } = parsed.data;
    const reason = parsed.data.reason ?? `Takes back ${changeId}`;
    return this.changes.run<null>(caller, { reason }, async (change) => {
      const entries = await this.recorded.list(changeId, change.tx);
      if (entries.length === 0) return refuse([notFound(FIELD, 'change of this id')]);
      const obstacle = await this.findObstacle(caller, changeId, entries, change.tx);
      if (obstacle !== undefined) return refuse([obstacle]);
      for (const [i, entry] of [...entries.entries()].toReversed()) {
        const reversal = this.reversals.find(entry.action);
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
        return invalid(`Nothing takes ${entry.action} back by itself.`);
      if (!isPermitted(caller.actor, reversal.permission))
        return invalid(`It needs ${reversal.permission}, which you do not have.`);
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
    `${actor} has changed the same since (${action}, ${at.toISOString()}). Take that back first.`,
  );
