import { ArgsType, Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import {
  ManagedInput,
  MutationInput,
  MutationPayload,
  PublishedPayload,
} from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { HeaderStyle, ManagedBy, Priority, UnknownOperations } from '../../../platform/prisma/schema.js';
import { Pool } from './pools.graphql.js';

registerEnumType(UnknownOperations, {
  name: 'UnknownOperations',
  description: 'What a request for an operation that nobody configured gets.',
  valuesMap: {
    COUNT: { description: 'The limits on every operation of the API apply to it.' },
    ALLOW: { description: 'It passes, marked NO_LIMIT.' },
    REFUSE: { description: 'It is refused, marked BLOCKED.' },
  },
});
registerEnumType(HeaderStyle, {
  name: 'HeaderStyle',
  description: 'How limits are told in response headers.',
  valuesMap: {
    DRAFT_11: {
      description: '`RateLimit-Policy` and `RateLimit` of the current IETF draft: every limit by name.',
    },
    DRAFT_3: {
      description: '`RateLimit-Limit`, `-Remaining`, `-Reset` of its older drafts: the nearest limit.',
    },
    X_RATELIMIT: { description: '`X-RateLimit-*`: the nearest limit, its reset in unix seconds.' },
  },
});
registerEnumType(ManagedBy, {
  name: 'ManagedBy',
  description: 'Where an object is kept.',
  valuesMap: {
    CONSOLE: { description: 'Here: whoever may changes it.' },
    CONFIG: { description: 'In a configuration file: `configApply` changes it, others only with `force`.' },
  },
});
registerEnumType(Priority, {
  name: 'Priority',
  description: 'Who is pushed back first when a pool is short.',
  valuesMap: {
    CRITICAL: { description: 'Last.' },
    NORMAL: { description: 'After background.' },
    BACKGROUND: { description: 'First.' },
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

  @Field(() => Priority, { description: 'When it is pushed back, if a pool that it draws on is short.' })
  priority!: Priority;
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

  @Field(() => [HeaderStyle], { description: 'How its limits are told in response headers.' })
  headerStyles!: HeaderStyle[];

  @Field(() => [String], { description: 'Labels to choose it by.' })
  tags!: string[];

  @Field(() => ManagedBy, { description: 'Where it is kept.' })
  managedBy!: ManagedBy;

  @Field(() => [Operation], { description: 'Its operations, by name.' })
  operations?: Operation[];

  @Field(() => [Pool], { description: 'Its pools of capacity, oldest first.' })
  pools?: Pool[];

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
    defaultValue: UnknownOperations.COUNT,
    description: 'What operations that nobody configured get.',
  })
  unknownOperations?: UnknownOperations | null;

  @Field(() => [HeaderStyle], {
    nullable: true,
    defaultValue: [HeaderStyle.DRAFT_11],
    description: 'How its limits are told in response headers.',
  })
  headerStyles?: HeaderStyle[] | null;

  @Field(() => [String], {
    nullable: true,
    defaultValue: [],
    description: 'Labels to choose it by, 20 at most.',
  })
  tags?: string[] | null;
}

/** Which API a change is to, as its caller has seen it. */
@InputType({ isAbstract: true })
abstract class ApiChangeInput extends ManagedInput {
  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field(() => Int, { description: 'Version of the API that the caller has seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A change of an API itself; what is left out stays as it is.' })
export class ApiUpdateInput extends ApiChangeInput {
  @Field(() => String, { nullable: true, description: 'Name for people.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'What it is, for people.' })
  description?: string | null;

  @Field(() => UnknownOperations, {
    nullable: true,
    description: 'What operations that nobody configured get.',
  })
  unknownOperations?: UnknownOperations | null;

  @Field(() => [HeaderStyle], {
    nullable: true,
    description: 'How its limits are told in response headers; empty: not at all.',
  })
  headerStyles?: HeaderStyle[] | null;

  @Field(() => [String], { nullable: true, description: 'All of its labels, 20 at most.' })
  tags?: string[] | null;
}

@InputType({ description: 'Which API to delete.' })
export class ApiDeleteInput extends ApiChangeInput {}

@InputType({ description: 'Which operation to delete.' })
export class OperationDeleteInput extends ApiChangeInput {
  @Field({ description: 'Name of the operation.' })
  name!: string;
}

@InputType({ description: 'A new operation of an API.' })
export class OperationCreateInput extends ApiChangeInput {
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

  @Field(() => Priority, {
    nullable: true,
    defaultValue: Priority.NORMAL,
    description: 'When it is pushed back, if a pool that it draws on is short.',
  })
  priority?: Priority | null;
}

@InputType({ description: 'A change of an operation; what is left out stays as it is.' })
export class OperationUpdateInput extends ApiChangeInput {
  @Field({ description: 'Name of the operation.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'What it does, for people.' })
  description?: string | null;

  @Field(() => SafeInt, { nullable: true, description: 'What one request takes out of a limit, 1 or more.' })
  cost?: number | null;

  @Field(() => Priority, {
    nullable: true,
    description: 'When it is pushed back, if a pool that it draws on is short.',
  })
  priority?: Priority | null;
}

@ObjectType({ description: 'Outcome of a change to an API.' })
export class ApiPayload extends MutationPayload {
  @Field(() => Api, { nullable: true, description: 'The API after the change; on CONFLICT as it is now.' })
  api!: Api | null;
}

@ObjectType({ description: 'Outcome of deleting an API.' })
export class ApiDeletePayload extends PublishedPayload {
  @Field(() => Api, {
    nullable: true,
    description: 'Null when it is gone; on CONFLICT the API as it is now.',
  })
  api!: Api | null;
}

@ObjectType({ description: 'Outcome of a change to what an API consists of.' })
export class ApiChangePayload extends PublishedPayload {
  @Field(() => Api, { nullable: true, description: 'The API after the change; on CONFLICT as it is now.' })
  api!: Api | null;
}
