import { Args, ArgsType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import { type Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { type Connection, connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { Input, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { ArgsOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { cursorCodec, readPage } from '../../../platform/graphql/paging.js';

import { PaymentEventReviewStatus, PaymentProviderName } from '../../../platform/prisma/schema.js';
import { EventReviewsRepository, type PaymentEventReviewRow } from '../payments/payments.repository.js';
import {
  EventReviewsService,
  PaymentEventDismissInput,
  PaymentEventRetryInput,
} from './event-reviews.service.js';

registerEnum(
  PaymentEventReviewStatus,
  'PaymentEventReviewStatus',
  'State of a payment event that could not be booked.',
  {
    OPEN: 'Needs a decision.',
    BOOKED: 'Booked later, by a retry or a further delivery.',
    DISMISSED: 'Closed by an operator without booking.',
  },
);

@ObjectType({ description: 'A signed event of a payment provider that could not be booked.' })
export class PaymentEventReview extends ObjectOf({
  id: field.id('Id of the review.'),
  provider: field.of(() => PaymentProviderName, 'Sender of the event.'),
  eventId: field.string('Id of the event at its provider.'),
  type: field.string('Type of the event, such as `invoice.paid`.'),
  apiVersion: field.string('API version that shaped the event.').nullable(),
  problem: field.string('Why the event could not be booked.'),
  status: field.of(() => PaymentEventReviewStatus, 'State of the review.'),
  attempts: field.int('Number of deliveries and retries that failed.'),
  receivedAt: field.dateTime('Time of the first delivery.'),
  resolvedAt: field.dateTime('When the review was closed; null while it is open.').nullable(),
}) {}

export const PaymentEventReviewConnection = connectionOf(
  PaymentEventReview,
  'PaymentEventReview',
  'payment events that need review',
);

@ArgsType()
export class PaymentEventReviewsArgs extends ArgsOf(PageArgs, {
  status: field.of(() => PaymentEventReviewStatus, 'Only reviews in this state.').optional(),
}) {}

@ObjectType({ description: 'Outcome of a change to a review.' })
export class PaymentEventReviewPayload extends ObjectOf(MutationPayload, {
  review: field.of(() => PaymentEventReview, 'The review after the change.').nullable(),
}) {}

const cursors = cursorCodec('paymentEventReviews', z.string());

@Resolver(() => PaymentEventReview)
export class EventReviewsResolver {
  constructor(
    private readonly service: EventReviewsService,
    private readonly reviews: EventReviewsRepository,
  ) {}

  @RequirePermission('payments:write')
  @Query(() => PaymentEventReviewConnection, {
    name: 'paymentEventReviews',
    description: 'Payment events that could not be booked, newest first.',
  })
  list(@Args() args: PaymentEventReviewsArgs): Promise<Connection<PaymentEventReviewRow>> {
    return readPage(args, cursors, ({ id }) => id, this.reviews, args.status ?? undefined);
  }

  @RequirePermission('payments:write')
  @Mutation(() => PaymentEventReviewPayload, {
    name: 'paymentEventRetry',
    description: 'Reads and books a payment event again.',
  })
  async retry(@Input() input: PaymentEventRetryInput, @CurrentCaller() caller: Caller) {
    return payloadOf('review', await this.service.retry(caller, input));
  }

  @RequirePermission('payments:write')
  @Mutation(() => PaymentEventReviewPayload, {
    name: 'paymentEventDismiss',
    description: 'Closes the review of a payment event without booking it.',
  })
  async dismiss(@Input() input: PaymentEventDismissInput, @CurrentCaller() caller: Caller) {
    return payloadOf('review', await this.service.dismiss(caller, input));
  }
}
