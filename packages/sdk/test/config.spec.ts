import 'reflect-metadata';
import { Controller, Get } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { TestPlane } from '@tollgate/decision-plane/testing';
import type { Request } from 'express';
import Fastify from 'fastify';
import { describe, expect, it, vi } from 'vitest';
import { tollgate as express } from '../src/adapters/express.js';
import { tollgate as fastify } from '../src/adapters/fastify.js';
import { tollgateApollo } from '../src/adapters/graphql.js';
import { tollgate as hono } from '../src/adapters/hono.js';
import { Limit, TollgateModule } from '../src/adapters/nest.js';
import { withTollgate } from '../src/adapters/next.js';
import { countable } from '../src/client/requests.js';
import { EmbeddedTollgate } from '../src/embedded.js';
import type { GuardOptions } from '../src/guard/guard.js';
import { Tollgate, TollgateConfigError, type TollgateOptions } from '../src/index.js';
import { TollgateStore } from '../src/stores/express-rate-limit.js';
import { tollgateStore } from '../src/stores/fastify-rate-limit.js';
import { TollgateStore as HonoStore } from '../src/stores/hono-rate-limiter.js';
import { TollgateThrottlerStorage } from '../src/stores/nest-throttler.js';
import { LIMITS, SHOP } from './policy.js';

const url = 'http://127.0.0.1:4010';
const token = 'tga_live_x';
const client = new Tollgate({ url, token });
const withoutCaller = { client, api: 'shop', operation: 'checkout' };

describe('construction', () => {
  const WRONG: [string, Partial<Record<keyof TollgateOptions, unknown>>, RegExp][] = [
    ['an undefined url', { url: undefined }, /option "url" is undefined.*TOLLGATE_URL/],
    ['an empty url', { url: '' }, /option "url" is empty.*TOLLGATE_URL/],
    ['a url without scheme', { url: 'tollgate:4010/x' }, /option "url" must be an http or https address/],
    ['an undefined token', { token: undefined }, /option "token" is undefined.*TOLLGATE_TOKEN/],
    ['an empty token', { token: '' }, /option "token" is empty.*TOLLGATE_TOKEN/],
    ['a token with a line break', { token: 'tga_live_x\n' }, /option "token" has spaces/],
    ['an API key as token', { token: 'tgk_live_x' }, /option "token" is an API key/],
    ['a negative timeout', { timeoutMs: -1 }, /option "timeoutMs" must be a number above 0/],
    [
      'an unknown onFault',
      { onFault: 'pass' },
      /option "onFault" must be 'throw', 'allow', 'deny' or a function/,
    ],
    ['an unknown onUnavailable', { onUnavailable: 'open' }, /option "onUnavailable" must be/],
  ];
  it.each(WRONG)('rejects %s with an error that names the option', (_what, over, message) => {
    const construct = () => new Tollgate({ url, token, ...over } as TollgateOptions);
    expect(construct).toThrow(TollgateConfigError);
    expect(construct).toThrow(message);
  });

  it('rejects an embedded client without a plane', () => {
    expect(() => new EmbeddedTollgate({ plane: undefined as never })).toThrow(/option "plane"/);
  });
});

