import { Field, InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/outcome.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { OperatorRole } from '../../../platform/prisma/schema.js';

@ObjectType({ implements: () => [Node], description: 'A person who administers this installation.' })
export class Operator extends Node {
  @Field({ description: 'Email address for sign-in.' })
  email!: string;

  @Field({ description: 'Name.' })
  name!: string;

  @Field(() => OperatorRole, { description: 'Role as an operator.' })
  role!: OperatorRole;

  @Field(() => DateTime, { description: 'When the person became an operator.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the operator was suspended; null: not suspended.',
  })
  suspendedAt!: Date | null;
}

@ObjectType({ description: 'Outcome of a change to an operator.' })
export class OperatorPayload extends MutationPayload {
  @Field(() => Operator, {
    nullable: true,
    description: 'The operator after the change; for a removal, the operator before it.',
  })
  operator!: Operator | null;
}

export const operatorStatusSchema = z.object({ id: idField('Id of the operator.'), reason: optionalNote });

@InputType({ description: 'The operator to suspend, resume or remove.' })
export class OperatorStatusInput extends InputOf(operatorStatusSchema, MutationInput) {}

export const operatorRoleSchema = operatorStatusSchema.extend({
  role: z.enum(OperatorRole).describe('The new role.'),
});

@InputType({ description: "A change of an operator's role." })
export class OperatorRoleChangeInput extends InputOf(operatorRoleSchema, MutationInput) {}
