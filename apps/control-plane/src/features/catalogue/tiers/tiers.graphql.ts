import { InputType, ObjectType } from '@nestjs/graphql';
import { apiKeySchema, tagSchema, tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import {
  description,
  displayName,
  optionalDescription,
  optionalNote,
  tags,
  withDefault,
} from '../../../platform/changes/outcome.js';
import { connectionOf, Node } from '../../../platform/graphql/connection.js';
import {
  ManagedInput,
  MutationInput,
  MutationPayload,
  PublishedPayload,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, NestedInput, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { CarryOver, ManagedBy, PublishAudience, TierVersionStatus } from '../../../platform/prisma/schema.js';
import { DefaultLimitInput, LimitInput } from '../limits/limit.inputs.js';
import { Limit } from '../limits/limits.graphql.js';
import { LintFinding } from '../lint/lint.rules.js';

const key = tierKeySchema.describe('Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters.');
const name = displayName.describe('Display name.');
const rank = z
  .int()
  .min(0, 'rank must be 0 or more')
  .max(1_000_000, 'rank must be 1000000 or less')
  .describe('Position in lists of tiers, lowest first.');
const weight = z
  .int()
  .min(1, 'weight must be 1 or more')
  .max(1000, 'weight must be 1000 or less')
  .describe('Share of spare pool capacity relative to other tiers, 1 to 1000.');
const labels = tags.describe('Labels for selecting it, 20 at most.');
const tierDescription = 'Description.';
const note = optionalNote.describe('Description of the change.');
const carryOver = withDefault(z.enum(CarryOver), CarryOver.KEEP).describe('What happens to existing usage.');

/** Limits are checked by {@link checkDraft}. */
const limits = z.array(z.custom<LimitInput>().meta({ graphql: () => LimitInput }));

export const tierCreateSchema = z.object({
  key,
  name,
  description: description.meta({ description: tierDescription, defaultValue: '' }),
  rank: withDefault(rank, 0),
  weight: withDefault(weight, 1),
  tags: withDefault(labels, []),
  reason: optionalNote,
});

@InputType({ description: 'A new tier without limits.' })
export class TierCreateInput extends InputOf(tierCreateSchema, MutationInput) {}

export const tierChangeSchema = z.object({
  tierKey: tierKeySchema.describe('Key of the tier.'),
  expectedVersion: z.int().describe('The version of the tier that the change is based on.'),
  reason: optionalNote,
});

@InputType({ description: 'The tier to archive, restore or delete.' })
export class TierLifecycleInput extends InputOf(tierChangeSchema, ManagedInput) {}

@InputType({ description: 'The draft to discard.' })
export class TierDraftDiscardInput extends InputOf(tierChangeSchema, ManagedInput) {}

export const tierUpdateSchema = tierChangeSchema.extend({
  name: name.nullish(),
  description: optionalDescription.describe(tierDescription),
  rank: rank.nullish(),
  weight: weight.nullish(),
  tags: labels.nullish(),
  signUp: z
    .boolean()
    .nullish()
    .describe('Whether new sign-ups start on this tier; true replaces the current sign-up tier.'),
});

@InputType({ description: 'Changes to a tier; omitted fields keep their values.' })
export class TierUpdateInput extends InputOf(tierUpdateSchema, ManagedInput) {}

export const tierDuplicateSchema = z.object({
  tierKey: tierKeySchema.describe('Key of the tier to copy.'),
  newKey: key,
  name,
  reason: optionalNote,
});

@InputType({ description: 'The tier to copy, with key and name of the copy.' })
export class TierDuplicateInput extends InputOf(tierDuplicateSchema, MutationInput) {}

export const tierDraftSaveSchema = tierChangeSchema.extend({
  limits: limits.describe('All limits of the draft, in order.'),
  note,
});

@InputType({ description: 'The complete draft: limits that are omitted are removed.' })
export class TierDraftSaveInput extends InputOf(tierDraftSaveSchema, ManagedInput) {}

const MAX_COHORT_TENANTS = 1000;

const cohortFields = z.object({
  tags: z.array(tagSchema).max(20, 'At most 20 tags').nullish().describe('Tenants with any of these tags.'),
  tenantKeys: z
    .array(tenantKeySchema)
    .max(MAX_COHORT_TENANTS, `At most ${MAX_COHORT_TENANTS} tenants by key; use a tag instead`)
    .nullish()
    .describe('Tenants by key, 1000 at most.'),
  percent: z
    .int()
    .min(1, 'percent must be 1 or more')
    .max(100, 'percent must be 100 or less')
    .nullish()
    .describe(
      'Percentage of all tenants, 1 to 100. The selection is stable: tenants in 10 percent are also in 20.',
    ),
});

@InputType({
  description:
    'Tenants of a tier: those with one of the tags, the listed ones and a percentage of all. Set at least one field.',
})
class CohortInput extends InputOf(cohortFields) {}
NestedInput(cohortFields)(CohortInput);

export const cohortSchema = cohortFields
  .transform(({ tags, tenantKeys, percent }) => ({
    tags: tags ?? [],
    tenantKeys: tenantKeys ?? [],
    percent: percent ?? 0,
  }))
  .refine(({ tags, tenantKeys, percent }) => tags.length + tenantKeys.length + percent > 0, {
    message: 'Set tags, tenantKeys or percent',
  });

export type StoredCohort = z.output<typeof cohortSchema>;

const guardFields = z.object({
  maxDenialRise: z
    .number()
    .min(0.1, 'maxDenialRise must be 0.1 or more')
    .max(100, 'maxDenialRise must be 100 or less')
    .describe('Reverts if the denied share of decisions rises by more percentage points, 0.1 to 100.'),
  minDecisions: z
    .int()
    .min(10, 'minDecisions must be 10 or more')
    .max(1_000_000_000, 'minDecisions must be 1000000000 or less')
    .describe('Never decides on fewer comparable decisions, 10 to 1000000000.'),
  withinMinutes: z
    .int()
    .min(3, 'withinMinutes must be 3 or more')
    .max(720, 'withinMinutes must be 720 (12 hours) or less')
    .describe(
      'Watches for this time, minutes, 3 to 720; compares it with as much time before the publication.',
    ),
});

@InputType({
  description: 'Reverts a publication if the affected tenants are denied too much more than before it.',
})
class PublicationGuardInput extends InputOf(guardFields) {}
NestedInput(guardFields)(PublicationGuardInput);

export const optionalGuard = guardFields.nullish().transform((guard) => guard ?? null);

export type GuardTermsInput = z.output<typeof guardFields>;

/** Audiences whose tenants change over at once, so that they can be compared with their past. */
const GUARDED_AUDIENCES: readonly PublishAudience[] = [PublishAudience.EVERYONE_NOW, PublishAudience.COHORT];

export const tierPublishSchema = tierChangeSchema
  .extend({
    limits: limits
      .nullish()
      .describe('All limits of the version, in order: saved as the draft and published in one change.'),
    note: note.describe('With `limits`: description of the change.'),
    carryOver,
    audience: withDefault(z.enum(PublishAudience), PublishAudience.EVERYONE_NOW).describe(
      'Which tenants get the version. Tenants that are already pinned keep their version.',
    ),
    cohort: cohortSchema
      .nullish()
      .transform((cohort) => cohort ?? null)
      .describe('Required for the audience COHORT, otherwise not allowed.'),
    guard: optionalGuard.describe(
      'Watches denials and reverts; requires a published version and the audience EVERYONE_NOW or COHORT.',
    ),
  })
  .superRefine(({ audience, guard }, context) => {
    if (guard === null || GUARDED_AUDIENCES.includes(audience)) return;
    const message = `A guard compares tenants with their past: it requires the audience EVERYONE_NOW or COHORT, not ${audience}. Publish without a guard.`;
    context.addIssue({ code: 'custom', path: ['guard'], message });
  })
  .superRefine(({ audience, cohort }, context) => {
    if ((audience === PublishAudience.COHORT) === (cohort !== null)) return;
    const message = cohort === null ? 'COHORT requires a cohort' : 'cohort requires the audience COHORT';
    context.addIssue({ code: 'custom', path: ['cohort'], message });
  });

@InputType({ description: 'The draft or the limits to publish.' })
export class TierPublishInput extends InputOf(tierPublishSchema, ManagedInput) {}

export const defaultLimitsSetSchema = z.object({
  apiKey: apiKeySchema.describe('Key of the API.'),
  expectedVersion: z.int().describe('The version of the API that the change is based on.'),
  limits: z
    .array(z.custom<DefaultLimitInput>().meta({ graphql: () => DefaultLimitInput }))
    .describe('The limits, in order.'),
  carryOver,
  reason: optionalNote,
});

@InputType({ description: 'All default limits of an API: limits that are omitted are removed.' })
export class ApiDefaultLimitsSetInput extends InputOf(defaultLimitsSetSchema, ManagedInput) {}

registerEnum(TierVersionStatus, 'TierVersionStatus', 'Status of a tier version.', {
  DRAFT: 'Editable; no tenant is on it.',
  PUBLISHED: 'Published; immutable.',
  ARCHIVED: 'Replaced by a later version.',
});
registerEnum(
  PublishAudience,
  'PublishAudience',
  'Which tenants that follow the tier get a published version. New tenants always get it.',
  {
    EVERYONE_NOW: 'All of them, immediately.',
    NEW_TENANTS_ONLY: 'None: existing tenants are pinned to their current version.',
    AT_PERIOD_END: 'Each when its own billing period ends, in its time zone; pinned until then.',
    COHORT: 'A cohort, immediately; the others are pinned until the rollout is expanded.',
  },
);

@ObjectType({ description: "A part of a tier's tenants." })
export class Cohort extends ObjectOf({
  tags: field.string('Tenants with any of these tags.').list(),
  tenantKeys: field.string('Tenants by key.').list(),
  percent: field.int('Percentage of all tenants; 0: none by percentage.'),
}) {}

@ObjectType({
  implements: () => [Node],
  description: 'A version of a tier: editable as a draft, immutable once published.',
})
export class TierVersion extends ObjectOf(Node, {
  number: field.int('Version number within the tier, from 1.'),
  status: field.of(() => TierVersionStatus, 'Where it is in its life.'),
  limits: field
    .of(() => Limit, 'Limits in the order in which they were saved.')
    .list()
    .resolved(),
  publishedAt: field.dateTime('Publication time; null for a draft.').nullable(),
  publishedBy: field.string('Name of the publisher; null for a draft.').nullable(),
  note: field.string('Description of the change.').nullable(),
  carryOver: field.of(
    () => CarryOver,
    'What happened to usage under the version before it; not meaningful for a draft.',
  ),
  automatic: field.boolean('Whether a change of default limits created it.'),
  audience: field.of(() => PublishAudience, 'Rollout of its publication; not meaningful for a draft.'),
  cohort: field.of(() => Cohort, 'The first cohort of a COHORT publication.').nullable(),
  tenantCount: field.int('Number of tenants on it, following and pinned.').resolved(),
}) {}

@ObjectType({ implements: () => [Node], description: 'A tier: a set of limits that tenants subscribe to.' })
export class Tier extends ObjectOf(Node, {
  key: field.string('Permanent key.'),
  name: field.string('Display name.'),
  description: field.string('Description.'),
  rank: field.int('Position in lists of tiers, lowest first.'),
  weight: field.int('Share of spare pool capacity relative to other tiers, 1 to 1000.'),
  tags: field.string('Labels for selecting it.').list(),
  managedBy: field.of(() => ManagedBy, 'Where it is managed.'),
  signUp: field.boolean('Whether new sign-ups start on this tier.'),
  archivedAt: field.dateTime('When it was archived; null if it accepts new tenants.').nullable(),
  version: field.int('Row version, for `expectedVersion`; changes of the draft increment it too.'),
  published: field
    .of(() => TierVersion, 'The published version; null before the first publication.')
    .nullable()
    .resolved(),
  draft: field
    .of(() => TierVersion, 'The draft; null if there is none.')
    .nullable()
    .resolved(),
  versions: field
    .of(() => TierVersion, 'All versions, newest first.')
    .list()
    .resolved(),
  tenantCount: field.int('Number of tenants on it.').resolved(),
}) {}

export const TierConnection = connectionOf(Tier, 'Tier', 'tiers');

@ObjectType({ description: 'Result of deleting a tier.' })
export class TierDeletePayload extends ObjectOf(MutationPayload, {
  tier: field.of(() => Tier, 'Null when deleted; on CONFLICT its current state.').nullable(),
}) {}

@ObjectType({ description: 'Result of a change to a tier or its draft.' })
export class TierPayload extends ObjectOf(MutationPayload, {
  tier: field.of(() => Tier, 'The tier after the change; on CONFLICT its current state.').nullable(),
}) {}

@ObjectType({ description: 'Result of a change to a tier that is published to nodes.' })
export class TierPublishPayload extends ObjectOf(PublishedPayload, {
  tier: field.of(() => Tier, 'The tier after the change; on CONFLICT its current state.').nullable(),
  warnings: field.of(() => LintFinding, 'Warnings about a published version.').list(),
}) {}
