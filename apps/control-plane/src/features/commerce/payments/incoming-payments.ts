import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import Stripe from 'stripe';
import * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { kindOfId } from '../../../platform/ids.js';
import { readJson } from '../../../platform/text.js';
import { type PurchaseEvent, purchaseFactSchema } from './payment-provider.js';
import type { UnbookedEvent } from './payments.repository.js';
import {
  isSupportedVersion,
  PURCHASE_EVENTS,
  type PurchaseRef,
  StripeEvents,
  stripeEventHeadSchema,
  stripeEventSchema,
} from './stripe-events.js';
import { STRIPE_API_VERSION } from './stripe-provider.js';
import { testEventSchema } from './test-provider.js';

/** Maximum clock difference, in either direction. */
const TOLERANCE_S = 300;
/** Stripe sends two during a rotation of the secret. */
const MAX_CANDIDATES = 8;
const MAX_HEADER_LENGTH = 1000;

const PART = /^([a-z][a-z0-9]{0,15})=([^,=\s]+)$/;
const TIME = /^(?:0|[1-9]\d{0,11})$/;
const HEX_DIGEST = /^[0-9a-f]{64}$/;

export type SignatureVerdict = 'ok' | 'malformed' | 'too-old' | 'from-the-future' | 'not-ours';

interface SignedBody {
  /** All values of the header; exactly one is valid. */
  headers: readonly string[];
  /** The received bytes: parsing and serializing again would change them. */
  body: Uint8Array;
  nowMs: number;
}

/**
 * Verifies a signature in Stripe's format, `t=<seconds>,v1=<hex>[,v1=<hex>…]`, over `t.body` with any of `secrets`; the key
 * is the whole text of a secret. Stricter than the libraries: one header, one time of digits only, a window on both sides.
 * Other schemes than `v1` are ignored. Does not detect replays.
 */
export function verifySignature(
  { headers, body, nowMs }: SignedBody,
  secrets: readonly string[],
): SignatureVerdict {
  const parsed = headers.length === 1 ? parseHeader(headers[0] as string) : undefined;
  if (parsed === undefined) return 'malformed';
  const ageS = Math.floor(nowMs / 1000) - Number(parsed.time);
  if (ageS > TOLERANCE_S) return 'too-old';
  if (ageS < -TOLERANCE_S) return 'from-the-future';
  let isOurs = false;
  for (const secret of secrets) {
    const expected = digest(secret, parsed.time, body);
    for (const candidate of parsed.candidates) {
      // No early return: the duration must not reveal which secret matched.
      if (timingSafeEqual(expected, Buffer.from(candidate, 'hex'))) isOurs = true;
    }
  }
  return isOurs ? 'ok' : 'not-ours';
}

export function signBody(body: Uint8Array, secret: string, nowMs: number): string {
  const time = String(Math.floor(nowMs / 1000));
  return `t=${time},v1=${digest(secret, time, body).toString('hex')}`;
}

function digest(secret: string, time: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest();
}

function parseHeader(header: string): { time: string; candidates: string[] } | undefined {
  if (header.length > MAX_HEADER_LENGTH) return undefined;
  const parts = header.split(',').map((part) => PART.exec(part));
  if (parts.some((part) => part === null)) return undefined;
  const valuesOf = (name: string) => parts.flatMap((part) => (part?.[1] === name ? [part[2] as string] : []));
  const [time, ...moreTimes] = valuesOf('t');
  const candidates = valuesOf('v1');
  const isUsable =
    time !== undefined &&
    moreTimes.length === 0 &&
    TIME.test(time) &&
    candidates.length > 0 &&
    candidates.length <= MAX_CANDIDATES &&
    candidates.every((candidate) => HEX_DIGEST.test(candidate));
  return isUsable ? { time, candidates } : undefined;
}

const MAX_PROBLEM_LENGTH = 1000;

export type WebhookSource = 'stripe' | 'test';

/** An unverified request. */
export interface Posted {
  signatures: readonly string[];
  body: Buffer;
}

export type Reading =
  | { kind: 'refused'; verdict: Exclude<SignatureVerdict, 'ok'> | 'disabled' | 'unreadable' }
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

  /** @throws Error if the Stripe API is unavailable; Stripe posts the event again. */
  async read(source: WebhookSource, { signatures, body }: Posted): Promise<Reading> {
    const secrets = this.secretsOf(source);
    if (secrets.length === 0) return { kind: 'refused', verdict: 'disabled' };
    const nowMs = this.clock.now().getTime();
    const verdict = verifySignature({ headers: signatures, body, nowMs }, secrets);
    if (verdict !== 'ok') return { kind: 'refused', verdict };
    const json = readJson(body.toString('utf8'));
    return source === 'stripe' ? this.readStripe(json) : readTest(json);
  }

  /** Reads a verified Stripe event. @throws Error if the Stripe API is unavailable */
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
