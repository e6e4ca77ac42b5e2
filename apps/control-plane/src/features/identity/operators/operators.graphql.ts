import { InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/outcome.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { OperatorRole } from '../../../platform/prisma/schema.js';

@ObjectType({ implements: () => [Node], description: 'A person who administers this installation.' })
export class Operator extends ObjectOf(Node, {
  email: field.string('Email address for sign-in.'),
  name: field.string('Name.'),
  role: field.of(() => OperatorRole, 'Role as an operator.'),
  createdAt: field.dateTime('When the person became an operator.'),
  suspendedAt: field.dateTime('When the operator was suspended; null: not suspended.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of a change to an operator.' })
export class OperatorPayload extends ObjectOf(MutationPayload, {
  operator: field
    .of(() => Operator, 'The operator after the change; for a removal, the operator before it.')
    .nullable(),
}) {}

export const operatorStatusSchema = z.object({ id: idField('Id of the operator.'), reason: optionalNote });

@InputType({ description: 'The operator to suspend, resume or remove.' })
export class OperatorStatusInput extends InputOf(operatorStatusSchema, MutationInput) {}

export const operatorRoleSchema = operatorStatusSchema.extend({
  role: z.enum(OperatorRole).describe('The new role.'),
});

@InputType({ description: "A change of an operator's role." })
export class OperatorRoleChangeInput extends InputOf(operatorRoleSchema, MutationInput) {}
