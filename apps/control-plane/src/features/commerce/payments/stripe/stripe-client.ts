import { Injectable } from '@nestjs/common';
import Stripe from 'stripe';
import { AppConfig } from '../../../../config/app-config.js';

/**
 * The API version of our calls, and the newest whose events we read. Pinned: an upgrade of the `stripe` package must not
 * change the shape of events. Raise it together with `stripe-objects.ts`.
 */
export const STRIPE_API_VERSION = '2026-10-28.endive' satisfies Stripe.LatestApiVersion;

const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/** Stripe's own client, asked at the address of the configuration. */
@Injectable()
export class StripeClient {
  private client: Stripe | undefined;

  constructor(private readonly config: AppConfig) {}

  /** @throws Error where Stripe is not switched on. */
  get api(): Stripe {
    const { stripe } = this.config.payments;
    if (!stripe.enabled) throw new Error('Stripe is not switched on');
    const { protocol, hostname, port } = stripe.apiBase;
    this.client ??= new Stripe(stripe.secretKey, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
      apiVersion: STRIPE_API_VERSION,
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
    return this.client;
  }
}
