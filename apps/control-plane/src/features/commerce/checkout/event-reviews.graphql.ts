import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { PaymentEventReviewStatus, PaymentProviderName } from '../../../platform/prisma/schema.js';

registerEnumType(PaymentEventReviewStatus, {
  name: 'PaymentEventReviewStatus',
  description: 'State of a payment event that could not be booked.',
  valuesMap: {
    OPEN: { description: 'Needs a decision.' },
    BOOKED: { description: 'Booked later, by a retry or a further delivery.' },
    DISMISSED: { description: 'Closed by an operator without booking.' },
  },
});

@ObjectType({ description: 'A signed event of a payment provider that could not be booked.' })
export class PaymentEventReview {
  @Field(() => ID, { description: 'Id of the review.' })
  id!: string;

  @Field(() => PaymentProviderName, { description: 'Sender of the event.' })
  provider!: PaymentProviderName;

  @Field({ description: 'Id of the event at its provider.' })
  eventId!: string;

  @Field({ description: 'Type of the event, such as `invoice.paid`.' })
  type!: string;

  @Field(() => String, { nullable: true, description: 'API version that shaped the event.' })
  apiVersion!: string | null;

  @Field({ description: 'Why the event could not be booked.' })
  problem!: string;

  @Field(() => PaymentEventReviewStatus, { description: 'State of the review.' })
  status!: PaymentEventReviewStatus;

  @Field(() => Int, { description: 'Number of deliveries and retries that failed.' })
  attempts!: number;

  @Field(() => DateTime, { description: 'Time of the first delivery.' })
  receivedAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the review was closed; null while it is open.',
  })
  resolvedAt!: Date | null;
}

export const PaymentEventReviewConnection = connectionOf(
  PaymentEventReview,
  'PaymentEventReview',
  'payment events that need review',
);

@ArgsType()
export class PaymentEventReviewsArgs extends PageArgs {
  @Field(() => PaymentEventReviewStatus, { nullable: true, description: 'Only reviews in this state.' })
  status?: PaymentEventReviewStatus | null;
}

@InputType({ description: 'The event to book again.' })
export class PaymentEventRetryInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the review.' })
  id!: string;
}

@InputType({ description: 'The event to dismiss. `reason` is required.' })
export class PaymentEventDismissInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the review.' })
  id!: string;
}

@ObjectType({ description: 'Outcome of a change to a review.' })
export class PaymentEventReviewPayload extends MutationPayload {
  @Field(() => PaymentEventReview, { nullable: true, description: 'The review after the change.' })
  review!: PaymentEventReview | null;
}
