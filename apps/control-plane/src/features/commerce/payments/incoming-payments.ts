import { Injectable } from '@nestjs/common';
import Stripe from 'stripe';
import * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { kindOfId } from '../../../platform/ids.js';
import { readJson } from '../../../platform/text.js';
import type { UnbookedEvent } from './event-reviews.repository.js';
import { type PurchaseEvent, purchaseFactSchema } from './purchase-fact.js';
import { STRIPE_API_VERSION } from './stripe/stripe-client.js';
import {
  isPurchaseEvent,
  isSupportedVersion,
  type PurchaseRef,
  StripeEvents,
} from './stripe/stripe-events.js';
import { stripeEventHeadSchema, stripeEventSchema } from './stripe/stripe-objects.js';
import { testEventSchema } from './test-provider/test-event.js';
import { type SignatureVerdict, verifySignature } from './webhook-signature.js';

const MAX_PROBLEM_LENGTH = 1000;

/** Who posts events to us. */
export type WebhookSource = 'stripe' | 'test';

/** A request as it came, before anything of it is believed. */
export interface Posted {
  /** Each value of the signature's header. */
  signatures: readonly string[];
  body: Buffer;
}

export type Reading =
  | { kind: 'refused'; verdict: Exclude<SignatureVerdict, 'ok'> | 'disabled' | 'unreadable' }
  /** Changes no purchase. */
  | { kind: 'ignored' }
  /** Signed, and possibly money, but not readable. `isUnsupported`: its API version is not one that we read. */
  | { kind: 'review'; unbooked: UnbookedEvent; isUnsupported: boolean }
  | { kind: 'event'; purchase: PurchaseRef; event: PurchaseEvent };

/** Verifies and reads the webhooks of payment providers. */
@Injectable()
export class IncomingPayments {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly stripeEvents: StripeEvents,
  ) {}

  /** @throws Error when a provider does not answer our own call: it will post the event again. */
  async read(source: WebhookSource, { signatures, body }: Posted): Promise<Reading> {
    const secrets = this.secretsOf(source);
    if (secrets.length === 0) return { kind: 'refused', verdict: 'disabled' };
    const nowMs = this.clock.now().getTime();
    const verdict = verifySignature({ headers: signatures, body, nowMs }, secrets);
    if (verdict !== 'ok') return { kind: 'refused', verdict };
    const json = readJson(body.toString('utf8'));
    return source === 'stripe' ? this.readStripe(json) : readTest(json);
  }

  /**
   * Reads an event of Stripe whose signature was verified before.
   * @throws Error when Stripe does not answer our own call.
   */
  async readStripe(json: unknown): Promise<Reading> {
    const head = stripeEventHeadSchema.safeParse(json);
    if (!head.success) return { kind: 'refused', verdict: 'unreadable' };
    const { id, type, api_version: version } = head.data;
    if (!isPurchaseEvent(type)) return { kind: 'ignored' };
    const review = (problem: string, isUnsupported = false): Reading => ({
      kind: 'review',
      unbooked: {
        provider: 'STRIPE',
        eventId: id,
        type,
        apiVersion: version ?? null,
        problem: problem.slice(0, MAX_PROBLEM_LENGTH),
        payload: head.data as UnbookedEvent['payload'],
      },
      isUnsupported,
    });
    if (!isSupportedVersion(version)) {
      const advice = `set the version of the webhook endpoint to ${STRIPE_API_VERSION}`;
      return review(`API version ${version} is not supported; ${advice}`, true);
    }
    try {
      const parsed = stripeEventSchema.parse(json);
      const found = await this.stripeEvents.read(parsed);
      if (found === null) return { kind: 'ignored' };
      const fact = purchaseFactSchema.parse(found.fact);
      const event = { source: 'stripe' as const, id, at: new Date(parsed.created * 1000), fact };
      return { kind: 'event', purchase: found.purchase, event };
    } catch (error) {
      if (error instanceof z.ZodError) return review(z.prettifyError(error));
      if (isMissing(error)) return review(error.message);
      throw error;
    }
  }

  private secretsOf(source: WebhookSource): string[] {
    const { stripe, test } = this.config.payments;
    if (source === 'stripe') return stripe.enabled ? stripe.webhookSecrets : [];
    return test.enabled ? [test.webhookSecret] : [];
  }
}

/** Stripe answered, and has no such object: to ask again would not help. */
function isMissing(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}

function readTest(json: unknown): Reading {
  const parsed = testEventSchema.safeParse(json);
  if (!parsed.success || kindOfId(parsed.data.purchase) !== 'purchase') {
    return { kind: 'refused', verdict: 'unreadable' };
  }
  const { id, purchase, at, fact } = parsed.data;
  return { kind: 'event', purchase: { id: purchase }, event: { source: 'test', id, at: new Date(at), fact } };
}
