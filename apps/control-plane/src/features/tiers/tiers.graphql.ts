import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf } from '../../platform/graphql/connection.js';
import { Node } from '../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../platform/graphql/scalars.js';
import { Algorithm, Alignment, OnUnavailable, TierVersionStatus } from '../../platform/prisma/schema.js';

registerEnumType(TierVersionStatus, {
  name: 'TierVersionStatus',
  description: 'Where a tier version is in its life.',
  valuesMap: {
    DRAFT: { description: 'Being edited; nobody is on it.' },
    PUBLISHED: { description: 'In force; it never changes any more.' },
    ARCHIVED: { description: 'Replaced by a later version.' },
  },
});
registerEnumType(Algorithm, {
  name: 'Algorithm',
  description: 'How a limit counts.',
  valuesMap: {
    FIXED_WINDOW: { description: 'A counter per window.' },
    GCRA: { description: 'Evenly spaced requests, with a burst.' },
  },
});
registerEnumType(Alignment, {
  name: 'Alignment',
  description: 'When a fixed window starts.',
  valuesMap: {
    CLOCK: { description: 'At multiples of its length, counted from the Unix epoch in UTC.' },
    FIRST_REQUEST: { description: 'At the first request after the last window.' },
  },
});
registerEnumType(OnUnavailable, {
  name: 'OnUnavailable',
  description: 'What nodes answer while Redis cannot be asked.',
  valuesMap: {
    SHARE: { description: 'Each node spends its part of the limit.' },
    DENY: { description: 'Everything is refused.' },
    ALLOW: { description: 'Everything passes.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'One rule of a tier version.' })
export class Limit extends Node {
  @Field({ description: 'Name, unique within its API; clients see it in RateLimit headers.' })
  name!: string;

  @Field({ description: 'Key of the API that it protects.' })
  apiKey!: string;

  @Field(() => [String], { description: 'Operations that it covers; empty: every operation of the API.' })
  operations!: string[];

  @Field(() => [String], {
    description: 'Dimensions that it counts by besides the tenant; empty: the tenant alone.',
  })
  per!: string[];

  @Field(() => Algorithm, { description: 'How it counts.' })
  algorithm!: Algorithm;

  @Field(() => SafeInt, { description: 'How much passes per window.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'Length of the window, milliseconds.' })
  windowMs!: number;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'GCRA: how many more at once than the one that a plain rate lets through.',
  })
  burst!: number | null;

  @Field(() => Alignment, { nullable: true, description: 'Fixed window: when it starts.' })
  alignment!: Alignment | null;

  @Field(() => OnUnavailable, { description: 'What nodes answer while Redis cannot be asked.' })
  onUnavailable!: OnUnavailable;

  @Field({ description: 'One sentence in plain words, generated from the configuration.' })
  summary?: string;
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

@InputType({ description: 'One limit of a draft.' })
export class LimitInput {
  @Field({ description: 'Name, unique within its API: a–z, 0–9 and inner hyphens.' })
  name!: string;

  @Field({ description: 'Key of the API that it protects.' })
  apiKey!: string;

  @Field(() => [String], {
    defaultValue: [],
    description: 'Operations that it covers; empty: every operation.',
  })
  operations!: string[];

  @Field(() => [String], {
    defaultValue: [],
    description: 'Dimensions that it counts by besides the tenant.',
  })
  per!: string[];

  @Field(() => Algorithm, { description: 'How it counts.' })
  algorithm!: Algorithm;

  @Field(() => SafeInt, { description: 'How much passes per window, 1 or more.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'Length of the window, milliseconds; 366 days at most.' })
  windowMs!: number;

  @Field(() => SafeInt, { nullable: true, description: 'Only GCRA; 0 when left out.' })
  burst?: number | null;

  @Field(() => Alignment, { nullable: true, description: 'Only FIXED_WINDOW; CLOCK when left out.' })
  alignment?: Alignment | null;

  @Field(() => OnUnavailable, {
    nullable: true,
    defaultValue: OnUnavailable.SHARE,
    description: 'What nodes answer while Redis cannot be asked.',
  })
  onUnavailable?: OnUnavailable | null;
}
