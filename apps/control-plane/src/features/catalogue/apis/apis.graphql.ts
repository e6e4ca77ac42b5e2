import { ArgsType, InputType, ObjectType } from '@nestjs/graphql';
import {
  apiKeySchema,
  MAX_COST,
  operationNameSchema,
  poolNameSchema,
  poolSchema,
  poolWarmUpSchema,
} from '@tollgate/contracts';
import * as z from 'zod';
import {
  description,
  displayName,
  optionalDescription,
  optionalNote,
  tags,
  withDefault,
} from '../../../platform/changes/outcome.js';
import { connectionOf, Node, PageArgs } from '../../../platform/graphql/connection.js';
import {
  ManagedInput,
  MutationInput,
  MutationPayload,
  PublishedPayload,
} from '../../../platform/graphql/mutation.graphql.js';
import { ArgsOf, field, InputOf, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { HeaderStyle, ManagedBy, Priority, UnknownOperations } from '../../../platform/prisma/schema.js';

const headerStyles = z
  .array(z.enum(HeaderStyle))
  .max(Object.keys(HeaderStyle).length)
  .refine((styles) => new Set(styles).size === styles.length, 'A style is named twice')
  .describe('Styles of the rate limit response headers; empty: no headers.');
const unknownOperations = z
  .enum(UnknownOperations)
  .describe('How requests for operations that are not registered are decided.');
const labels = tags.describe('Labels for selecting it, 20 at most.');
const apiName = displayName.describe('Display name.');
const apiDescription = 'Description.';
const MAX_OPERATIONS = 100;

export const apiCreateSchema = z.object({
  key: apiKeySchema.describe('Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters.'),
  name: apiName,
  description: description.meta({ description: apiDescription, defaultValue: '' }),
  unknownOperations: withDefault(unknownOperations, UnknownOperations.COUNT),
  headerStyles: withDefault(headerStyles, [HeaderStyle.DRAFT_11]),
  tags: withDefault(labels, []),
  operations: withDefault(
    z
      .array(operationNameSchema)
      .max(MAX_OPERATIONS, `At most ${MAX_OPERATIONS} operations`)
      .refine((names) => new Set(names).size === names.length, 'An operation is named twice')
      .describe('Names of operations to create with it, each with cost 1 and normal priority.'),
    [],
  ),
  reason: optionalNote,
});

@InputType({ description: 'A new API.' })
export class ApiCreateInput extends InputOf(apiCreateSchema, MutationInput) {}

export const apiChangeSchema = z.object({
  apiKey: apiKeySchema.describe('Key of the API.'),
  expectedVersion: z.int().describe('The version of the API that the change is based on.'),
  reason: optionalNote,
});

@InputType({ description: 'The API to delete.' })
export class ApiDeleteInput extends InputOf(apiChangeSchema, ManagedInput) {}

export const apiUpdateSchema = apiChangeSchema.extend({
  name: apiName.nullish(),
  description: optionalDescription.describe(apiDescription),
  unknownOperations: unknownOperations.nullish(),
  headerStyles: headerStyles.nullish(),
  tags: labels.nullish(),
});

@InputType({ description: 'Changes to an API; omitted fields keep their values.' })
export class ApiUpdateInput extends InputOf(apiUpdateSchema, ManagedInput) {}

const cost = z
  .int()
  .min(1, 'cost must be 1 or more')
  .max(MAX_COST, `cost must be ${MAX_COST} or less`)
  .meta({ description: 'Units that one request takes from a limit, 1 or more.', graphql: () => SafeInt });
const priority = z.enum(Priority).describe('Order in which requests are shed when a pool is short.');
const operationDescription = 'Description.';

export const operationSchema = apiChangeSchema.extend({
  name: operationNameSchema.describe('Name of the operation.'),
});

@InputType({ description: 'The operation to delete.' })
export class OperationDeleteInput extends InputOf(operationSchema, ManagedInput) {}

export const operationCreateSchema = operationSchema.extend({
  name: operationNameSchema.describe('Permanent name: a letter, then letters, digits, ".", "_" or "-".'),
  description: description.meta({ description: operationDescription, defaultValue: '' }),
  cost: withDefault(cost, 1),
  priority: withDefault(priority, Priority.NORMAL),
});

@InputType({ description: 'A new operation of an API.' })
export class OperationCreateInput extends InputOf(operationCreateSchema, ManagedInput) {}

export const operationUpdateSchema = operationSchema.extend({
  description: optionalDescription.describe(operationDescription),
  cost: cost.nullish(),
  priority: priority.nullish(),
});

@InputType({ description: 'Changes to an operation; omitted fields keep their values.' })
export class OperationUpdateInput extends InputOf(operationUpdateSchema, ManagedInput) {}

const DEFAULT_RECLAIM_PERCENT = 80;

const operations = poolSchema.shape.operations.describe(
  'Operations that use it; empty: every operation of the API.',
);
const capacity = poolSchema.shape.capacity.describe('Units per second, 1 to 1000000000.');
const reclaimPercent = poolSchema.shape.reclaimPercent.describe(
  'Unused capacity below this percentage is spare and may be borrowed, 1 to 100.',
);

@InputType({ description: 'Starts the capacity of a pool at a part after a cold start of its service.' })
class PoolWarmUpInput extends InputOf(poolWarmUpSchema) {}

const warmUp = poolWarmUpSchema.meta({ graphql: () => PoolWarmUpInput }).nullish();

export const poolDeleteSchema = apiChangeSchema.extend({
  name: poolNameSchema.describe('Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters.'),
});

@InputType({ description: 'The pool to delete.' })
export class PoolDeleteInput extends InputOf(poolDeleteSchema, ManagedInput) {}

export const poolCreateSchema = poolDeleteSchema.extend({
  operations: operations.meta({ defaultValue: [] }),
  capacity,
  reclaimPercent: withDefault(reclaimPercent, DEFAULT_RECLAIM_PERCENT),
  warmUp: warmUp.describe('Warm-up after a cold start; null: none.'),
});

@InputType({ description: 'A new pool of an API.' })
export class PoolCreateInput extends InputOf(poolCreateSchema, ManagedInput) {}

export const poolUpdateSchema = poolDeleteSchema.extend({
  operations: operations.nullish(),
  capacity: capacity.nullish(),
  reclaimPercent: reclaimPercent.nullish(),
  warmUp: warmUp.describe('Warm-up after a cold start; null removes it.'),
});

@InputType({ description: 'Changes to a pool; omitted fields keep their values.' })
export class PoolUpdateInput extends InputOf(poolUpdateSchema, ManagedInput) {}

@ObjectType({ description: 'Usage of a pool in the last second, over all nodes.' })
export class PoolLive extends ObjectOf({
  capacity: field.int('Units per second, lowered by the load that services report and by the warm-up.'),
  admitted: field.int('Units used by tenants within their own limits.'),
  borrowed: field.int('Units lent to tenants above their limits.'),
  spare: field.int('Units that are still available to borrow.'),
  borrowers: field.int('Tenants that borrowed.'),
  nodes: field.int('Nodes that receive its traffic.'),
  warmUpLeftMs: field.int('Milliseconds until the warm-up after a cold start ends; 0: not warming up.'),
}) {}

@ObjectType({ description: 'Starts the capacity of a pool at a part after a cold start of its service.' })
export class PoolWarmUp extends ObjectOf({
  ms: field.int(poolWarmUpSchema.shape.ms.description as string),
  startPercent: field.int(poolWarmUpSchema.shape.startPercent.description as string),
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
  warmUp: field.of(() => PoolWarmUp, 'Warm-up after a cold start; null: none.').nullable(),
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
