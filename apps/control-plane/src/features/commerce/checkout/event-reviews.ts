import { Injectable } from '@nestjs/common';
import { Args, ArgsType, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  payloadOf,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import {
  type Connection,
  connectionOf,
  cursorCodec,
  PageArgs,
  readPage,
} from '../../../platform/graphql/connection.js';
import {
  Input,
  MutationInput,
  MutationPayload,
  UserErrorCode,
} from '../../../platform/graphql/mutation.graphql.js';
import {
  ArgsOf,
  field,
  InputOf,
  idField,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';
import { PaymentEventReviewStatus, PaymentProviderName } from '../../../platform/prisma/schema.js';
import { IncomingPayments, type Reading } from '../payments/incoming-payments.js';
import { ProviderFailure } from '../payments/payment-provider.js';
import { EventReviewsRepository, type PaymentEventReviewRow } from '../payments/payments.repository.js';
import { WebhookIntake } from './webhooks.js';

type ReviewOutcome = Promise<Outcome<PaymentEventReviewRow>>;

const id = idField('Id of the review.').max(80);

const retrySchema = z.object({ id, reason: optionalNote });

@InputType({ description: 'The event to book again.' })
export class PaymentEventRetryInput extends InputOf(retrySchema, MutationInput) {}

const dismissSchema = z.object({
  id,
  reason: optionalNote.refine((reason) => reason !== null, 'Enter a reason'),
});

@InputType({ description: 'The event to dismiss. `reason` is required.' })
export class PaymentEventDismissInput extends InputOf(dismissSchema, MutationInput) {}

/** Decisions of operators on payment events that could not be booked. */
@Injectable()
export class EventReviewsService {
  constructor(
    private readonly reviews: EventReviewsRepository,
    private readonly incoming: IncomingPayments,
    private readonly intake: WebhookIntake,
    private readonly changes: ChangeRunner,
  ) {}

  /**
   * Reads and books the event again. Errors: NOT_FOUND, INVALID (closed, or it still cannot be booked),
   * PROVIDER_UNAVAILABLE.
   */
  async retry(caller: Caller, input: PaymentEventRetryInput): ReviewOutcome {
    const parsed = parseInput(retrySchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id: reviewId } = parsed.data;
    const review = await this.reviews.find(reviewId);
    if (review?.status !== PaymentEventReviewStatus.OPEN) return refuse([notOpen(review, reviewId)], review);
    if (caller.dryRun === true) return { ok: true, value: review, changeId: null, impact: null };
    let reading: Reading;
    try {
      reading = await this.incoming.readStripe(review.payload);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, null, error.message)], review);
    }
    const { outcome } = await this.intake.book(caller, 'stripe', reading);
    const after = (await this.reviews.find(reviewId)) ?? review;
    if (after.status === PaymentEventReviewStatus.BOOKED) {
      return { ok: true, value: after, changeId: null, impact: null };
    }
    const problem = reading.kind === 'review' ? reading.unbooked.problem : `it was answered "${outcome}"`;
    return refuse([invalid(['id'], `The event still cannot be booked: ${problem}`)], after);
  }

  /** Closes the review without booking the event. Errors: NOT_FOUND, INVALID (no reason, or closed). */
  async dismiss(caller: Caller, input: PaymentEventDismissInput): ReviewOutcome {
    const parsed = parseInput(dismissSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id: reviewId, reason } = parsed.data;
    return this.changes.run<PaymentEventReviewRow>(caller, { reason }, async (change) => {
      const isDismissed = await this.reviews.dismiss(change.tx, reviewId);
      const review = await this.reviews.find(reviewId, change.tx);
      if (!isDismissed || review === null) return refuse([notOpen(review, reviewId)], review);
      const { provider, eventId, status } = review;
      await change.audit({
        action: 'payment_event.dismissed',
        entityId: reviewId,
        entityName: eventId,
        before: { status: PaymentEventReviewStatus.OPEN },
        after: { status, provider, eventId },
      });
      return review;
    });
  }
}

function notOpen(review: PaymentEventReviewRow | null, reviewId: string) {
  if (review === null) return notFound(['id'], `review "${reviewId}"`);
  return invalid(['id'], `This review is already closed (${review.status.toLowerCase()}).`);
}

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
