import { Field, InputType, Int } from '@nestjs/graphql';
import { tagSchema, tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
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
import { CarryOver, PublishAudience } from '../../../platform/prisma/schema.js';
import { LimitInput } from '../limits/limit.inputs.js';

/** The most tenants that a cohort names one by one. */
const MAX_COHORT_TENANTS = 1000;

/** Some of a tier's tenants: those with one of the tags, those that are named, and a part of all. */
export const cohortSchema = z
  .object({
    tags: z.array(tagSchema).max(20, 'At most 20 tags').nullish(),
    tenantKeys: z
      .array(tenantKeySchema)
      .max(MAX_COHORT_TENANTS, `At most ${MAX_COHORT_TENANTS} tenants by name; give them a tag`)
      .nullish(),
    percent: z.int().min(1, 'percent must be 1 or more').max(100, 'percent must be 100 or less').nullish(),
  })
  .transform(({ tags, tenantKeys, percent }) => ({
    tags: tags ?? [],
    tenantKeys: tenantKeys ?? [],
    percent: percent ?? 0,
  }))
  .refine(({ tags, tenantKeys, percent }) => tags.length + tenantKeys.length + percent > 0, {
    message: 'Say who belongs to the cohort: tags, tenantKeys or percent',
  });

export type Cohort = z.output<typeof cohortSchema>;

const rank = z.int().min(0, 'rank must be 0 or more').max(1_000_000, 'rank must be 1000000 or less');
const weight = z.int().min(1, 'weight must be 1 or more').max(1000, 'weight must be 1000 or less');

export const tierCreateSchema = z.object({
  key: tierKeySchema,
  name: displayName,
  description,
  rank: orDefault(rank, 0),
  weight: orDefault(weight, 1),
  tags: orDefault(tags, []),
  reason: optionalNote,
});

export const tierSchema = z.object({
  tierKey: tierKeySchema,
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const tierUpdateSchema = tierSchema.extend({
  name: displayName.nullish(),
  description: optionalDescription,
  rank: rank.nullish(),
  weight: weight.nullish(),
  tags: tags.nullish(),
  signUp: z.boolean().nullish(),
});

export const tierDuplicateSchema = tierSchema
  .omit({ expectedVersion: true })
  .extend({ newKey: tierKeySchema, name: displayName });

export const tierDraftSchema = tierSchema.extend({ note: optionalNote });

export const tierPublishSchema = tierSchema
  .extend({
    note: optionalNote,
    carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
    audience: orDefault(z.enum(PublishAudience), PublishAudience.EVERYONE_NOW),
    cohort: cohortSchema.nullish().transform((cohort) => cohort ?? null),
  })
  .superRefine(({ audience, cohort }, context) => {
    if ((audience === PublishAudience.COHORT) === (cohort !== null)) return;
    const message =
      cohort === null
        ? 'COHORT needs a cohort: say who belongs to it'
        : 'Only COHORT has a cohort; leave it out';
    context.addIssue({ code: 'custom', path: ['cohort'], message });
  });

@InputType({ description: 'A new tier, still without limits.' })
export class TierCreateInput extends MutationInput {
  @Field({ description: 'Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field(() => String, { nullable: true, defaultValue: '', description: 'What it offers, for people.' })
  description?: string | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 0,
    description: 'Place in the order of tiers, lowest first.',
  })
  rank?: number | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 1,
    description: 'Share of spare capacity among tenants that borrow from a pool, 1 to 1000.',
  })
  weight?: number | null;

  @Field(() => [String], {
    nullable: true,
    defaultValue: [],
    description: 'Labels to choose it by, 20 at most.',
  })
  tags?: string[] | null;
}

/** Which tier a change is to, as its caller has seen it. */
@InputType({ isAbstract: true })
abstract class TierChangeInput extends ManagedInput {
  @Field({ description: 'Key of the tier.' })
  tierKey!: string;

  @Field(() => Int, { description: 'Version of the tier that the caller has seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A change of a tier itself; what is left out stays as it is.' })
export class TierUpdateInput extends TierChangeInput {
  @Field(() => String, { nullable: true, description: 'Name for people.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'What it offers, for people.' })
  description?: string | null;

  @Field(() => Int, { nullable: true, description: 'Place in the order of tiers, lowest first.' })
  rank?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Share of spare capacity among tenants that borrow from a pool, 1 to 1000.',
  })
  weight?: number | null;

  @Field(() => [String], { nullable: true, description: 'All of its labels, 20 at most.' })
  tags?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether tenants who sign up begin on it; true takes that from any other tier.',
  })
  signUp?: boolean | null;
}

@InputType({ description: 'Which tier to archive, restore or delete.' })
export class TierLifecycleInput extends TierChangeInput {}

@InputType({ description: 'Which tier to copy, and what the copy is called.' })
export class TierDuplicateInput extends MutationInput {
  @Field({ description: 'Key of the tier to copy.' })
  tierKey!: string;

  @Field({ description: 'Permanent name of the copy: a–z, 0–9 and inner hyphens, at most 48 characters.' })
  newKey!: string;

  @Field({ description: 'Name of the copy for people.' })
  name!: string;
}

@InputType({ description: 'The whole of a draft: what is left out is removed.' })
export class TierDraftSaveInput extends TierChangeInput {
  @Field(() => [LimitInput], { description: 'All limits of the draft, in order.' })
  limits!: LimitInput[];

  @Field(() => String, { nullable: true, description: 'What the version changes, for people.' })
  note?: string | null;
}

@InputType({ description: 'Which draft to drop.' })
export class TierDraftDiscardInput extends TierChangeInput {}

@InputType({
  description:
    "Some of a tier's tenants: those with one of the tags, those named, and a part of all. At least one is said.",
})
export class CohortInput {
  @Field(() => [String], { nullable: true, description: 'Tenants with any of these tags.' })
  tags?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Tenants by key, 1000 at most.' })
  tenantKeys?: string[] | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Percent of all tenants, 1 to 100: always the same ones; who is in ten percent is in twenty, too.',
  })
  percent?: number | null;
}

@InputType({ description: 'Which draft to put in force, or which limits.' })
export class TierPublishInput extends TierChangeInput {
  @Field(() => [LimitInput], {
    nullable: true,
    description:
      "All limits of the version, in order, in place of the draft's: saved and published in one change. Left out: the draft.",
  })
  limits?: LimitInput[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'With limits: what the version changes, for people.',
  })
  note?: string | null;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what tenants have used under the version in force.',
  })
  carryOver?: CarryOver | null;

  @Field(() => PublishAudience, {
    nullable: true,
    defaultValue: PublishAudience.EVERYONE_NOW,
    description: 'For whom. Tenants that are pinned already stay where they are in any case.',
  })
  audience?: PublishAudience | null;

  @Field(() => CohortInput, { nullable: true, description: 'Only, and always, for the audience COHORT.' })
  cohort?: CohortInput | null;
}
