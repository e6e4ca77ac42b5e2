import { Injectable } from '@nestjs/common';
import Stripe from 'stripe';
import * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { kindOfId } from '../../../platform/ids.js';
import { ProviderFailure, type PurchaseEvent, purchaseFactSchema } from './payment-provider.js';
import type { UnbookedEvent } from './payments.repository.js';
import { STRIPE_API_VERSION, STRIPE_UNAVAILABLE } from './stripe-client.js';
import {
  isSupportedVersion,
  PURCHASE_EVENTS,
  type PurchaseRef,
  StripeEvents,
  stripeEventHeadSchema,
  stripeEventSchema,
} from './stripe-events.js';
import { testEventSchema } from './test-provider.js';

/** Age of a signature from which it is refused. */
const TOLERANCE_S = 300;

interface SignedBody {
  /** All values of the header; exactly one is valid. */
  headers: readonly string[];
  /** The received bytes: parsing and serializing again would change them. */
  body: Buffer;
  nowMs: number;
}

export type SignedReading =
  | { kind: 'json'; json: unknown }
  /** `reason` is for the log. */
  | { kind: 'unsigned'; reason: string }
  | { kind: 'unreadable' };

/**
 * Reads a body that was signed with any of `secrets` in Stripe's format, by Stripe's own library. The key is the whole text of a
 * secret. Does not detect replays.
 */
export function readSigned({ headers, body, nowMs }: SignedBody, secrets: readonly string[]): SignedReading {
  const [header, ...more] = headers;
  if (header === undefined || more.length > 0)
    return { kind: 'unsigned', reason: `${headers.length} signature headers instead of one` };
  const reasons = new Set<string>();
  for (const secret of secrets) {
    try {
      const json = Stripe.webhooks.constructEvent(body, header, secret, TOLERANCE_S, undefined, nowMs);
      return { kind: 'json', json };
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) return { kind: 'unreadable' };
      reasons.add(error.message.split('\n')[0] as string);
    }
  }
  return { kind: 'unsigned', reason: [...reasons].join('; ') };
}

export function signBody(body: Buffer, secret: string, nowMs: number): string {
  const timestamp = Math.floor(nowMs / 1000);
  return Stripe.webhooks.generateTestHeaderString({ payload: body.toString(), secret, timestamp });
}

const MAX_PROBLEM_LENGTH = 1000;

export type WebhookSource = 'stripe' | 'test';

/** An unverified request. */
export interface Posted {
  signatures: readonly string[];
  body: Buffer;
}

export type Reading =
  | { kind: 'refused'; verdict: 'unsigned' | 'disabled' | 'unreadable'; reason?: string }
  /** Changes no purchase. */
  | { kind: 'ignored' }
  /** Signed and possibly a payment, but not readable. `isUnsupported`: because of its API version. */
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

  /** @throws ProviderFailure if the Stripe API is unavailable; Stripe posts the event again. */
  async read(source: WebhookSource, { signatures, body }: Posted): Promise<Reading> {
    const secrets = this.secretsOf(source);
    if (secrets.length === 0) return { kind: 'refused', verdict: 'disabled' };
    const nowMs = this.clock.now().getTime();
    const signed = readSigned({ headers: signatures, body, nowMs }, secrets);
    if (signed.kind === 'unsigned') return { kind: 'refused', verdict: 'unsigned', reason: signed.reason };
    if (signed.kind === 'unreadable') return { kind: 'refused', verdict: 'unreadable' };
    return source === 'stripe' ? this.readStripe(signed.json) : readTest(signed.json);
  }

  /** Reads a verified Stripe event. @throws ProviderFailure if the Stripe API is unavailable */
  async readStripe(json: unknown): Promise<Reading> {
    const head = stripeEventHeadSchema.safeParse(json);
    if (!head.success) return { kind: 'refused', verdict: 'unreadable' };
    const { id, type, api_version: version } = head.data;
    if (!PURCHASE_EVENTS.has(type)) return { kind: 'ignored' };
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
      const at = found.readAt ?? new Date(parsed.created * 1000);
      const event = { source: 'stripe' as const, id, at, fact };
      return { kind: 'event', purchase: found.purchase, event };
    } catch (error) {
      if (error instanceof z.ZodError) return review(z.prettifyError(error));
      if (isMissing(error)) return review(error.message);
      if (error instanceof Stripe.errors.StripeError) throw new ProviderFailure(STRIPE_UNAVAILABLE, error);
      throw error;
    }
  }

  private secretsOf(source: WebhookSource): string[] {
    const { stripe, test } = this.config.payments;
    if (source === 'stripe') return stripe.enabled ? stripe.webhookSecrets : [];
    return test.enabled ? [test.webhookSecret] : [];
  }
}

/** Stripe has no such object; a retry would not help. */
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
