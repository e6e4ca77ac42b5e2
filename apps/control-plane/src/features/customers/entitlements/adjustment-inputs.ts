import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import {
  adjustmentEffectSchema,
  apiKeySchema,
  limitNameSchema,
  type AdjustmentEffect as StoredEffect,
  tenantKeySchema,
} from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { MutationInput } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { CarryOver, LimitClass } from '../../../platform/prisma/schema.js';
import { upper } from '../../catalogue/index.js';

export enum EffectKind {
  ADD = 'ADD',
  MULTIPLY = 'MULTIPLY',
  SET = 'SET',
}

registerEnumType(EffectKind, {
  name: 'EffectKind',
  description: 'What an adjustment does to the number of a limit.',
  valuesMap: {
    ADD: { description: 'So many more.' },
    MULTIPLY: { description: 'To so much of a hundred: 200 is twice as much.' },
    SET: { description: 'To this number, whatever it was.' },
  },
});
registerEnumType(LimitClass, {
  name: 'LimitClass',
  description: 'Which limits are meant.',
  valuesMap: {
    RATE: { description: 'All that are no quota.' },
    QUOTA: { description: 'Those per calendar period.' },
  },
});

@InputType({ description: 'What an adjustment does. Only the fields of its kind are given.' })
export class AdjustmentEffectInput {
  @Field(() => EffectKind, { description: 'In one word.' })
  kind!: EffectKind;

  @Field(() => SafeInt, { nullable: true, description: 'ADD: how many more.' })
  units?: number | null;

  @Field(() => Int, { nullable: true, description: 'MULTIPLY: of a hundred, 1 to 1,000,000.' })
  percent?: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'SET: the number.' })
  limit?: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'SET, of GCRA: the burst; left out, it keeps its proportion.',
  })
  burst?: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'SET, of TOKEN_BUCKET: the capacity; left out, it keeps its proportion.',
  })
  capacity?: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'SET, of LEAKY_BUCKET: how many may wait; left out, it keeps its proportion.',
  })
  queue?: number | null;
}

@ObjectType({
  description: 'What an adjustment does to the number of a limit. What its kind does not have is null.',
})
export class AdjustmentEffect extends ObjectOf({
  kind: field.of(() => EffectKind, 'In one word.'),
  units: field.safeInt('ADD: how many more.').nullable(),
  percent: field.int('MULTIPLY: of a hundred.').nullable(),
  limit: field.safeInt('SET: the number.').nullable(),
  burst: field.safeInt('SET, of GCRA: the burst, where it was given.').nullable(),
  capacity: field.safeInt('SET, of TOKEN_BUCKET: the capacity, where it was given.').nullable(),
  queue: field.safeInt('SET, of LEAKY_BUCKET: how many may wait, where it was given.').nullable(),
}) {}

@ObjectType({ description: 'A limit of a tenant as it would be.' })
export class LimitPreview extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  limit: field.safeInt('What would be in force.'),
}) {}

/** Target limits, effect and start of any change of the limits of one tenant. */
@ObjectType({ isAbstract: true })
export abstract class PlacedAdjustment extends ObjectOf(Node, {
  apiKey: field.string('Key of the API; null: every API.').nullable(),
  limit: field.string('Name of the limit; null: every limit of the API.').nullable(),
  appliesTo: field.of(() => LimitClass, 'Null: rates and quotas.').nullable(),
  effect: field.of(() => AdjustmentEffect, 'What it does to them.'),
  startsAt: field.dateTime('From when on.'),
}) {}

/** Target limits of a tenant and the effect on them. */
@InputType({ isAbstract: true })
export abstract class AdjustmentInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => Int, { description: 'Version of the tenant that the caller has read.' })
  expectedVersion!: number;

  @Field(() => String, { nullable: true, description: 'Key of the API; left out: every API.' })
  apiKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the limit; left out: every limit of the API.',
  })
  limit?: string | null;

  @Field(() => LimitClass, { nullable: true, description: 'Left out: rates and quotas.' })
  appliesTo?: LimitClass | null;

  @Field(() => AdjustmentEffectInput, { description: 'Effect.' })
  effect!: AdjustmentEffectInput;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what is used, when it begins.',
  })
  carryOver?: CarryOver | null;
}

const number = z.number().nullish();

/** The fields of an effect as GraphQL has them, all beside each other; only those of its kind may be given. */
const effect = z
  .object({
    kind: z.enum(EffectKind),
    units: number,
    percent: number,
    limit: number,
    burst: number,
    capacity: number,
    queue: number,
  })
  .transform(({ kind, ...fields }, context): StoredEffect => {
    const given = Object.entries(fields).filter(([, value]) => value != null);
    const parsed = adjustmentEffectSchema.safeParse({
      kind: kind.toLowerCase(),
      ...Object.fromEntries(given),
    });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const foreign = issue.code === 'unrecognized_keys' ? issue.keys : [];
      for (const name of foreign) {
        const message = `${name} is not of ${kind}; leave it out`;
        context.issues.push({ code: 'custom', path: [name], message, input: fields });
      }
      if (foreign.length > 0) continue;
      context.issues.push({ code: 'custom', path: issue.path, message: issue.message, input: fields });
    }
    return z.NEVER;
  });

const targetFields = {
  apiKey: apiKeySchema.nullish().transform((key) => key ?? undefined),
  limit: limitNameSchema.nullish().transform((name) => name ?? undefined),
  appliesTo: z
    .enum(LimitClass)
    .nullish()
    .transform((appliesTo) => appliesTo?.toLowerCase() as Lowercase<LimitClass> | undefined),
  effect,
};

type Target = { apiKey: string | undefined; limit: string | undefined; effect: StoredEffect };

/** A limit needs its API; SET needs a limit. */
function refineTarget({ apiKey, limit, effect: { kind } }: Target, context: z.RefinementCtx): void {
  if (limit !== undefined && apiKey === undefined) {
    context.addIssue({
      code: 'custom',
      path: ['apiKey'],
      message: 'A limit is named within an API; name that too',
    });
  }
  if (kind === 'set' && limit === undefined) {
    const message = 'SET puts one number in the place of another; name the limit';
    context.addIssue({ code: 'custom', path: ['limit'], message });
  }
}

/** Target limits and the effect on them. */
export const targetSchema = z.object(targetFields).superRefine(refineTarget);

/** As `targetSchema`, for one tenant as the caller has seen it. */
export const adjustmentFields = {
  ...targetFields,
  tenantKey: tenantKeySchema,
  expectedVersion: z.int(),
  carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
  reason: optionalNote,
};

/** An object of `adjustmentFields` and more. */
export function adjustmentSchema<S extends z.ZodRawShape>(more: S) {
  return z
    .object({ ...adjustmentFields, ...more })
    .superRefine((value, context) => refineTarget(value as unknown as Target, context));
}

/** A reason that must be given. */
export const mandatoryReason = optionalNote.refine(
  (reason) => reason !== null,
  'Say why: whoever looks at it later has nothing else to go by',
);

/** An effect as GraphQL shows it. */
export function showEffect(column: unknown): AdjustmentEffect {
  const shown = adjustmentEffectSchema.parse(column);
  const { units, percent, limit, burst, capacity, queue } = shown as {
    [Name in keyof Omit<AdjustmentEffect, 'kind'>]?: number;
  };
  return {
    kind: upper(shown.kind) as EffectKind,
    units: units ?? null,
    percent: percent ?? null,
    limit: limit ?? null,
    burst: burst ?? null,
    capacity: capacity ?? null,
    queue: queue ?? null,
  };
}
