import 'reflect-metadata';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastifyRateLimit from '@fastify/rate-limit';
import { serve } from '@hono/node-server';
import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import express from 'express';
import { type Options, rateLimit } from 'express-rate-limit';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { rateLimiter } from 'hono-rate-limiter';
import { afterEach, describe, expect, it } from 'vitest';
import type { LimitRequest, Tollgate } from '../src/index.js';
import { TollgateStore } from '../src/stores/express-rate-limit.js';
import { tollgateStore } from '../src/stores/fastify-rate-limit.js';
import { TollgateStore as HonoStore } from '../src/stores/hono-rate-limiter.js';
import { TollgateThrottlerStorage } from '../src/stores/nest-throttler.js';
import { useShopFront } from './shop-front.js';

const front = useShopFront();
/** The limit in Tollgate is 3 per client, independent of the number in code. */
const target = () => ({
  client: front.client({ onEvent: () => undefined }),
  tenant: 'acme',
  api: 'shop',
  operation: 'search',
});
const peek = async (client: string) => {
  const { client: limiter, ...asked } = target();
  return (await limiter.peek({ ...asked, subject: { client } })).remaining;
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listening(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function statuses(url: string, client: string, times: number): Promise<Response[]> {
  const answers = [];
  for (let i = 0; i < times; i++) answers.push(await fetch(url, { headers: { 'x-client': client } }));
  return answers;
}

describe('express-rate-limit', () => {
  const start = (options: Partial<Options> = {}, status = 200) => {
    const app = express();
    const keyGenerator = (request: express.Request) => request.get('x-client') ?? 'nobody';
    const store = new TollgateStore(target());
    app.use(rateLimit({ windowMs: 60_000, limit: 100, keyGenerator, store, ...options }));
    app.get('/', (_request, response) => void response.status(status).send('served'));
    return listening(app.listen(0, '127.0.0.1'));
  };

  it('the limit of Tollgate decides, whether the number in code is higher or lower', async () => {
    for (const limit of [100, 3, 2, () => 100]) {
      const client = front.someone();
      const answers = await statuses(await start({ limit }), client, 4);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(3000);
      expect(await peek(client)).toBe(0);
    }
  });

  it('its headers count down to the limit', async () => {
    const answers = await statuses(await start({ limit: 3, standardHeaders: 'draft-8' }), front.someone(), 4);
    expect(answers.map(({ headers }) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])).toEqual([
      '2',
      '1',
      '0',
      '0',
    ]);
  });

  it('refunds hits that the library skips afterwards; a denial refunds nothing', async () => {
    const failing = front.someone();
    const url = await start({ skipFailedRequests: true }, 500);
    expect((await statuses(url, failing, 6)).map(({ status }) => status)).toEqual(Array(6).fill(500));
    await expect.poll(() => peek(failing)).toBe(3);

    const refused = front.someone();
    const fine = await start({ skipFailedRequests: true });
    expect((await statuses(fine, refused, 6)).map(({ status }) => status)).toEqual([
      200, 200, 200, 429, 429, 429,
    ]);
    expect(await peek(refused)).toBe(0);
  });

  it('refunds the hit of each failed request and of each client that left, not that of another request', async () => {
    const { client, ...rest } = target();
    const refunds: unknown[] = [];
    const charged: unknown[] = [];
    const noting = Object.assign(Object.create(client), {
      limit: (request: LimitRequest) => {
        charged.push(request.requestId);
        return client.limit(request);
      },
      refund: (receipt: { requestId: string }) => {
        refunds.push(receipt.requestId);
        return client.refund(receipt as never);
      },
    }) as Tollgate;
    const waiting: (() => void)[] = [];
    const app = express();
    const store = new TollgateStore({ ...rest, client: noting });
    const keyGenerator = (request: express.Request) => request.get('x-client') ?? 'nobody';
    app.use(rateLimit({ windowMs: 60_000, limit: 3, keyGenerator, store, skipFailedRequests: true }));
    app.get('/', (request, response) => {
      waiting.push(() => void response.status(request.query.fails === undefined ? 200 : 500).end());
    });
    const url = await listening(app.listen(0, '127.0.0.1'));
    const headers = { 'x-client': front.someone() };
    const leave = new AbortController();
    const arrived = async (count: number) => expect.poll(() => waiting.length).toBe(count);

    const failing = fetch(`${url}?fails=1`, { headers });
    await arrived(1);
    const left = fetch(url, { headers, signal: leave.signal }).catch(() => undefined);
    await arrived(2);
    const fine = fetch(url, { headers });
    await arrived(3);
    leave.abort();
    await left;
    await expect.poll(() => refunds).toEqual([charged[1]]);
    for (const answer of [waiting[2], waiting[0]]) answer?.();
    expect([(await fine).status, (await failing).status]).toEqual([200, 500]);
    await expect.poll(() => refunds).toEqual([charged[1], charged[0]]);
    await expect.poll(() => peek(headers['x-client'])).toBe(2);
  });

  it('supports the library’s functions to look up and reset a key', async () => {
    const limiter = rateLimit({ windowMs: 60_000, limit: 3, store: new TollgateStore(target()) });
    const client = front.someone();
    const store = new TollgateStore(target());
    store.init({ limit: 3 });
    await store.increment(client);
    await store.increment(client);
    expect(await limiter.getKey(client)).toMatchObject({ totalHits: 2 });
    limiter.resetKey(client);
    await expect.poll(() => peek(client)).toBe(3);
  });

  it('the network that the library makes of an IPv6 address counts as its first address', async () => {
    const browse = { ...target(), operation: 'browse' };
    const store = new TollgateStore({ ...browse, dimension: 'ip' });
    store.init({ limit: 3 });
    expect((await store.increment('2001:db8:77::/56')).totalHits).toBe(1);
    const { client, ...asked } = browse;
    const left = await client.peek({ ...asked, subject: { ip: '2001:db8:77::9' } });
    expect(left.remaining).toBe(2);
  });
});

describe('@fastify/rate-limit', () => {
  const asked: string[] = [];
  const start = async (max: number, route: object = {}) => {
    const { client, ...rest } = target();
    const noting = Object.assign(Object.create(client), {
      limit: (request: LimitRequest) => {
        asked.push(request.operation);
        return client.limit(request);
      },
    }) as Tollgate;
    const app = Fastify();
    closing.push(() => app.close());
    await app.register(fastifyRateLimit, {
      max,
      timeWindow: 60_000,
      keyGenerator: (request) => String(request.headers['x-client']),
      store: tollgateStore({ ...rest, client: noting, operation: ({ url }) => url.slice(1) || 'search' }),
    });
    app.get('/search', async () => 'served');
    app.get('/minute', { config: { rateLimit: route } }, async () => 'served');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app;
  };
  const urlOf = (app: { server: Server }) => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  it('the limit of Tollgate decides, whether the number in code is higher or lower', async () => {
    for (const max of [100, 3, 2]) {
      const client = front.someone();
      const answers = await statuses(`${urlOf(await start(max))}/search`, client, 4);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(3000);
      expect(answers[2]?.headers.get('x-ratelimit-remaining')).toBe('0');
    }
  });

  it('a route with its own configuration has its own operation', async () => {
    const app = await start(100, { max: 50 });
    const [answer] = await statuses(`${urlOf(app)}/minute`, front.someone(), 1);
    expect([answer?.status, asked.at(-1)]).toEqual([200, 'minute']);
  });

  it('looking does not count', async () => {
    const client = front.someone();
    const store = new (tollgateStore(target()))({});
    const read = () =>
      new Promise((resolve) => store.read(client, (_error, result) => resolve(result), 60_000, 3));
    expect(await read()).toMatchObject({ current: 0 });
    expect(await read()).toMatchObject({ current: 0 });
    expect(await peek(client)).toBe(3);
  });
});

describe('@nestjs/throttler', () => {
  it('applies Tollgate’s limit instead of the number in code', async () => {
    const client = front.someone();
    class Api {
      search() {
        return 'served';
      }
    }
    Controller()(Api);
    UseGuards(ThrottlerGuard)(Api);
    Get('/')(
      Api.prototype,
      'search',
      Object.getOwnPropertyDescriptor(Api.prototype, 'search') as PropertyDescriptor,
    );
    class AppModule {}
    Module({
      controllers: [Api],
      imports: [
        ThrottlerModule.forRoot({
          throttlers: [{ ttl: 60_000, limit: 50 }],
          generateKey: (_context, tracker) => tracker,
          getTracker: (request) => request.headers['x-client'],
          storage: new TollgateThrottlerStorage(target()),
        }),
      ],
    })(AppModule);
    const app = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: false });
    closing.push(() => app.close());
    await app.listen(0, '127.0.0.1');
    const answers = await statuses(await app.getUrl(), client, 4);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(answers[0]?.headers.get('x-ratelimit-remaining')).toBe('2');
    expect(await peek(client)).toBe(0);
  });
});

describe('hono-rate-limiter', () => {
  it('the limit of Tollgate decides, whether the number in code is higher or lower', async () => {
    for (const limit of [100, 3, 2]) {
      const app = new Hono();
      const keyGenerator = (context: { req: { header(name: string): string | undefined } }) =>
        context.req.header('x-client') ?? 'nobody';
      app.use(rateLimiter({ windowMs: 60_000, limit, keyGenerator, store: new HonoStore(target()) }));
      app.get('/', (context) => context.text('served'));
      const url = await listening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
      const client = front.someone();
      const answers = await statuses(url, client, 4);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(3000);
      expect(await peek(client)).toBe(0);
    }
  });
});
