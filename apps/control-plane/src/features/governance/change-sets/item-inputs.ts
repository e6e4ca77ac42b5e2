import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { userError } from '../../../platform/changes/outcome.js';
import type { PolicyCommand } from '../../../platform/changes/policy-commands.js';
import { coerceInputValue, isInputObjectType } from '../../../platform/graphql/graphql-js.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';

/** What a set says for all its items. */
const SAID_BY_SET = ['expectedVersion', 'dryRun', 'force'];

/** Checks items' inputs as the mutations themselves would: by the types of the schema. */
@Injectable()
export class ItemInputs {
  constructor(private readonly modules: ModuleRef) {}

  /** The input as it is kept, or what is wrong with it, by field. */
  read(command: PolicyCommand, given: object): { input: object } | { errors: UserError[] } {
    const { schema } = this.modules.get(GraphQLSchemaHost, { strict: false });
    const type = schema.getType(command.inputType);
    if (!isInputObjectType(type)) throw new Error(`${command.name} has no input type ${command.inputType}`);
    const errors: UserError[] = [];
    const own = Object.fromEntries(Object.entries(given).filter(([name]) => !SAID_BY_SET.includes(name)));
    const needed = 'expectedVersion' in type.getFields() ? { expectedVersion: 0 } : {};
    const coerced = coerceInputValue({ ...own, ...needed }, type, (path, _, error) => {
      const message = error.message.slice(0, 300);
      errors.push(userError(UserErrorCode.INVALID, ['input', ...path.map(String)], message));
    });
    if (errors.length > 0) return { errors };
    // With what the type says for what was left out.
    const { expectedVersion: _, ...input } = coerced as Record<string, unknown>;
    return { input: JSON.parse(JSON.stringify(input)) };
  }
}
