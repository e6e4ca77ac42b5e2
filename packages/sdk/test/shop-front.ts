import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { TestRelay } from '@tollgate/decision-plane/testing';
import {
  createTestRedis,
  type DecisionApiProcess,
  eventually,
  startDecisionApiProcess,
  WAIT_LIMIT_MS,
} from '@tollgate/test-kit';
import { afterAll, beforeAll } from 'vitest';
import { Tollgate, type TollgateOptions } from '../src/index.js';
import { LIMITS, SHOP, SHORTENER, WHOLE } from './policy.js';

/** Each adapter's tests have their own tenant, because all requests come from one address. */
const TENANTS = ['acme', 'express', 'fastify', 'hono', 'handler', 'nest-express', 'nest-fastify'];

/** How Tollgate rejects a call: `onFault` applies. */
export const FAULTS = ['wrong token', 'revoked token', 'unknown tenant'] as const;
/** How Tollgate gives no answer: `onUnavailable` applies. */
export const OUTAGES = ['unreachable', 'slow', 'status 500'] as const;
export type Failure = (typeof FAULTS)[number] | (typeof OUTAGES)[number];

/** A real decision API with a Redis and the limits of `policy.ts` for each of {@link TENANTS}. */
export class ShopFront {
  redis!: Awaited<ReturnType<typeof createTestRedis>>;
  api!: DecisionApiProcess;
  token!: string;
  private relay!: TestRelay;
  private revokedToken!: string;
  /** Answers 500 below `/error`, and nothing elsewhere. */
  private broken!: Server;
  private counter = 0;

  async start(): Promise<void> {
    this.redis = await createTestRedis();
    this.relay = new TestRelay(this.redis.url);
    const pepper = randomBytes(32).toString('hex');
    const [own, revoked] = [issueToken('tga', 'live'), issueToken('tga', 'live')];
    this.token = own.token;
    this.revokedToken = revoked.token;
    const recordOf = ({ publicId, token }: typeof own) => ({
      publicId,
      hash: hashToken(token, pepper),
      scopes: ['decide', 'reset'],
      expiresAtMs: null,
    });
    const publish = (tokens: (typeof own)[]) =>
      this.relay.publish({
        apis: [SHOP, SHORTENER, WHOLE],
        limits: LIMITS,
        tenants: [
          ...TENANTS.map((tenant) => this.relay.tenant(tenant)),
          this.relay.tenant('suspended', { status: 'suspended' }),
        ],
        serviceTokens: tokens.map(recordOf),
      });
    await publish([own, revoked]);
    this.api = await startDecisionApiProcess({
      REDIS_COUNTERS_URL: this.redis.url,
      REDIS_CONFIG_URL: this.redis.url,
      TOKEN_PEPPER: pepper,
      CONSOLE_URL: 'https://tollgate.example',
    });
    await this.client({ token: this.revokedToken }).verify(undefined, { timeoutMs: WAIT_LIMIT_MS });
    await publish([own]);
    await eventually(() =>
      this.client({ token: this.revokedToken })
        .verify()
        .then(
          () => false,
          (error: Error) => error.message.includes('token'),
        ),
    );
    this.broken = createServer((request, response) => {
      if (request.url?.startsWith('/error') === true) response.writeHead(500).end('{}');
    }).listen(0, '127.0.0.1');
    await once(this.broken, 'listening');
  }

  /** A client and tenant for which Tollgate makes no decision. */
  failing(failure: Failure, over: Partial<TollgateOptions> = {}): { client: Tollgate; tenant: string } {
    const base = `http://127.0.0.1:${(this.broken.address() as AddressInfo).port}`;
    const ways: Record<Failure, Partial<TollgateOptions>> = {
      'wrong token': { token: 'tga_live_invented' },
      'revoked token': { token: this.revokedToken },
      'unknown tenant': {},
      unreachable: { url: 'http://127.0.0.1:1' },
      slow: { url: `${base}/slow`, timeoutMs: 50 },
      'status 500': { url: `${base}/error` },
    };
    const silent = { onEvent: () => undefined };
    const client = this.client({ onUnavailable: 'allow', ...silent, ...ways[failure], ...over });
    return { client, tenant: failure === 'unknown tenant' ? 'nobody' : 'acme' };
  }

  /** A client of it; a stalled test machine is no outage. */
  client(over: Partial<TollgateOptions> = {}): Tollgate {
    const patience = { timeoutMs: WAIT_LIMIT_MS, onUnavailable: 'deny', fetch: fetchUntilTakenIn } as const;
    return new Tollgate({ url: this.api.url, token: this.token, ...patience, ...over });
  }

  /** A unique name, so that tests share no counters. */
  someone(): string {
    return `someone-${++this.counter}`;
  }

  /** A unique address. */
  address(): string {
    this.counter++;
    return `10.0.${this.counter >> 8}.${this.counter & 255}`;
  }

  async stop(): Promise<void> {
    await this.api?.stop();
    this.broken?.closeAllConnections();
    this.broken?.close();
    this.relay?.close();
    await this.redis?.stop();
  }
}

/** The global fetch, before a test replaces it. */
const FETCH = globalThis.fetch;

/** The decision API sheds requests when its process was blocked, which happens on busy test machines. */
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
