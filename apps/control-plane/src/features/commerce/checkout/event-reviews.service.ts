import { Injectable } from '@nestjs/common';
import { InputType } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  refuse,
} from '../../../platform/changes/outcome.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput } from '../../../platform/graphql/mutation.graphql.js';
import { PaymentEventReviewStatus } from '../../../platform/prisma/schema.js';
import { IncomingPayments } from '../payments/incoming-payments.js';
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

  /** Reads and books the event again. Errors: NOT_FOUND, INVALID (closed, or it still cannot be booked). */
  async retry(caller: Caller, input: PaymentEventRetryInput): ReviewOutcome {
    const parsed = parseInput(retrySchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id: reviewId } = parsed.data;
    const review = await this.reviews.find(reviewId);
    if (review?.status !== PaymentEventReviewStatus.OPEN) return refuse([notOpen(review, reviewId)], review);
    if (caller.dryRun === true) return { ok: true, value: review, changeId: null, impact: null };
    const reading = await this.incoming.readStripe(review.payload);
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
