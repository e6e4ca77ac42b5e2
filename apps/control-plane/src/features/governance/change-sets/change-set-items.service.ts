import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../../platform/changes/outcome.js';
import { type CommandCall, PolicyCommands, Reversals } from '../../../platform/changes/policy-commands.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { type DiffEntry, findWrongStep } from './change-set.rules.js';
import {
  type ChangeSetAddItemInput,
  type ChangeSetInput,
  type ChangeSetRemoveItemInput,
  changeSetSchema,
} from './change-sets.graphql.js';
import { type ChangeSetRow, ChangeSetsRepository } from './change-sets.repository.js';
import { ChangeSetsService } from './change-sets.service.js';
import { CommandInputs } from './command-inputs.js';

/** Adds and removes items of change sets, and creates the sets that revert applied ones. */
@Injectable()
export class ChangeSetItemsService implements OnModuleInit {
  constructor(
    private readonly service: ChangeSetsService,
    private readonly sets: ChangeSetsRepository,
    private readonly inputs: CommandInputs,
    private readonly commands: PolicyCommands,
    private readonly reversals: Reversals,
    private readonly changes: ChangeRunner,
  ) {}

  /**
   * Makes an applied set revertible as one change, through its parts. A set that needed approval is excluded: its reversal is
   * a change set, which needs approval too.
   */
  onModuleInit(): void {
    this.reversals.register('changeSet.apply', {
      permission: 'change-sets:write',
      applies: ({ after }) => after?.neededApproval === false,
      run: async (_caller, change) => ({ ok: true, value: null, changeId: change.id, impact: null }),
    });
  }

  /** Errors: NOT_FOUND; INVALID for an input that the mutation would reject, or a mutation that the caller may not run. */
  add(caller: Caller, input: ChangeSetAddItemInput): Promise<Outcome<ChangeSetRow>> {
    const call = { command: input.command, input: input.input };
    const read = this.inputs.read(caller, call);
    return 'errors' in read
      ? this.service.step(caller, input, 'edit', async (_, set) => refuse(read.errors, set))
      : this.service.add(caller, input, [{ command: call.command, input: read.input }]);
  }

  remove(caller: Caller, input: ChangeSetRemoveItemInput): Promise<Outcome<ChangeSetRow>> {
    return this.service.step(caller, input, 'edit', async (change, set) => {
      if (!(await this.sets.removeItem(change.tx, set.id, input.itemId)))
        return refuse([notFound(['itemId'], 'item with this id in the set')], set);
      return this.service.save(change, 'changeSet.removeItem', set, { status: 'DRAFT' });
    });
  }

  /** Creates a draft that reverts an applied set. Errors: INVALID. */
  async revert(caller: Caller, input: ChangeSetInput): Promise<Outcome<ChangeSetRow>> {
    const parsed = parseInput(changeSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.run<ChangeSetRow>(caller, { reason: parsed.data.reason }, async (change) => {
      const set = await this.sets.lockById(change.tx, input.id);
      if (set === null) return refuse([notFound(['id'], 'change set with this id')]);
      const wrong = findWrongStep('revert', set.status);
      if (wrong !== undefined) return refuse([wrong], set);
      const calls = this.inverse(set);
      if ('code' in calls) return refuse([calls], set);
      const reads = calls.map((call) => ({ call, read: this.inputs.read(caller, call) }));
      const errors = reads.flatMap(({ read }) => ('errors' in read ? read.errors : []));
      if (errors.length > 0) return refuse(errors, set);
      const { id: authorId, label: author } = caller.actor;
      const title = `Revert: ${set.title}`.slice(0, 80);
      const made = await this.sets.create(change.tx, { title, authorId, author, revertsId: set.id });
      await this.sets.addItems(
        change.tx,
        made.id,
        reads.map(({ call, read }) => ({
          command: call.command,
          input: ('input' in read ? read.input : {}) as never,
          addedById: authorId,
        })),
      );
      return this.service.save(change, 'changeSet.revert', made, { status: 'DRAFT' });
    });
  }

  /** The calls that revert a set, last item first; an error for an item that cannot be reverted. */
  private inverse({ items, reviewedDiff }: ChangeSetRow): CommandCall[] | UserError {
    const diff = (reviewedDiff ?? []) as unknown as DiffEntry[];
    const calls: CommandCall[] = [];
    for (const [index, item] of [...items.entries()].reverse()) {
      const done = diff.filter((entry) => entry.item === index) as unknown as AuditFacts[];
      const later = items.slice(index + 1) as unknown as CommandCall[];
      const command = this.commands.find(item.command);
      const inverse = command?.revert(item.input as never, done, later);
      if (inverse == null) {
        const why = command?.irrevocable ?? 'It has no earlier state.';
        const message = `Item ${index + 1} (${item.command}) cannot be reverted. ${why}`;
        return userError(UserErrorCode.INVALID, ['id'], message);
      }
      calls.push(...inverse);
    }
    return calls;
  }
}
