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
  description: 'Where a tier version is in its life.',
  valuesMap: {
    DRAFT: { description: 'Being edited; nobody is on it.' },
    PUBLISHED: { description: 'In force; it never changes any more.' },
    ARCHIVED: { description: 'Replaced by a later version.' },
  },
});
registerEnumType(PublishAudience, {
  name: 'PublishAudience',
  description:
    'Whom a publication reaches, of the tenants that follow the tier. Who joins later gets it in any case.',
  valuesMap: {
    EVERYONE_NOW: { description: 'All of them, at once.' },
    NEW_TENANTS_ONLY: { description: 'None: each is pinned to the version that it is on.' },
    AT_PERIOD_END: {
      description: 'Each when its own billing period ends, in its time zone; pinned until then.',
    },
    COHORT: { description: 'Some, at once; the others are pinned until the cohort is extended.' },
  },
});

@ObjectType({ description: "Some of a tier's tenants." })
export class Cohort {
  @Field(() => [String], { description: 'Tenants with any of these tags.' })
  tags!: string[];

  @Field(() => [String], { description: 'Tenants by key.' })
  tenantKeys!: string[];

  @Field(() => Int, { description: 'Percent of all tenants; 0: none for this reason.' })
  percent!: number;
}

@ObjectType({
  implements: () => [Node],
  description: 'One state of a tier: editable as a draft, fixed once published.',
})
export class TierVersion extends Node {
  @Field(() => Int, { description: 'Counts from 1 within the tier.' })
  number!: number;

  @Field(() => TierVersionStatus, { description: 'Where it is in its life.' })
  status!: TierVersionStatus;

  @Field(() => [Limit], { description: 'Its limits, in the order in which they were saved.' })
  limits?: Limit[];

  @Field(() => DateTime, { nullable: true, description: 'When it was published; null for a draft.' })
  publishedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Who published it; null for a draft.' })
  publishedBy!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'What the version changes, in the words of its author.',
  })
  note!: string | null;

  @Field(() => CarryOver, {
    description: 'What became of what was used under the version before it; of no meaning for a draft.',
  })
  carryOver!: CarryOver;

  @Field({ description: 'Whether it was made because default limits of an API changed.' })
  automatic!: boolean;

  @Field(() => PublishAudience, { description: 'Whom its publication reached; of no meaning for a draft.' })
  audience!: PublishAudience;

  @Field(() => Cohort, { nullable: true, description: 'Whom a publication to a COHORT reached at first.' })
  cohort!: Cohort | null;

  @Field(() => Int, {
    description: 'How many tenants are on it, whether they follow the tier or are pinned.',
  })
  tenantCount?: number;
}

@ObjectType({ implements: () => [Node], description: 'A sold level.' })
export class Tier extends Node {
  @Field({ description: 'Permanent name.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field({ description: 'What it offers, for people.' })
  description!: string;

  @Field(() => Int, { description: 'Place in the order of tiers, lowest first.' })
  rank!: number;

  @Field(() => Int, {
    description: 'Share of spare capacity among tenants that borrow from a pool, 1 to 1000.',
  })
  weight!: number;

  @Field(() => [String], { description: 'Labels to choose it by.' })
  tags!: string[];

  @Field(() => ManagedBy, { description: 'Where it is kept.' })
  managedBy!: ManagedBy;

  @Field({ description: 'Whether tenants who sign up begin on it.' })
  signUp!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Since when nobody may come to it any more; null: it is open.',
  })
  archivedAt!: Date | null;

  @Field(() => Int, { description: 'Row version, for `expectedVersion`; changes of the draft raise it too.' })
  version!: number;

  @Field(() => TierVersion, {
    nullable: true,
    description: 'The version in force; null until the first is published.',
  })
  published?: TierVersion | null;

  @Field(() => TierVersion, {
    nullable: true,
    description: 'The version being edited; null when there is none.',
  })
  draft?: TierVersion | null;

  @Field(() => [TierVersion], { description: 'All versions, newest first.' })
  versions?: TierVersion[];

  @Field(() => Int, { description: 'How many tenants are on it.' })
  tenantCount?: number;
}

export const TierConnection = connectionOf(Tier, 'Tier', 'tiers');

@ObjectType({ description: 'Outcome of deleting a tier.' })
export class TierDeletePayload extends MutationPayload {
  @Field(() => Tier, {
    nullable: true,
    description: 'Null when it is gone; on CONFLICT the tier as it is now.',
  })
  tier!: Tier | null;
}

@ObjectType({ description: 'Outcome of a change to a tier or its draft.' })
export class TierPayload extends MutationPayload {
  @Field(() => Tier, { nullable: true, description: 'The tier after the change; on CONFLICT as it is now.' })
  tier!: Tier | null;
}

@ObjectType({ description: 'Outcome of a change that nodes have to learn of.' })
export class TierPublishPayload extends PublishedPayload {
  @Field(() => Tier, { nullable: true, description: 'The tier after the change; on CONFLICT as it is now.' })
  tier!: Tier | null;

  @Field(() => [LintFinding], {
    description:
      'Of a publication: what is doubtful in the version, though nothing keeps it from being in force.',
  })
  warnings!: LintFinding[];
}
