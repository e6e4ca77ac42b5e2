import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/actor.js';
import type { Permission } from '../access/permissions.js';
import type { AuditFacts, RecordedEntry } from './audit-trail.js';
import type { Change } from './change.js';
import type { Outcome } from './outcome.js';

/** A mutation by its name, with its input but for `expectedVersion`, `dryRun` and `force`. */
export interface CommandCall {
  command: string;
  input: object;
}

/** A mutation of policy that may be collected in a change set. */
export interface PolicyCommand<I extends object = never> {
  /** Name of the mutation. */
  name: string;
  /** Name of its input's GraphQL type, which checks the input when it is collected. */
  inputType: string;
  /** Permission of the mutation. */
  permission: Permission;
  /** Action in the audit trail. */
  action: string;
  /** Restores the input from a recorded entry; null when its object no longer exists. */
  inputOf(entry: RecordedEntry): Promise<Partial<I> | null>;
  /** Runs it within `change`, on the current state. */
  run(caller: Caller, change: Change, input: I): Promise<Outcome<unknown>>;
  /**
   * Recorded fields whose values depend on the time of the run (`entityId` for objects that are always created);
   * default none.
   */
  fromNow?(input: I): string[];
  /** Calls that revert it, given its entry and the later entries of its set; null when it cannot be reverted. */
  revert(input: I, done: readonly AuditFacts[], later: readonly CommandCall[]): CommandCall[] | null;
  /** Why it cannot be reverted and the alternative; left out when there is nothing to revert. */
  irrevocable?: string;
}

/** The input with these fields as times: an input that was kept has them as text. */
export function readTimes<I extends object>(input: I, names: readonly (keyof I)[]): I {
  const times = names.flatMap((name) => {
    const text: unknown = input[name];
    return typeof text === 'string' ? [[name, new Date(text)]] : [];
  });
  return { ...input, ...Object.fromEntries(times) };
}

/** Commands for change sets. Features register theirs at start. */
@Injectable()
export class PolicyCommands {
  private readonly commands = new Map<string, PolicyCommand>();

  register<I extends object>(command: PolicyCommand<I>): void {
    this.commands.set(command.name, command as unknown as PolicyCommand);
  }

  find(name: string): PolicyCommand | undefined {
    return this.commands.get(name);
  }

  findByAction(action: string): PolicyCommand | undefined {
    return [...this.commands.values()].find((command) => command.action === action);
  }

  list(): PolicyCommand[] {
    return [...this.commands.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
