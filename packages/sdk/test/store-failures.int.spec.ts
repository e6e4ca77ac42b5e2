import 'reflect-metadata';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastifyRateLimit from '@fastify/rate-limit';
import { serve } from '@hono/node-server';
import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { ThrottlerModule } from '@nestjs/throttler';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { rateLimiter } from 'hono-rate-limiter';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TollgateStore } from '../src/stores/express-rate-limit.js';
import { tollgateStore } from '../src/stores/fastify-rate-limit.js';
import type { StoreOptions } from '../src/stores/hit-store.js';
import { TollgateStore as HonoStore } from '../src/stores/hono-rate-limiter.js';
import { TollgateThrottlerGuard, TollgateThrottlerStorage } from '../src/stores/nest-throttler.js';
import { FAULTS, OUTAGES, useShopFront } from './shop-front.js';

// Every drop-in with its real library and a real decision API, in which the limit is 3 an hour for each client.

const front = useShopFront();
const WINDOW_MS = 60_000;
type Target = StoreOptions & { operation: string };
const target = (over: Partial<Target> = {}): Target => ({
  client: front.client(),
  tenant: 'acme',
  api: 'shop',
  operation: 'search',
  ...over,
});

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
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A server whose only route is limited by the library: `limit` in code, counted in Tollgate. Returns its address. */
type Start = (store: Target, limit: number) => Promise<string>;

