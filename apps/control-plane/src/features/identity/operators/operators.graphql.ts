import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/text.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { OperatorRole } from '../../../platform/prisma/schema.js';

@ObjectType({ implements: () => [Node], description: 'A person who runs this installation.' })
export class Operator extends Node {
  @Field({ description: 'Address to sign in with.' })
  email!: string;

  @Field({ description: 'Name.' })
  name!: string;

  @Field(() => OperatorRole, { description: 'What the person may do.' })
  role!: OperatorRole;

  @Field(() => DateTime, { description: 'When the person became an operator here.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'Since when suspended; null: not suspended.' })
  suspendedAt!: Date | null;
}

@InputType({ description: 'Which operator gets which role.' })
export class OperatorRoleChangeInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the operator.' })
  id!: string;

  @Field(() => OperatorRole, { description: 'The new role.' })
  role!: OperatorRole;
}

@InputType({ description: 'Which operator is suspended, let in again, or removed.' })
export class OperatorStatusInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the operator.' })
  id!: string;
}

@ObjectType({ description: 'Outcome of a change to an operator.' })
export class OperatorPayload extends MutationPayload {
  @Field(() => Operator, {
    nullable: true,
    description: 'The operator after the change; after a removal as it was.',
  })
  operator!: Operator | null;
}

const role = z.enum(OperatorRole);

export const operatorRoleSchema = z.object({ role, reason: optionalNote });

export const operatorStatusSchema = z.object({ reason: optionalNote });