describe('an adapter without tenant and key', () => {
  const message = /"tenant" and "key" are both missing/;

  it('does not compile, and throws at construction', () => {
    // @ts-expect-error tenant or key is required
    expect(() => express(withoutCaller)).toThrow(message);
    // @ts-expect-error tenant or key is required
    expect(() => hono(withoutCaller)).toThrow(message);
    // @ts-expect-error tenant or key is required
    expect(() => withTollgate(() => new Response(), withoutCaller)).toThrow(message);
    // @ts-expect-error tenant or key is required
    expect(() => tollgateApollo({ client, api: 'shop' })).toThrow(message);
  });

  it('compiles with either of them, or both', () => {
    const key = (request: Request) => request.get('x-api-key');
    const all: GuardOptions<Request>[] = [
      { ...withoutCaller, tenant: 'acme' },
      { ...withoutCaller, key },
      { ...withoutCaller, tenant: 'acme', key },
    ];
    for (const options of all) expect(express(options)).toBeTypeOf('function');
  });

  it('fails the registration of a Fastify route and names it', async () => {
    const app = Fastify();
    await app.register(fastify, { client, api: 'shop' });
    const register = () =>
      app.get('/pay', { config: { tollgate: { operation: 'pay' } } }, async () => 'served');
    expect(register).toThrow(/route \/pay: .*"tenant" and "key"/);
    await app.close();
  });

  it('fails the start of a Nest app and names the handler', async () => {
    class Shop {
      pay() {
        return 'served';
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Shop.prototype, 'pay') as PropertyDescriptor;
    Controller()(Shop);
    Get('/pay')(Shop.prototype, 'pay', descriptor);
    Limit()(Shop.prototype, 'pay', descriptor);
    class AppModule {}
    const app = await NestFactory.create(
      { module: AppModule, imports: [TollgateModule.forRoot({ client, api: 'shop' })], controllers: [Shop] },
      new ExpressAdapter(),
      { logger: false },
    );
    await expect(app.init()).rejects.toThrow(/@Limit on Shop.pay: .*"tenant" and "key"/);
    await app.close();
  });
});

it.each([
  ['express-rate-limit', (options: never) => new TollgateStore(options)],
  ['hono-rate-limiter', (options: never) => new HonoStore(options)],
  ['@fastify/rate-limit', (options: never) => tollgateStore(options)],
  ['@nestjs/throttler', (options: never) => new TollgateThrottlerStorage(options)],
])('the store for %s rejects missing options and names them', (_library, construct) => {
  const options = { client, tenant: 'acme', api: 'shop', operation: 'search' };
  for (const missing of Object.keys(options)) {
    expect(() => construct({ ...options, [missing]: undefined } as never)).toThrow(`option "${missing}"`);
  }
});

it('counts subject values that Tollgate would reject: empty, overlong, of another type', async () => {
  const limiter = new EmbeddedTollgate({ plane: new TestPlane({ limits: LIMITS, apis: [SHOP] }) });
  for (const client of ['', 'x'.repeat(1025), 'x'.repeat(9000), 42 as never]) {
    const outcomes = [];
    for (let i = 0; i < 4; i++) {
      const { success } = await limiter.limit({
        tenant: 'acme',
        api: 'shop',
        operation: 'search',
        subject: { client },
      });
      outcomes.push(success);
    }
    expect(outcomes).toEqual([true, true, true, false]);
  }
});

it('omits an invalid ip, as if the caller had sent none', () => {
  const request = { subject: { ip: 'unknown', user: 'u1' } };
  expect(countable(request)).toEqual({ subject: { user: 'u1' } });
  const fine = { subject: { ip: '2001:db8::1', user: 'u1' } };
  expect(countable(fine)).toBe(fine);
});

it('raises no-limit once per API and operation, for a bounded number of names', async () => {
  const plane = new TestPlane({ limits: LIMITS, apis: [SHOP] });
  const onEvent = vi.fn();
  const limiter = new EmbeddedTollgate({ plane, onEvent });
  const request = { tenant: 'acme', api: 'shop', operation: 'chekout', subject: { user: 'u1' } };
  await limiter.limit(request);
  await limiter.limit(request);
  await limiter.limitMany([request, { ...request, operation: 'brwose' }]);
  await limiter.limit({ ...request, operation: 'checkout' });
  expect(onEvent.mock.calls.flat()).toEqual([
    { kind: 'no-limit', api: 'shop', operation: 'chekout' },
    { kind: 'no-limit', api: 'shop', operation: 'brwose' },
  ]);
  for (let i = 0; i < 1100; i++) await limiter.limit({ ...request, operation: `invented-${i}` });
  expect(onEvent).toHaveBeenCalledTimes(1000);
});

describe('a call that Tollgate rejects', () => {
  const plane = new TestPlane({ limits: LIMITS, apis: [SHOP], tenants: [] });
  const request = { tenant: 'nobody', api: 'shop', operation: 'search', subject: { client: 'c1' } };
  const fault = { code: 'tenant-unknown', status: 404 };

  it('is allowed by default, with the fault in the decision and an event', async () => {
    const onEvent = vi.fn();
    const limiter = new EmbeddedTollgate({ plane, onEvent });
    const allowed = { success: true, degraded: true, reason: 'DEGRADED', unavailable: null, fault };
    expect(await limiter.limit(request)).toMatchObject(allowed);
    expect(await limiter.limitMany([request])).toMatchObject([allowed]);
    expect(await limiter.refund({ ...request, cost: 1 })).toMatchObject({ status: 'fault', problem: fault });
    const event = { kind: 'fault', code: 'tenant-unknown', applied: 'allow', problem: fault };
    expect(onEvent.mock.calls).toMatchObject([[event], [event], [event]]);
  });

  it('is denied, thrown or decided by a function', async () => {
    const onEvent = vi.fn();
    const denied = { success: false, retryAfter: null, fault };
    const denying = new EmbeddedTollgate({ plane, onEvent, onFault: 'deny' });
    expect(await denying.limit(request)).toMatchObject(denied);
    const throwing = new EmbeddedTollgate({ plane, onEvent, onFault: 'throw' });
    await expect(throwing.limit(request)).rejects.toMatchObject({ code: 'tenant-unknown' });
    await expect(throwing.reset(request)).rejects.toMatchObject({ code: 'tenant-unknown' });
    expect(await throwing.limitMany([request])).toMatchObject([{ success: null, problem: fault }]);
    const onFault = ({ operation }: { operation: string }) => (operation === 'search' ? 'deny' : 'allow');
    const choosing = new EmbeddedTollgate({ plane, onEvent, onFault });
    expect(await choosing.limit(request)).toMatchObject(denied);
    expect(await choosing.limit({ ...request, operation: 'browse' })).toMatchObject({ success: true, fault });
  });

  it('is written to the console once per code without an event handler', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const limiter = new EmbeddedTollgate({ plane });
    await limiter.limit(request);
    await limiter.limit(request);
    const lines = warn.mock.calls.map(([line]) => line);
    warn.mockRestore();
    expect(lines).toEqual([expect.stringMatching(/limits are not applied: tenant-unknown/)]);
  });

  it('keeps the decision when the event handler throws', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const onEvent = () => {
      throw new Error('broken receiver');
    };
    expect((await new EmbeddedTollgate({ plane, onEvent }).limit(request)).success).toBe(true);
    expect(error).toHaveBeenCalledOnce();
    error.mockRestore();
  });
});
