import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { UserError } from './user-error.graphql.js';

/** What every mutation takes. */
@InputType({ isAbstract: true })
export abstract class MutationInput {
  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;
}

/** What every mutation answers, beside the object that it is about. */
@ObjectType({ isAbstract: true })
export abstract class MutationPayload {
  @Field(() => [UserError], { description: 'Why nothing changed; empty on success.' })
  userErrors!: UserError[];
}

/** What a mutation answers whose change nodes have to learn of. */
@ObjectType({ isAbstract: true })
export abstract class PublishedPayload extends MutationPayload {
  @Field(() => ID, {
    nullable: true,
    description: 'Ask `propagation` with it how far the change has travelled.',
  })
  changeId!: string | null;
}
