import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import Stripe from 'stripe';
import { AppConfig } from '../../../config/app-config.js';
import { ProviderFailure } from './payment-provider.js';

/**
 * API version of calls, and the newest version of events that are read. Pinned: an upgrade of the `stripe` package must not
 * change the shape of events. Raise it together with the schemas in `stripe-events.ts`.
 */
export const STRIPE_API_VERSION = '2026-10-28.endive' satisfies Stripe.LatestApiVersion;

/** Time for one operation, with all of its calls and their attempts: a mutation waits for it. */
const OPERATION_MS = 9000;
const ATTEMPT_MS = 5000;
const RETRIES = 2;

export const STRIPE_UNAVAILABLE = 'Stripe is unavailable. Try again later.';

/** The Stripe client for the configured address. */
@Injectable()
export class StripeClient {
  private client: Stripe | undefined;
  /** End of the current operation, in the time of `performance.now()`. */
  private readonly endsAt = new AsyncLocalStorage<number>();

  constructor(private readonly config: AppConfig) {}

  get operationMs(): number {
    return OPERATION_MS;
  }

  /** @throws Error if Stripe is disabled */
  get api(): Stripe {
    const { stripe } = this.config.payments;
    if (!stripe.enabled) throw new Error('Stripe is disabled');
    const { protocol, hostname, port } = stripe.apiBase;
    this.client ??= new Stripe(stripe.secretKey, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
      apiVersion: STRIPE_API_VERSION,
      timeout: ATTEMPT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      httpClient: strictClient(
        () => (this.endsAt.getStore() ?? Number.POSITIVE_INFINITY) - performance.now(),
      ),
    });
    return this.client;
  }

  /**
   * Runs the calls of one operation, which share its time; within another operation, they share the time of that one. No call
   * begins after the time is up. @throws ProviderFailure if Stripe does not respond in time
   */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.endsAt.getStore() !== undefined) return work();
    const { operationMs } = this;
    const timeUp = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      timeUp.reject(
        new ProviderFailure(STRIPE_UNAVAILABLE, new Error(`No response within ${operationMs} ms`)),
      );
    }, operationMs);
    try {
      const working = this.endsAt.run(performance.now() + operationMs, work);
      return await Promise.race([working, timeUp.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Sends no request when the time is up. The library takes any JSON without `error` for a result, whatever its status: a 500 of
 * a proxy would be read as an object without an id.
 */
function strictClient(timeLeftMs: () => number): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (host, port, path, method, headers, body, protocol, attemptMs) => {
      const leftMs = Math.min(attemptMs, Math.ceil(timeLeftMs()));
      if (leftMs <= 0) throw new Error('The time of the operation is up');
      const response = await client.makeRequest(host, port, path, method, headers, body, protocol, leftMs);
      const readJson = response.toJSON.bind(response);
      response.toJSON = async () => {
        const json: unknown = await readJson();
        const isResult =
          response.getStatusCode() < 400 ? isObject(json) : isObject(json) && isObject(json.error);
        if (!isResult) throw new Error(`Status ${response.getStatusCode()} without an object of Stripe`);
        return json;
      };
      return response;
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
