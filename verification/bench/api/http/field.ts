import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiRecord, FixedWindowPolicy } from '@tollgate/contracts';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { startRedis } from '@tollgate/embedded';
import {
  type Commanded,
  type Contender,
  inTurn,
  requestsOf,
  startBareServer,
  startDecisionApi,
  startHaproxyLimit,
  startNginxLimit,
} from './contenders.ts';

const PEPPER = 'a pepper for benches, 32 characters or more';
/** Number of users per API. Leases pay off when callers return within a second: few, busy users. */
const USERS: Readonly<Record<string, number>> = { strict: 1000, leased: 8 };
export const BATCH = 100;

const usersOf = (api: string) => USERS[api] ?? 1;

/** Fixtures of the HTTP benchmarks: a Redis, a policy, requests. */
export class Field {
  private readonly stops: (() => Promise<void> | void)[] = [];
  readonly token = issueToken('tga', 'live');

  /** Process of the counter Redis. */
  readonly redisPid: number;
  private readonly env: Record<string, string>;
  private readonly home: string;

  private constructor(env: Record<string, string>, home: string, redisPid: number) {
    this.env = env;
    this.home = home;
    this.redisPid = redisPid;
  }

  static async open(): Promise<Field> {
    const home = mkdtempSync(path.join(tmpdir(), 'tollgate-bench-'));
    const redis = await startRedis({ dir: path.join(home, 'redis'), durable: false, kind: 'redis-server' });
    const field = new Field(
      {
        PORT: '0',
        REDIS_COUNTERS_URL: redis.url,
        REDIS_CONFIG_URL: redis.url,
        TOKEN_PEPPER: PEPPER,
        ALLOW_INSECURE: 'unsigned-policy',
        LOG_LEVEL: 'info',
        MAX_IN_FLIGHT: '1024',
        // On a busy machine, Redis may need more than 25 ms: measure decisions, not outages.
        DECISION_DEADLINE_MS: '5000',
      },
      home,
      redis.pid,
    );
    const relay = new TestRelay(redis.url);
    await relay.publish({
      apis: [...['strict', 'leased'].map((key) => apiOf(key, 'call')), apiOf('url-shortener', 'createURL')],
      limits: [
        limitOf('strict'),
        { ...limitOf('leased'), consistency: { mode: 'leased', leaseMs: 1000 } },
        { ...limitOf('url-shortener'), operations: [], per: ['user', 'ip'], limit: 1000 },
      ],
      tenants: [relay.tenant('acme')],
      serviceTokens: [
        {
          publicId: field.token.publicId,
          hash: hashToken(field.token.token, PEPPER),
          scopes: ['decide'],
          expiresAtMs: null,
        },
      ],
    });
    field.stops.push(
      () => relay.close(),
      () => redis.stop(),
    );
    return field;
  }

  /** Decisions, one a request. */
  single(api: string, headers?: (n: number) => string): () => Buffer {
    return requestsOf(
      '/v1/limit',
      this.token.token,
      Array.from({ length: usersOf(api) }, (_, i) => bodyOf(api, i)),
      headers,
    );
  }

  /** Requests with this many decisions each. */
  batch(api: string): () => Buffer {
    const bodies = Array.from({ length: 10 }, (_, n) => ({
      requests: Array.from({ length: BATCH }, (_unused, i) => bodyOf(api, (n * BATCH + i) % usersOf(api))),
    }));
    return requestsOf('/v1/limit/batch', this.token.token, bodies);
  }

  /** Requests as Envoy's `ext_authz` sends them, with the headers of a browser's request that it forwards. */
  forwardAuth(api: string): () => Buffer {
    const texts = Array.from({ length: usersOf(api) }, (_, i) =>
      Buffer.from(
        `GET /v1/forward-auth/envoy/api=${api}&operation=call&tenant=acme&from.user=X-User/links?page=2 HTTP/1.1\r\n` +
          `Host: shop.example\r\nX-Tollgate-Token: ${this.token.token}\r\nX-User: user-${i}\r\nX-Forwarded-For: 203.0.113.7\r\n` +
          `Content-Length: 0\r\n\r\n`,
      ),
    );
    return inTurn(texts);
  }

  /** A temporary folder, removed on close. */
  folder(name: string): string {
    return path.join(this.home, name);
  }

  /** @param over settings that are not the bench's. @param checkout another built checkout */
  async decisionApi(
    processes: number,
    over: Record<string, string> = {},
    checkout?: string,
  ): Promise<Commanded> {
    const dataDir = path.join(this.home, `data-${this.stops.length}`);
    const env = { ...this.env, DATA_DIR: dataDir, PROCESSES: String(processes), ...over };
    const target = await startDecisionApi(env, checkout);
    this.stops.push(target.stop);
    while (!(await fetch(`http://127.0.0.1:${target.port}/readyz`)).ok) await pause(20);
    return target;
  }

  /** A server that responds to any request with a recorded response of the target. */
  async bare(processes: number, target: Commanded, request: () => Buffer): Promise<Commanded> {
    const { text, headers } = await this.answerOf(target, request);
    const bare = await startBareServer(processes, text, headers);
    this.stops.push(bare.stop);
    return bare;
  }

  /** Equivalent features of other programs, if installed. */
  async references(target: Commanded, request: () => Buffer): Promise<Contender[]> {
    const { text } = await this.answerOf(target, request);
    const found: Contender[] = [];
    for (const [name, start] of [
      ['nginx limit_req', startNginxLimit],
      ['haproxy stick table', startHaproxyLimit],
    ] as const) {
      const started = await start(text);
      if (started === undefined) continue;
      this.stops.push(started.stop);
      found.push({ name, request, ...started });
    }
    return found;
  }

  async close(): Promise<void> {
    for (const stop of this.stops.reverse()) await stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  private async answerOf(target: Commanded, request: () => Buffer) {
    const [head = '', body = ''] = request().toString().split('\r\n\r\n');
    const response = await fetch(`http://127.0.0.1:${target.port}${head.split(' ')[1]}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.token.token}`, 'Content-Type': 'application/json' },
      body,
    });
    const text = await response.text();
    const told = ['content-type', 'cache-control', 'ratelimit-policy', 'ratelimit'];
    return {
      text,
      headers: Object.fromEntries(told.flatMap((name) => pair(name, response.headers.get(name)))),
    };
  }
}

function pair(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]];
}

function apiOf(key: string, operation: string): ApiRecord {
  return { key, unknownOperations: 'refuse', operations: [{ name: operation, cost: 1 }] };
}

function limitOf(api: string): FixedWindowPolicy {
  return {
    name: 'calls',
    api,
    operations: ['call'],
    per: ['user'],
    onUnavailable: 'share',
    algorithm: 'fixed_window',
    limit: 1_000_000_000,
    windowMs: 3_600_000,
    alignment: 'first_request',
  };
}

function bodyOf(api: string, user: number) {
  return { tenant: 'acme', api, operation: 'call', subject: { user: `user-${user}` } };
}
