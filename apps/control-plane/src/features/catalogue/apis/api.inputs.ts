import { Field, InputType, Int } from '@nestjs/graphql';
import { apiKeySchema, MAX_COST, operationNameSchema, poolNameSchema, poolSchema } from '@tollgate/contracts';
import * as z from 'zod';
import {
  description,
  displayName,
  optionalDescription,
  optionalNote,
  orDefault,
  tags,
} from '../../../platform/changes/text.js';
import { ManagedInput, MutationInput } from '../../../platform/graphql/mutation.graphql.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { HeaderStyle, Priority, UnknownOperations } from '../../../platform/prisma/schema.js';

const headerStyles = z
  .array(z.enum(HeaderStyle))
  .max(Object.keys(HeaderStyle).length)
  .refine((styles) => new Set(styles).size === styles.length, 'A style is named twice');

export const apiCreateSchema = z.object({
  key: apiKeySchema,
  name: displayName,
  description,
  unknownOperations: orDefault(z.enum(UnknownOperations), UnknownOperations.COUNT),
  headerStyles: orDefault(headerStyles, [HeaderStyle.DRAFT_11]),
  tags: orDefault(tags, []),
  reason: optionalNote,
});

export const apiChangeSchema = z.object({
  apiKey: apiKeySchema,
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const apiUpdateSchema = apiChangeSchema.extend({
  name: displayName.nullish(),
  description: optionalDescription,
  unknownOperations: z.enum(UnknownOperations).nullish(),
  headerStyles: headerStyles.nullish(),
  tags: tags.nullish(),
});

const cost = z.int().min(1, 'cost must be 1 or more').max(MAX_COST, `cost must be ${MAX_COST} or less`);

export const operationSchema = apiChangeSchema.extend({ name: operationNameSchema });

export const operationCreateSchema = operationSchema.extend({
  description,
  cost: orDefault(cost, 1),
  priority: orDefault(z.enum(Priority), Priority.NORMAL),
});

export const operationUpdateSchema = operationSchema.extend({
  description: optionalDescription,
  cost: cost.nullish(),
  priority: z.enum(Priority).nullish(),
});

/** Of the capacity, percent, unless the admin says otherwise. */
const DEFAULT_RECLAIM_PERCENT = 80;

const { operations, capacity, reclaimPercent } = poolSchema.shape;

export const poolDeleteSchema = z.object({
  apiKey: apiKeySchema,
  name: poolNameSchema,
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const poolCreateSchema = poolDeleteSchema.extend({
  operations: orDefault(operations, []),
  capacity,
  reclaimPercent: orDefault(reclaimPercent, DEFAULT_RECLAIM_PERCENT),
});

export const poolUpdateSchema = poolDeleteSchema.extend({
  operations: operations.nullish(),
  capacity: capacity.nullish(),
  reclaimPercent: reclaimPercent.nullish(),
});

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

/** Which pool a change is to, and the API as its caller has seen it. */
@InputType({ isAbstract: true })
abstract class PoolChangeInput extends ManagedInput {
  @Field({ description: 'Key of its API.' })
  apiKey!: string;

  @Field({ description: 'Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters.' })
  name!: string;

  @Field(() => Int, { description: 'Version of the API that the caller has seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A new pool of an API.' })
export class PoolCreateInput extends PoolChangeInput {
  @Field(() => [String], {
    defaultValue: [],
    description: 'Operations that draw on it; empty: every operation of the API.',
  })
  operations!: string[];

  @Field(() => Int, { description: 'Units a second, 1 to 1000000000.' })
  capacity!: number;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 80,
    description: 'What is left below this part of the capacity, percent, may be borrowed.',
  })
  reclaimPercent?: number | null;
}

@InputType({ description: 'A change of a pool; what is left out stays as it is.' })
export class PoolUpdateInput extends PoolChangeInput {
  @Field(() => [String], { nullable: true, description: 'Operations that draw on it; empty: every one.' })
  operations?: string[] | null;

  @Field(() => Int, { nullable: true, description: 'Units a second, 1 to 1000000000.' })
  capacity?: number | null;

  @Field(() => Int, { nullable: true, description: 'Percent, 1 to 100.' })
  reclaimPercent?: number | null;
}

@InputType({ description: 'Which pool to remove.' })
export class PoolDeleteInput extends PoolChangeInput {}
