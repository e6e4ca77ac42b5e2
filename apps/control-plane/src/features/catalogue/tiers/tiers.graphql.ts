import { ObjectType } from '@nestjs/graphql';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { MutationPayload, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { CarryOver, ManagedBy, PublishAudience, TierVersionStatus } from '../../../platform/prisma/schema.js';
import { Limit } from '../limits/limits.graphql.js';
import { LintFinding } from '../lint/lint.graphql.js';

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
