import { Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { MutationPayload, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { CarryOver, ManagedBy, PublishAudience, TierVersionStatus } from '../../../platform/prisma/schema.js';
import { Limit } from '../limits/limits.graphql.js';
import { LintFinding } from '../lint/lint.graphql.js';

registerEnumType(TierVersionStatus, {
  name: 'TierVersionStatus',
  description: 'Status of a tier version.',
  valuesMap: {
    DRAFT: { description: 'Editable; no tenant is on it.' },
    PUBLISHED: { description: 'Published; immutable.' },
    ARCHIVED: { description: 'Replaced by a later version.' },
  },
});
registerEnumType(PublishAudience, {
  name: 'PublishAudience',
  description: 'Which tenants that follow the tier get a published version. New tenants always get it.',
  valuesMap: {
    EVERYONE_NOW: { description: 'All of them, immediately.' },
    NEW_TENANTS_ONLY: { description: 'None: existing tenants are pinned to their current version.' },
    AT_PERIOD_END: {
      description: 'Each when its own billing period ends, in its time zone; pinned until then.',
    },
    COHORT: { description: 'A cohort, immediately; the others are pinned until the rollout is expanded.' },
  },
});

@ObjectType({ description: "A part of a tier's tenants." })
export class Cohort {
  @Field(() => [String], { description: 'Tenants with any of these tags.' })
  tags!: string[];

  @Field(() => [String], { description: 'Tenants by key.' })
  tenantKeys!: string[];

  @Field(() => Int, { description: 'Percentage of all tenants; 0: none by percentage.' })
  percent!: number;
}

@ObjectType({
  implements: () => [Node],
  description: 'A version of a tier: editable as a draft, immutable once published.',
})
export class TierVersion extends Node {
  @Field(() => Int, { description: 'Version number within the tier, from 1.' })
  number!: number;

  @Field(() => TierVersionStatus, { description: 'Where it is in its life.' })
  status!: TierVersionStatus;

  @Field(() => [Limit], { description: 'Limits in the order in which they were saved.' })
  limits?: Limit[];

  @Field(() => DateTime, { nullable: true, description: 'Publication time; null for a draft.' })
  publishedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Name of the publisher; null for a draft.' })
  publishedBy!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Description of the change.',
  })
  note!: string | null;

  @Field(() => CarryOver, {
    description: 'What happened to usage under the version before it; not meaningful for a draft.',
  })
  carryOver!: CarryOver;

  @Field({ description: 'Whether a change of default limits created it.' })
  automatic!: boolean;

  @Field(() => PublishAudience, { description: 'Rollout of its publication; not meaningful for a draft.' })
  audience!: PublishAudience;

  @Field(() => Cohort, { nullable: true, description: 'The first cohort of a COHORT publication.' })
  cohort!: Cohort | null;

  @Field(() => Int, {
    description: 'Number of tenants on it, following and pinned.',
  })
  tenantCount?: number;
}

@ObjectType({ implements: () => [Node], description: 'A tier: a set of limits that tenants subscribe to.' })
export class Tier extends Node {
  @Field({ description: 'Permanent key.' })
  key!: string;

  @Field({ description: 'Display name.' })
  name!: string;

  @Field({ description: 'Description.' })
  description!: string;

  @Field(() => Int, { description: 'Position in lists of tiers, lowest first.' })
  rank!: number;

  @Field(() => Int, {
    description: 'Share of spare pool capacity relative to other tiers, 1 to 1000.',
  })
  weight!: number;

  @Field(() => [String], { description: 'Labels for selecting it.' })
  tags!: string[];

  @Field(() => ManagedBy, { description: 'Where it is managed.' })
  managedBy!: ManagedBy;

  @Field({ description: 'Whether new sign-ups start on this tier.' })
  signUp!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was archived; null if it accepts new tenants.',
  })
  archivedAt!: Date | null;

  @Field(() => Int, {
    description: 'Row version, for `expectedVersion`; changes of the draft increment it too.',
  })
  version!: number;

  @Field(() => TierVersion, {
    nullable: true,
    description: 'The published version; null before the first publication.',
  })
  published?: TierVersion | null;

  @Field(() => TierVersion, {
    nullable: true,
    description: 'The draft; null if there is none.',
  })
  draft?: TierVersion | null;

  @Field(() => [TierVersion], { description: 'All versions, newest first.' })
  versions?: TierVersion[];

  @Field(() => Int, { description: 'Number of tenants on it.' })
  tenantCount?: number;
}

export const TierConnection = connectionOf(Tier, 'Tier', 'tiers');

@ObjectType({ description: 'Result of deleting a tier.' })
export class TierDeletePayload extends MutationPayload {
  @Field(() => Tier, {
    nullable: true,
    description: 'Null when deleted; on CONFLICT its current state.',
  })
  tier!: Tier | null;
}

@ObjectType({ description: 'Result of a change to a tier or its draft.' })
export class TierPayload extends MutationPayload {
  @Field(() => Tier, {
    nullable: true,
    description: 'The tier after the change; on CONFLICT its current state.',
  })
  tier!: Tier | null;
}

@ObjectType({ description: 'Result of a change to a tier that is published to nodes.' })
export class TierPublishPayload extends PublishedPayload {
  @Field(() => Tier, {
    nullable: true,
    description: 'The tier after the change; on CONFLICT its current state.',
  })
  tier!: Tier | null;

  @Field(() => [LintFinding], {
    description: 'Warnings about a published version.',
  })
  warnings!: LintFinding[];
}
