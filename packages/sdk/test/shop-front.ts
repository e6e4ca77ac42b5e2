import { randomBytes } from 'node:crypto';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { createTestRedis, type DecisionApiProcess, startDecisionApiProcess } from '@tollgate/test-kit';
import { afterAll, beforeAll } from 'vitest';
import { Tollgate, type TollgateOptions } from '../src/index.js';
import { LIMITS, SHOP, SHORTENER } from './policy.js';

/** Each adapter's tests have a tenant of their own: all of their requests come from one address. */
const TENANTS = ['acme', 'express', 'fastify', 'hono', 'handler', 'nest-express', 'nest-fastify'];

/** A real decision API over a Redis of its own, with the limits of `policy.ts` on each of {@link TENANTS}. */
export class ShopFront {
  redis!: Awaited<ReturnType<typeof createTestRedis>>;
  api!: DecisionApiProcess;
  token!: string;
  private relay!: TestRelay;
  private counter = 0;

  async start(): Promise<void> {
    this.redis = await createTestRedis();
    this.relay = new TestRelay(this.redis.url);
    const pepper = randomBytes(32).toString('hex');
    const { token, publicId } = issueToken('tga', 'live');
    this.token = token;
    await this.relay.publish({
      apis: [SHOP, SHORTENER],
      limits: LIMITS,
      tenants: TENANTS.map((tenant) => this.relay.tenant(tenant)),
      serviceTokens: [
        { publicId, hash: hashToken(token, pepper), scopes: ['decide', 'admin'], expiresAtMs: null },
      ],
    });
    this.api = await startDecisionApiProcess({
      REDIS_COUNTERS_URL: this.redis.url,
      REDIS_CONFIG_URL: this.redis.url,
      TOKEN_PEPPER: pepper,
    });
  }

  /** A client of it; a stalled test machine is no outage. */
  client(over: Partial<TollgateOptions> = {}): Tollgate {
    const patience = { timeoutMs: 30_000, onUnavailable: 'deny', fetch: fetchUntilTakenIn } as const;
    return new Tollgate({ url: this.api.url, token: this.token, ...patience, ...over });
  }

  /** A name that nobody else has, so that cases share no counters. */
  someone(): string {
    return `someone-${++this.counter}`;
  }

  /** An address that nobody else has. */
  address(): string {
    this.counter++;
    return `10.0.${this.counter >> 8}.${this.counter & 255}`;
  }

  async stop(): Promise<void> {
    await this.api?.stop();
    this.relay?.close();
    await this.redis?.stop();
  }
}

/** The runtime's own, whatever a test puts in its place. */
const FETCH = globalThis.fetch;

/** The door turns requests away, unread, when its process was held up: on a busy test machine it often is. */
export async function fetchUntilTakenIn(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const response = await FETCH(url, init);
    if (response.status !== 503 || !(await response.clone().text()).includes('"overloaded"')) return response;
  }
}

/** Starts one for the tests of a file. */
export function useShopFront(): ShopFront {
  const front = new ShopFront();
  beforeAll(() => front.start());
  afterAll(() => front.stop());
  return front;
}
