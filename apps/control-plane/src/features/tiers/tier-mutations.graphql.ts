import { Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import { MutationInput, MutationPayload, PublishedPayload } from '../../platform/graphql/mutation.graphql.js';
import { LimitInput, Tier } from './tiers.graphql.js';

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
}

/** Which tier a change is to, as its caller has seen it. */
@InputType({ isAbstract: true })
abstract class TierChangeInput extends MutationInput {
  @Field({ description: 'Key of the tier.' })
  tierKey!: string;

  @Field(() => Int, { description: 'Version of the tier that the caller has seen.' })
  expectedVersion!: number;
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

@InputType({ description: 'Which draft to put in force.' })
export class TierPublishInput extends TierChangeInput {}

@ObjectType({ description: 'Outcome of a change to a tier or its draft.' })
export class TierPayload extends MutationPayload {
  @Field(() => Tier, { nullable: true, description: 'The tier after the change; on CONFLICT as it is now.' })
  tier!: Tier | null;
}

@ObjectType({ description: 'Outcome of publishing a draft.' })
export class TierPublishPayload extends PublishedPayload {
  @Field(() => Tier, { nullable: true, description: 'The tier after the change; on CONFLICT as it is now.' })
  tier!: Tier | null;
}
