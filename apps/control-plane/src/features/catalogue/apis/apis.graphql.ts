import { ArgsType, Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationPayload, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { HeaderStyle, ManagedBy, Priority, UnknownOperations } from '../../../platform/prisma/schema.js';

@ObjectType({ description: "How a pool's last second looks, over all nodes." })
export class PoolLive {
  @Field(() => Int, { description: 'Units a second, corrected downward by what services report.' })
  capacity!: number;

  @Field(() => Int, { description: 'Units that tenants used within their own limits.' })
  admitted!: number;

  @Field(() => Int, { description: 'Units that were lent to tenants past their limits.' })
  borrowed!: number;

  @Field(() => Int, { description: 'Units that could still be lent.' })
  spare!: number;

  @Field(() => Int, { description: 'Tenants that were lent some.' })
  borrowers!: number;

  @Field(() => Int, { description: 'Nodes that see its traffic.' })
  nodes!: number;
}

@ObjectType({
  implements: () => [Node],
  description: "Capacity that an API's tenants share. An operation draws on the oldest pool that has it.",
})
export class Pool extends Node {
  @Field({ description: 'Permanent name, unique within its API; elastic limits name it.' })
  name!: string;

  @Field(() => [String], { description: 'Operations that draw on it; empty: every operation of the API.' })
  operations!: string[];

  @Field(() => Int, { description: 'Units a second, measured over a sliding second.' })
  capacity!: number;

  @Field(() => Int, {
    description: 'What is left below this part of the capacity, percent, is spare and may be borrowed.',
  })
  reclaimPercent!: number;

  @Field(() => PoolLive, {
    nullable: true,
    description: 'What is drawn on it now; null when the counters cannot be asked.',
  })
  live?: PoolLive | null;
}

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
