import { Injectable } from '@nestjs/common';
import { abilityOf } from '../../../platform/access/ability.js';
import { type Actor, type Caller, jobActor } from '../../../platform/access/actor.js';
import { CurrentActors } from '../../../platform/access/current-actors.js';
import { checkGrant } from '../../../platform/access/grants.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { type Refusal, refuse, userError } from '../../../platform/changes/outcome.js';
import { PolicyCommands } from '../../../platform/changes/policy-commands.js';
import { type Impact, type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { newId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { type DiffEntry, diffOf, digestOf, withoutNewIds } from './change-set.rules.js';
import type { ChangeSetRow } from './change-sets.repository.js';

export interface Trial {
  diff: DiffEntry[];
  digest: string;
  impact: Impact | null;
  errors: UserError[];
}

/** Runs the items of a set, within a change or as a dry run. */
@Injectable()
export class ChangeSetTrial {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly changes: ChangeRunner,
    private readonly actors: CurrentActors,
  ) {}

  /** Dry run: the effect of the set now. */
  async attempt({ items }: Pick<ChangeSetRow, 'items'>): Promise<Trial> {
    const caller = { actor: jobActor('change-set'), requestId: newId('request'), dryRun: true };
    const outcome = await this.changes.run<DiffEntry[]>(caller, { reason: null }, (change) =>
      this.runAll(caller, change, items),
    );
    if (!outcome.ok) return { diff: [], digest: '', impact: null, errors: outcome.errors };
    const diff = withoutNewIds(outcome.value);
    return { diff, digest: digestOf(diff), impact: outcome.impact, errors: [] };
  }

  /** Runs the items within `change`, in order; fails with the first failing item. */
  async runAll(
    caller: Caller,
    change: Change,
    items: ChangeSetRow['items'],
  ): Promise<DiffEntry[] | Refusal<DiffEntry[]>> {
    const diff: DiffEntry[] = [];
    for (const [index, item] of items.entries()) {
      const before = change.entries.length;
      const command = this.commands.find(item.command);
      if (command === undefined) return refuse([noCommand(item.command, ['items', String(index)])]);
      const outcome = await command.run(caller, change, item.input as never);
      if (!outcome.ok) {
        const place = ['items', String(index)];
        return refuse(
          outcome.errors.map((error) => ({ ...error, field: [...place, ...(error.field ?? [])] })),
        );
      }
      const fromNow = command.fromNow?.(item.input as never);
      diff.push(...change.entries.slice(before).map((entry) => diffOf(index, entry, fromNow)));
    }
    return diff;
  }

  /** Commands that an actor may not run, by item. */
  findForbidden(actor: Pick<Actor, 'ability'>, items: readonly { command: string }[]): UserError[] {
    return items.flatMap(({ command }, index) => {
      const permission = this.commands.find(command)?.permission;
      if (permission === undefined) return [];
      const forbidden = checkGrant(actor, { rights: [permission], tenantKeys: [] }, ['items', String(index)]);
      return forbidden === undefined ? [] : [forbidden];
    });
  }

  /** As `findForbidden`, by the current permissions of a user or token. Null or unknown: all items are forbidden. */
  async findForbiddenTo(
    tx: Tx,
    actorId: string | null,
    items: readonly { command: string }[],
  ): Promise<UserError[]> {
    const actor = actorId === null ? undefined : await this.actors.find(actorId, tx);
    return this.findForbidden(actor ?? NOBODY, items);
  }

  /** Items whose author has lost the permission to run them. */
  async findAbandoned(tx: Tx, items: ChangeSetRow['items']): Promise<UserError[]> {
    const found = await Promise.all(
      items.map(({ addedById, command }) => this.findForbiddenTo(tx, addedById, [{ command }])),
    );
    return found.flatMap((errors, index) => {
      if (errors.length === 0) return [];
      const message =
        'The author of this change has lost the permission. Remove the change and add it again.';
      return [userError(UserErrorCode.INVALID, ['items', String(index)], message)];
    });
  }
}

/** Holds no permission. */
const NOBODY = { ability: abilityOf(null, []) };

export function noCommand(name: string, field: string[]): UserError {
  return userError(UserErrorCode.NOT_FOUND, field, `"${name.slice(0, 80)}" is not one of changeSetCommands.`);
}
