import { ArgsType, Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationPayload, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { HeaderStyle, ManagedBy, Priority, UnknownOperations } from '../../../platform/prisma/schema.js';

@ObjectType({ description: 'Usage of a pool in the last second, over all nodes.' })
export class PoolLive {
  @Field(() => Int, { description: 'Units per second, lowered when services report less capacity.' })
  capacity!: number;

  @Field(() => Int, { description: 'Units used by tenants within their own limits.' })
  admitted!: number;

  @Field(() => Int, { description: 'Units lent to tenants above their limits.' })
  borrowed!: number;

  @Field(() => Int, { description: 'Units that are still available to borrow.' })
  spare!: number;

  @Field(() => Int, { description: 'Tenants that borrowed.' })
  borrowers!: number;

  @Field(() => Int, { description: 'Nodes that receive its traffic.' })
  nodes!: number;
}

@ObjectType({
  implements: () => [Node],
  description: 'Capacity shared by the tenants of an API. An operation uses the oldest pool that lists it.',
})
export class Pool extends Node {
  @Field({ description: 'Permanent name, unique within its API; elastic limits refer to it.' })
  name!: string;

  @Field(() => [String], { description: 'Operations that use it; empty: every operation of the API.' })
  operations!: string[];

  @Field(() => Int, { description: 'Units per second, measured over a sliding second.' })
  capacity!: number;

  @Field(() => Int, {
    description: 'Unused capacity below this percentage is spare and may be borrowed.',
  })
  reclaimPercent!: number;

  @Field(() => PoolLive, {
    nullable: true,
    description: 'Current usage; null when the counters are unavailable.',
  })
  live?: PoolLive | null;
}

registerEnumType(UnknownOperations, {
  name: 'UnknownOperations',
  description: 'How requests for unregistered operations are decided.',
  valuesMap: {
    COUNT: { description: 'Limits that cover every operation of the API apply.' },
    ALLOW: { description: 'Allowed, marked NO_LIMIT.' },
    REFUSE: { description: 'Denied, marked BLOCKED.' },
  },
});
registerEnumType(HeaderStyle, {
  name: 'HeaderStyle',
  description: 'How response headers report limits.',
  valuesMap: {
    DRAFT_11: {
      description: '`RateLimit-Policy` and `RateLimit` of the current IETF draft: every limit by name.',
    },
    DRAFT_3: {
      description:
        '`RateLimit-Limit`, `-Remaining`, `-Reset` of its older drafts: the limit that is closest to exhausted.',
    },
    X_RATELIMIT: {
      description: '`X-RateLimit-*`: the limit that is closest to exhausted, its reset in Unix seconds.',
    },
  },
});
registerEnumType(ManagedBy, {
  name: 'ManagedBy',
  description: 'Where an object is managed.',
  valuesMap: {
    CONSOLE: { description: 'In the console and the API.' },
    CONFIG: { description: 'In a configuration file: `configApply` changes it; other changes need `force`.' },
  },
});
registerEnumType(Priority, {
  name: 'Priority',
  description: 'Order in which requests are shed when a pool is short.',
  valuesMap: {
    CRITICAL: { description: 'Shed last.' },
    NORMAL: { description: 'Shed after background.' },
    BACKGROUND: { description: 'Shed first.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'An operation of an API.' })
export class Operation extends Node {
  @Field({ description: 'Permanent name, as sent in requests.' })
  name!: string;

  @Field({ description: 'Description.' })
  description!: string;

  @Field(() => SafeInt, {
    description: 'Units that one request takes from a limit unless the request sets its own cost.',
  })
  cost!: bigint;

  @Field(() => Priority, { description: 'Order in which its requests are shed when its pool is short.' })
  priority!: Priority;
}

@ObjectType({ implements: () => [Node], description: 'A protected service.' })
export class Api extends Node {
  @Field({ description: 'Permanent name, as sent in requests.' })
  key!: string;

  @Field({ description: 'Display name.' })
  name!: string;

  @Field({ description: 'Description.' })
  description!: string;

  @Field(() => UnknownOperations, { description: 'How requests for unregistered operations are decided.' })
  unknownOperations!: UnknownOperations;

  @Field(() => [HeaderStyle], { description: 'Styles of the rate limit response headers.' })
  headerStyles!: HeaderStyle[];

  @Field(() => [String], { description: 'Labels for selecting it.' })
  tags!: string[];

  @Field(() => ManagedBy, { description: 'Where it is managed.' })
  managedBy!: ManagedBy;

  @Field(() => [Operation], { description: 'Operations by name.' })
  operations?: Operation[];

  @Field(() => [Pool], { description: 'Pools, oldest first.' })
  pools?: Pool[];

  @Field(() => Int, { description: 'Row version, for `expectedVersion`.' })
  version!: number;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;
}

export const ApiConnection = connectionOf(Api, 'Api', 'APIs');

@ArgsType()
export class ApisArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Part of a key or name, case-insensitive.' })
  search?: string | null;
}

@ObjectType({ description: 'Result of a change to an API.' })
export class ApiPayload extends MutationPayload {
  @Field(() => Api, {
    nullable: true,
    description: 'The API after the change; on CONFLICT its current state.',
  })
  api!: Api | null;
}

@ObjectType({ description: 'Result of deleting an API.' })
export class ApiDeletePayload extends PublishedPayload {
  @Field(() => Api, {
    nullable: true,
    description: 'Null when deleted; on CONFLICT its current state.',
  })
  api!: Api | null;
}

@ObjectType({ description: 'Result of a change to an API, its operations, pools or default limits.' })
export class ApiChangePayload extends PublishedPayload {
  @Field(() => Api, {
    nullable: true,
    description: 'The API after the change; on CONFLICT its current state.',
  })
  api!: Api | null;
}
