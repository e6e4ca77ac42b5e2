import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { userError } from '../../../platform/changes/outcome.js';
import {
  type CommandCall,
  type PolicyCommand,
  PolicyCommands,
} from '../../../platform/changes/policy-commands.js';
import { coerceInputValue, isInputObjectType } from '../../../platform/graphql/graphql-js.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { ChangeSetTrial, noCommand } from './change-set-trial.js';

/** Input fields that a change set supplies itself. */
const SUPPLIED_BY_SET = ['expectedVersion', 'dryRun', 'force'];

/** Validates inputs of commands by the GraphQL schema. */
@Injectable()
export class CommandInputs {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly trial: ChangeSetTrial,
    private readonly modules: ModuleRef,
  ) {}

  /** The input to run, or why the mutation would reject it or the caller may not run it; paths start with `command` or `input`. */
  read(caller: Caller, call: CommandCall): { input: object } | { errors: UserError[] } {
    const command = this.commands.find(call.command);
    if (command === undefined) return { errors: [noCommand(call.command, ['command'])] };
    const forbidden = this.trial.findForbidden(caller.actor, [call]);
    if (forbidden.length > 0) return { errors: forbidden.map((error) => ({ ...error, field: ['command'] })) };
    return this.coerce(command, call.input);
  }

  /** Validates an input against the schema, as the mutation itself would. Returns the input to store, or errors by field. */
  private coerce(command: PolicyCommand, given: object): { input: object } | { errors: UserError[] } {
    const { schema } = this.modules.get(GraphQLSchemaHost, { strict: false });
    const type = schema.getType(command.inputType);
    if (!isInputObjectType(type)) throw new Error(`${command.name} has no input type ${command.inputType}`);
    const errors: UserError[] = [];
    const own = Object.fromEntries(Object.entries(given).filter(([name]) => !SUPPLIED_BY_SET.includes(name)));
    const needed = 'expectedVersion' in type.getFields() ? { expectedVersion: 0 } : {};
    const coerced = coerceInputValue({ ...own, ...needed }, type, (path, _, error) => {
      const message = error.message.slice(0, 300);
      errors.push(userError(UserErrorCode.INVALID, ['input', ...path.map(String)], message));
    });
    if (errors.length > 0) return { errors };
    // Includes the default values of the input type.
    const { expectedVersion: _, ...input } = coerced as Record<string, unknown>;
    return { input: JSON.parse(JSON.stringify(input)) };
  }
}
