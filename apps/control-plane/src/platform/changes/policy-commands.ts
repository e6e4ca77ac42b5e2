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
  /** What the mutation itself asks for. */
  permission: Permission;
  /** What the audit trail calls it. */
  action: string;
  /** What its input named, by what was written down of it; null when that is no more. */
  inputOf(entry: RecordedEntry): Promise<Partial<I> | null>;
  /** Runs it within `change`, on what is there at that moment. */
  run(caller: Caller, change: Change, input: I): Promise<Outcome<unknown>>;
  /** Fields of what it writes down that count from when it is run, `entityId` of what is always made anew; left out: none. */
  fromNow?(input: I): string[];
  /** What takes it back, given what it wrote down and what was done after it in its set; null when nothing does. */
  revert(input: I, done: readonly AuditFacts[], later: readonly CommandCall[]): CommandCall[] | null;
  /** Why nothing takes it back, and what to do instead; left out: there was nothing before it. */
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

/** What change sets may hold: features add their commands when they start. */
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
