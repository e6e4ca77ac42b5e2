import { Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { UserError } from '../../platform/graphql/user-error.graphql.js';
import { LimitInput, Tier } from './tiers.graphql.js';

@InputType({ description: 'A new tier, still without limits.' })
export class TierCreateInput {
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

  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;
}

@InputType({ description: 'The whole of a draft: what is left out is removed.' })
export class TierDraftSaveInput {
  @Field({ description: 'Key of the tier.' })
  tierKey!: string;

  @Field(() => Int, { description: 'Version of the tier that the caller has seen.' })
  expectedVersion!: number;

  @Field(() => [LimitInput], { description: 'All limits of the draft, in order.' })
  limits!: LimitInput[];

  @Field(() => String, { nullable: true, description: 'What the version changes, for people.' })
  note?: string | null;

  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;
}

@InputType({ description: 'Which draft to drop.' })
export class TierDraftDiscardInput {
  @Field({ description: 'Key of the tier.' })
  tierKey!: string;

  @Field(() => Int, { description: 'Version of the tier that the caller has seen.' })
  expectedVersion!: number;

  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;
}

@InputType({ description: 'Which draft to put in force.' })
export class TierPublishInput {
  @Field({ description: 'Key of the tier.' })
  tierKey!: string;

  @Field(() => Int, { description: 'Version of the tier that the caller has seen.' })
  expectedVersion!: number;

  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;
}

@ObjectType({ description: 'Outcome of a change to a tier or its draft.' })
export class TierPayload {
  @Field(() => Tier, { nullable: true, description: 'The tier after the change; on CONFLICT as it is now.' })
  tier!: Tier | null;

  @Field(() => [UserError], { description: 'Why nothing changed; empty on success.' })
  userErrors!: UserError[];
}

@ObjectType({ description: 'Outcome of publishing a draft.' })
export class TierPublishPayload {
  @Field(() => Tier, { nullable: true, description: 'The tier after the change; on CONFLICT as it is now.' })
  tier!: Tier | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Ask `propagation` with it how far the change has travelled.',
  })
  changeId!: string | null;

  @Field(() => [UserError], { description: 'Why nothing changed; empty on success.' })
  userErrors!: UserError[];
}
