import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/actor.js';
import type { Permission } from '../access/permissions.js';
import type { AuditFacts, RecordedEntry } from './audit-trail.js';
import type { Change } from './change.js';
import type { Outcome } from './outcome.js';

/** A mutation with its input, without `expectedVersion`, `dryRun` and `force`. */
export interface CommandCall {
  command: string;
  input: object;
}

/** A mutation for change sets. */
export interface PolicyCommand<I extends object = never> {
  name: string;
  /** GraphQL type of the input, which validates it. */
  inputType: string;
  permission: Permission;
  action: string;
  /** Restores the input from an audit entry; null if its object no longer exists. */
  inputOf(entry: RecordedEntry): Promise<Partial<I> | null>;
  run(caller: Caller, change: Change, input: I): Promise<Outcome<unknown>>;
  /** Recorded fields that depend on the time of the run; `entityId` for objects that are always created. */
  fromNow?(input: I): string[];
  /** Calls that revert it; null if it cannot be reverted. @param later later calls of the same change set */
  revert(input: I, done: readonly AuditFacts[], later: readonly CommandCall[]): CommandCall[] | null;
  /** Why it cannot be reverted, and the alternative. */
  irrevocable?: string;
}

/** Stored inputs contain times as text. */
export function readTimes<I extends object>(input: I, names: readonly (keyof I)[]): I {
  const times = names.flatMap((name) => {
    const text: unknown = input[name];
    return typeof text === 'string' ? [[name, new Date(text)]] : [];
  });
  return { ...input, ...Object.fromEntries(times) };
}

/** Commands that features register at start. */
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
