import { ArgsType, ObjectType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationPayload, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { ArgsOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { HeaderStyle, ManagedBy, Priority, UnknownOperations } from '../../../platform/prisma/schema.js';

@ObjectType({ description: 'Usage of a pool in the last second, over all nodes.' })
export class PoolLive extends ObjectOf({
  capacity: field.int('Units per second, lowered when services report less capacity.'),
  admitted: field.int('Units used by tenants within their own limits.'),
  borrowed: field.int('Units lent to tenants above their limits.'),
  spare: field.int('Units that are still available to borrow.'),
  borrowers: field.int('Tenants that borrowed.'),
  nodes: field.int('Nodes that receive its traffic.'),
}) {}

@ObjectType({
  implements: () => [Node],
  description: 'Capacity shared by the tenants of an API. An operation uses the oldest pool that lists it.',
})
export class Pool extends ObjectOf(Node, {
  name: field.string('Permanent name, unique within its API; elastic limits refer to it.'),
  operations: field.string('Operations that use it; empty: every operation of the API.').list(),
  capacity: field.int('Units per second, measured over a sliding second.'),
  reclaimPercent: field.int('Unused capacity below this percentage is spare and may be borrowed.'),
  live: field
    .of(() => PoolLive, 'Current usage; null when the counters are unavailable.')
    .nullable()
    .resolved(),
}) {}

registerEnum(
  UnknownOperations,
  'UnknownOperations',
  'How requests for unregistered operations are decided.',
  {
    COUNT: 'Limits that cover every operation of the API apply.',
    ALLOW: 'Allowed, marked NO_LIMIT.',
    REFUSE: 'Denied, marked BLOCKED.',
  },
);
registerEnum(HeaderStyle, 'HeaderStyle', 'How response headers report limits.', {
  DRAFT_11: '`RateLimit-Policy` and `RateLimit` of the current IETF draft: every limit by name.',
  DRAFT_3:
    '`RateLimit-Limit`, `-Remaining`, `-Reset` of its older drafts: the limit that is closest to exhausted.',
  X_RATELIMIT: '`X-RateLimit-*`: the limit that is closest to exhausted, its reset in Unix seconds.',
});
registerEnum(ManagedBy, 'ManagedBy', 'Where an object is managed.', {
  CONSOLE: 'In the console and the API.',
  CONFIG: 'In a configuration file: `configApply` changes it; other changes need `force`.',
});
registerEnum(Priority, 'Priority', 'Order in which requests are shed when a pool is short.', {
  CRITICAL: 'Shed last.',
  NORMAL: 'Shed after background.',
  BACKGROUND: 'Shed first.',
});

@ObjectType({ implements: () => [Node], description: 'An operation of an API.' })
export class Operation extends ObjectOf(Node, {
  name: field.string('Permanent name, as sent in requests.'),
  description: field.string('Description.'),
  cost: field.as<bigint>(
    () => SafeInt,
    'Units that one request takes from a limit unless the request sets its own cost.',
  ),
  priority: field.of(() => Priority, 'Order in which its requests are shed when its pool is short.'),
}) {}

@ObjectType({ implements: () => [Node], description: 'A protected service.' })
export class Api extends ObjectOf(Node, {
  key: field.string('Permanent name, as sent in requests.'),
  name: field.string('Display name.'),
  description: field.string('Description.'),
  unknownOperations: field.of(
    () => UnknownOperations,
    'How requests for unregistered operations are decided.',
  ),
  headerStyles: field.of(() => HeaderStyle, 'Styles of the rate limit response headers.').list(),
  tags: field.string('Labels for selecting it.').list(),
  managedBy: field.of(() => ManagedBy, 'Where it is managed.'),
  operations: field
    .of(() => Operation, 'Operations by name.')
    .list()
    .resolved(),
  pools: field
    .of(() => Pool, 'Pools, oldest first.')
    .list()
    .resolved(),
  version: field.int('Row version, for `expectedVersion`.'),
  createdAt: field.dateTime('Creation time.'),
}) {}

export const ApiConnection = connectionOf(Api, 'Api', 'APIs');

@ArgsType()
export class ApisArgs extends ArgsOf(PageArgs, {
  search: field.string('Part of a key or name, case-insensitive.').optional(),
}) {}

@ObjectType({ description: 'Result of a change to an API.' })
export class ApiPayload extends ObjectOf(MutationPayload, {
  api: field.of(() => Api, 'The API after the change; on CONFLICT its current state.').nullable(),
}) {}

@ObjectType({ description: 'Result of deleting an API.' })
export class ApiDeletePayload extends ObjectOf(PublishedPayload, {
  api: field.of(() => Api, 'Null when deleted; on CONFLICT its current state.').nullable(),
}) {}

@ObjectType({ description: 'Result of a change to an API, its operations, pools or default limits.' })
export class ApiChangePayload extends ObjectOf(PublishedPayload, {
  api: field.of(() => Api, 'The API after the change; on CONFLICT its current state.').nullable(),
}) {}
