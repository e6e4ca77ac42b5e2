import { ArgsType, Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../platform/graphql/mutation.graphql.js';
import { Node } from '../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../platform/graphql/scalars.js';
import { UnknownOperations } from '../../platform/prisma/schema.js';

registerEnumType(UnknownOperations, {
  name: 'UnknownOperations',
  description: 'What a request for an operation that nobody configured gets.',
  valuesMap: {
    ALLOW: { description: 'It passes, marked NO_LIMIT.' },
    REFUSE: { description: 'It is refused, marked BLOCKED.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'One call in an API.' })
export class Operation extends Node {
  @Field({ description: 'Permanent name, as requests send it.' })
  name!: string;

  @Field({ description: 'What it does, for people.' })
  description!: string;

  @Field(() => SafeInt, {
    description: 'What one request takes out of a limit, unless the request says otherwise.',
  })
  cost!: bigint;
}

@ObjectType({ implements: () => [Node], description: 'A protected service.' })
export class Api extends Node {
  @Field({ description: 'Permanent name, as requests send it.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field({ description: 'What it is, for people.' })
  description!: string;

  @Field(() => UnknownOperations, { description: 'What operations that are not listed here get.' })
  unknownOperations!: UnknownOperations;

  @Field(() => [Operation], { description: 'Its operations, by name.' })
  operations?: Operation[];

  @Field(() => Int, { description: 'Row version, for `expectedVersion`.' })
  version!: number;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;
}

export const ApiConnection = connectionOf(Api, 'Api', 'APIs');

@ArgsType()
export class ApisArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Part of a key or name; case does not matter.' })
  search?: string | null;
}

@InputType({ description: 'A new API.' })
export class ApiCreateInput extends MutationInput {
  @Field({ description: 'Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field(() => String, { nullable: true, defaultValue: '', description: 'What it is, for people.' })
  description?: string | null;

  @Field(() => UnknownOperations, {
    nullable: true,
    defaultValue: UnknownOperations.ALLOW,
    description: 'What operations that nobody configured get.',
  })
  unknownOperations?: UnknownOperations | null;
}

@InputType({ description: 'A new operation of an API.' })
export class OperationCreateInput extends MutationInput {
  @Field({ description: 'Key of its API.' })
  apiKey!: string;

  @Field({ description: 'Permanent name: a letter, then letters, digits, ".", "_" or "-".' })
  name!: string;

  @Field(() => String, { nullable: true, defaultValue: '', description: 'What it does, for people.' })
  description?: string | null;

  @Field(() => SafeInt, {
    nullable: true,
    defaultValue: 1,
    description: 'What one request takes out of a limit, 1 or more.',
  })
  cost?: number | null;

  @Field(() => Int, { description: 'Version of the API that the caller has seen.' })
  expectedVersion!: number;
}

@ObjectType({ description: 'Outcome of a change to an API.' })
export class ApiPayload extends MutationPayload {
  @Field(() => Api, { nullable: true, description: 'The API after the change; on CONFLICT as it is now.' })
  api!: Api | null;
}