const LIBRARIES: Record<string, Start> = {
  'express-rate-limit': (options, limit) => {
    const app = express();
    const store = new TollgateStore({ ...options, limit });
    const keyGenerator = (request: express.Request) => request.get('x-client') ?? '';
    app.use(rateLimit({ windowMs: WINDOW_MS, limit: store.limit, keyGenerator, store }));
    app.get('/', (_request, response) => void response.send('served'));
    return listening(app.listen(0, '127.0.0.1'));
  },
  'hono-rate-limiter': (options, limit) => {
    const app = new Hono();
    const store = new HonoStore({ ...options, limit });
    const keyGenerator = (context: { req: { header(name: string): string | undefined } }) =>
      context.req.header('x-client') ?? '';
    app.use(rateLimiter({ windowMs: WINDOW_MS, limit: store.limit, keyGenerator, store }));
    app.get('/', (context) => context.text('served'));
    return listening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  },
  '@fastify/rate-limit': async (options, limit) => {
    const app = Fastify();
    closing.push(() => app.close());
    await app.register(fastifyRateLimit, {
      max: limit,
      timeWindow: WINDOW_MS,
      keyGenerator: (request) => String(request.headers['x-client'] ?? ''),
      store: tollgateStore(options),
    });
    app.get('/', async () => 'served');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`;
  },
  '@nestjs/throttler': async (options, limit) => {
    class Api {
      search() {
        return 'served';
      }
    }
    Controller()(Api);
    UseGuards(TollgateThrottlerGuard)(Api);
    Get('/')(
      Api.prototype,
      'search',
      Object.getOwnPropertyDescriptor(Api.prototype, 'search') as PropertyDescriptor,
    );
    class AppModule {}
    const throttling = ThrottlerModule.forRoot({
      throttlers: [{ ttl: WINDOW_MS, limit }],
      generateKey: (_context, tracker) => tracker,
      getTracker: (request) => request.headers['x-client'] ?? '',
      storage: new TollgateThrottlerStorage(options),
    });
    Module({ controllers: [Api], imports: [throttling] })(AppModule);
    const app = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: false });
    closing.push(() => app.close());
    await app.listen(0, '127.0.0.1');
    return app.getUrl();
  },
};

/** Sends `times` requests of one client. @returns their statuses, and the numbers in their headers of either style */
async function ask(
  url: string,
  times: number,
  headers: Record<string, string> = { 'x-client': front.someone() },
) {
  const answers = [];
  for (let i = 0; i < times; i++) answers.push(await fetch(url, { headers }));
  const number = (name: string) => (answer: Response) => {
    const text = answer.headers.get(`ratelimit-${name}`) ?? answer.headers.get(`x-ratelimit-${name}`);
    return text === null ? null : Number(text);
  };
  return {
    statuses: answers.map(({ status }) => status),
    limits: answers.map(number('limit')),
    remaining: answers.map(number('remaining')),
    retryAfterS: Number(answers.at(-1)?.headers.get('retry-after') ?? Number.NaN),
  };
}

describe.each(Object.entries(LIBRARIES))('%s', (library, start) => {
  it.each([...FAULTS, ...OUTAGES])(
    'limits by the number in code when Tollgate fails with: %s',
    async (failure) => {
      const { statuses, remaining, limits, retryAfterS } = await ask(
        await start(target(front.failing(failure)), 5),
        7,
      );
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
      expect(remaining.slice(0, 5)).toEqual([4, 3, 2, 1, 0]);
      expect(limits.slice(0, 5)).toEqual([5, 5, 5, 5, 5]);
      expect(retryAfterS).toBeGreaterThan(0);
      expect(retryAfterS).toBeLessThanOrEqual(WINDOW_MS / 1000);
    },
  );

  it.each([...FAULTS, ...OUTAGES])(
    'refuses where the client denies, when Tollgate fails with: %s',
    async (failure) => {
      const options = front.failing(failure, { onFault: 'deny', onUnavailable: 'deny' });
      const { statuses, retryAfterS } = await ask(await start(target(options), 5), 2);
      expect(statuses).toEqual([429, 429]);
      expect(retryAfterS).toBeGreaterThan(0);
      expect(retryAfterS).toBeLessThanOrEqual(WINDOW_MS / 1000);
    },
  );

  it.each([100, 2])(
    'shows the limit of Tollgate in its headers when the number in code is %i',
    async (limit) => {
      const { statuses, limits, remaining } = await ask(await start(target(), limit), 4);
      expect(statuses).toEqual([200, 200, 200, 429]);
      expect(limits.slice(0, 3)).toEqual([3, 3, 3]);
      expect(remaining.slice(0, 3)).toEqual([2, 1, 0]);
    },
  );

  it('limits clients with an empty or an overlong key', async () => {
    const url = await start(target(), 100);
    expect((await ask(url, 4, { 'x-client': library.repeat(500) })).statuses).toEqual([200, 200, 200, 429]);
    // All libraries of this file send it: they share one counter.
    expect((await ask(url, 4, {})).statuses.at(-1)).toBe(429);
  });

  it('names its window as the wait of a tenant that is blocked for good', async () => {
    const { statuses, retryAfterS } = await ask(await start(target({ tenant: 'suspended' }), 100), 1);
    expect([statuses, retryAfterS]).toEqual([[429], WINDOW_MS / 1000]);
  });

  it('never names a wait longer than the window of the limit', async () => {
    const url = await start(target({ operation: 'minute' }), 100);
    for (let i = 0; i < 20; i++) {
      expect((await ask(url, 2)).retryAfterS, library).toBeLessThanOrEqual(60);
    }
  });
});

it('refunds a hit in the library’s memory if that memory counted it', async () => {
  const app = express();
  const store = new TollgateStore({ ...target(front.failing('wrong token')), limit: 2 });
  const keyGenerator = () => 'somebody';
  app.use(
    rateLimit({ windowMs: WINDOW_MS, limit: store.limit, keyGenerator, store, skipSuccessfulRequests: true }),
  );
  app.get('/', (_request, response) => void response.send('served'));
  const url = await listening(app.listen(0, '127.0.0.1'));
  for (let i = 0; i < 6; i++) {
    expect((await fetch(url)).status).toBe(200);
    await expect.poll(async () => (await store.get('somebody')).totalHits).toBe(0);
  }
});

it('@fastify/rate-limit options that do not apply are named in a warning at registration', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const app = Fastify();
  closing.push(() => app.close());
  const store = tollgateStore(target());
  await app.register(fastifyRateLimit, { max: 5, timeWindow: WINDOW_MS, ban: 2, store });
  app.get(
    '/a',
    { config: { rateLimit: { continueExceeding: true, exponentialBackoff: true } } },
    async () => 'a',
  );
  await app.ready();
  const warnings = warn.mock.calls.map(([text]) => String(text));
  warn.mockRestore();
  expect(warnings).toEqual([
    expect.stringContaining('option ban does not apply'),
    expect.stringContaining('on /a: @fastify/rate-limit option ban, continueExceeding, exponentialBackoff'),
  ]);
});
