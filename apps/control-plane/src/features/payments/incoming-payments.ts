import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../platform/clock/clock.js';
import { kindOfId } from '../../platform/ids/new-id.js';
import { readJson } from '../../platform/json/read-json.js';
import { type PurchaseEvent, purchaseFactSchema } from './purchase-fact.js';
import { StripeEvents } from './stripe/stripe-events.js';
import { stripeEventSchema } from './stripe/stripe-objects.js';
import { testEventSchema } from './test-provider/test-event.js';
import { type SignatureVerdict, verifySignature } from './webhook-signature.js';

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
  /** Nothing that a purchase goes by. */
  | { kind: 'ignored' }
  | { kind: 'event'; purchaseId: string; event: PurchaseEvent };

/** Turns what is posted to our webhooks into events of purchases, if it was signed by who it says it is from. */
@Injectable()
export class IncomingPayments {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly stripeEvents: StripeEvents,
  ) {}

  /** @throws Error when a provider has to be asked and does not answer: it will post the event again. */
  async read(source: WebhookSource, { signatures, body }: Posted): Promise<Reading> {
    const secrets = this.secretsOf(source);
    if (secrets.length === 0) return { kind: 'refused', verdict: 'disabled' };
    const nowMs = this.clock.now().getTime();
    const verdict = verifySignature({ headers: signatures, body, nowMs }, secrets);
    if (verdict !== 'ok') return { kind: 'refused', verdict };
    const json = readJson(body.toString('utf8'));
    return source === 'stripe' ? this.readStripe(json) : readTest(json);
  }

  private secretsOf(source: WebhookSource): string[] {
    const { stripe, test } = this.config.payments;
    if (source === 'stripe') return stripe.enabled ? stripe.webhookSecrets : [];
    return test.enabled ? [test.webhookSecret] : [];
  }

  private async readStripe(json: unknown): Promise<Reading> {
    const parsed = stripeEventSchema.safeParse(json);
    if (!parsed.success) return { kind: 'refused', verdict: 'unreadable' };
    const told = await this.stripeEvents.read(parsed.data);
    if (told === null) return { kind: 'ignored' };
    const { id, created } = parsed.data;
    const fact = purchaseFactSchema.parse(told.fact);
    const event = { source: 'stripe' as const, id, at: new Date(created * 1000), fact };
    return { kind: 'event', purchaseId: told.purchaseId, event };
  }
}

function readTest(json: unknown): Reading {
  const parsed = testEventSchema.safeParse(json);
  if (!parsed.success || kindOfId(parsed.data.purchase) !== 'purchase') {
    return { kind: 'refused', verdict: 'unreadable' };
  }
  const { id, purchase, at, fact } = parsed.data;
  return { kind: 'event', purchaseId: purchase, event: { source: 'test', id, at: new Date(at), fact } };
}
