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

export interface Reversal {
  permission: Permission;
  /** False if nothing preceded the entry, so that it cannot be reverted. */
  applies(entry: RecordedEntry): boolean;
  /** @param later later entries of the same change, already reverted */
  run(
    caller: Caller,
    change: Change,
    entry: RecordedEntry,
    later: readonly RecordedEntry[],
  ): Promise<Outcome<unknown>>;
}

/** Reversals by audit action, which features register at start. */
@Injectable()
export class Reversals {
  private readonly reversals = new Map<string, Reversal>();

  constructor(private readonly commands: PolicyCommands) {}

  register(action: string, reversal: Reversal): void {
    this.reversals.set(action, reversal);
  }

  find(action: string): Reversal | undefined {
    return this.reversals.get(action) ?? this.ofCommand(action);
  }

  private ofCommand(action: string): Reversal | undefined {
    const command = this.commands.findByAction(action);
    if (command === undefined) return undefined;
    const named = { tierKey: '', tenantKey: '', apiKey: '', name: '' } as never;
    return {
      permission: command.permission,
      applies: (entry) => command.revert(named, [entry as AuditFacts], []) !== null,
      run: async (caller, change, entry, later) => {
        const input = await command.inputOf(entry);
        const calls =
          input === null
            ? null
            : command.revert(input as never, [entry as AuditFacts], await this.callsOf(later));
        let last: Outcome<unknown> = { ok: true, value: null, changeId: change.id, impact: null };
        for (const call of calls ?? []) {
          const next = this.commands.find(call.command);
          if (next === undefined) throw new Error(`${command.name} has no reversal`);
          last = await next.run(caller, change, call.input as never);
          if (!last.ok) return last;
        }
        return last;
      },
    };
  }

  private async callsOf(entries: readonly RecordedEntry[]): Promise<CommandCall[]> {
    const calls = entries.map(async (entry) => {
      const command = this.commands.findByAction(entry.action);
      const input = await command?.inputOf(entry);
      return command === undefined || input == null ? [] : [{ command: command.name, input }];
    });
    return (await Promise.all(calls)).flat();
  }
}
