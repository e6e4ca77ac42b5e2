import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import type { Connection } from '../../../platform/graphql/connection.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
import { EventReviewsRepository, type PaymentEventReviewRow } from '../payments/event-reviews.repository.js';
import {
  PaymentEventDismissInput,
  PaymentEventRetryInput,
  PaymentEventReview,
  PaymentEventReviewConnection,
  PaymentEventReviewPayload,
  PaymentEventReviewsArgs,
} from './event-reviews.graphql.js';
import { EventReviewsService } from './event-reviews.service.js';

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
  async list(@Args() args: PaymentEventReviewsArgs): Promise<Connection<PaymentEventReviewRow>> {
    const page = parsePage(args, cursors);
    const status = args.status ?? undefined;
    return toConnection(
      await this.reviews.list(status, page),
      page,
      (review) => cursors.encode(review.id),
      () => this.reviews.count(status),
    );
  }

  @RequirePermission('payments:write')
  @Mutation(() => PaymentEventReviewPayload, {
    name: 'paymentEventRetry',
    description: 'Reads and books a payment event again.',
  })
  async retry(
    @Args('input', { description: 'The event to book again.' }) input: PaymentEventRetryInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('review', await this.service.retry(caller, input));
  }

  @RequirePermission('payments:write')
  @Mutation(() => PaymentEventReviewPayload, {
    name: 'paymentEventDismiss',
    description: 'Closes the review of a payment event without booking it.',
  })
  async dismiss(
    @Args('input', { description: 'The event to dismiss.' }) input: PaymentEventDismissInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('review', await this.service.dismiss(caller, input));
  }
}
