import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../../platform/graphql/scalars.js';

@ObjectType({ description: 'Whether a change can be taken back now, and what stands in the way.' })
export class ChangeReversal {
  @Field(() => ID, { description: 'The change.' })
  changeId!: string;

  @Field({ description: 'Who made it.' })
  actor!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  at!: Date;

  @Field(() => [String], { description: 'What was done, such as `tier.publish`, in its order.' })
  actions!: string[];

  @Field({ description: 'Whether the caller can take it back now.' })
  revertible!: boolean;

  @Field(() => String, { nullable: true, description: 'Why not; null when it can be.' })
  obstacle!: string | null;
}

@InputType({ description: 'Which change to take back.' })
export class ChangeRevertInput extends MutationInput {
  @Field(() => ID, { description: 'The change, as its mutation and the audit trail name it.' })
  changeId!: string;
}

@ObjectType({ description: 'Outcome of taking a change back: a change of its own.' })
export class ChangeRevertPayload extends PublishedPayload {}
