import 'reflect-metadata';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Context, GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Limit, type NestRequest, SkipLimit, TollgateGuard, TollgateModule } from '../src/adapters/nest.js';
import { useShopFront } from './shop-front.js';

const front = useShopFront();
const user = (request: NestRequest) => ({ user: String(request.headers['x-user']) });

/** All fields but one are limited; `checkout` is named after its method. */
@Resolver()
@UseGuards(TollgateGuard)
@Limit({ subject: user })
class ShopResolver {
  @Query()
  checkout(@Context() { req }: { req: NestRequest }): number {
    return req.tollgate.remaining;
  }

  @Query()
  @Limit() // by the address
  browse(): string {
    return 'served';
  }

  @Query()
  @Limit({ operation: 'hold', subject: user })
  hold(): string {
    return 'served';
  }

  @Query()
  @SkipLimit()
  about(): string {
    return 'a shop';
  }
}

async function startApp(context?: ApolloDriverConfig['context']): Promise<NestFastifyApplication> {
  @Module({
    imports: [
      TollgateModule.forRoot({ client: front.client(), api: 'shop', tenant: 'acme' }),
      GraphQLModule.forRoot<ApolloDriverConfig>({
        driver: ApolloDriver,
        typeDefs: 'type Query { checkout: Int, browse: String, hold: String, about: String }',
        ...(context === undefined ? {} : { context }),
      }),
    ],
    providers: [ShopResolver],
  })
  class AppModule {}
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
    logger: false,
  });
  await app.init();
  return app;
}

let plain: NestFastifyApplication;
let withReply: NestFastifyApplication;

beforeAll(async () => {
  plain = await startApp();
  withReply = await startApp((req: unknown, reply: unknown) => ({ req, reply }));
});
afterAll(async () => {
  await plain?.close();
  await withReply?.close();
});

async function run(app: NestFastifyApplication, query: string, as = 'nobody') {
  const headers = { 'x-user': as };
  const answer = await app.inject({ method: 'POST', url: '/graphql', payload: { query }, headers });
  return { headers: answer.headers, ...answer.json() };
}

it('charges the subject of the request, and the field can read the decision', async () => {
  const one = front.someone();
  expect((await run(plain, '{ checkout about }', one)).data).toEqual({ checkout: 4, about: 'a shop' });
  expect((await run(plain, '{ checkout }', front.someone())).data).toEqual({ checkout: 4 });
  const third = await run(withReply, '{ checkout }', one);
  expect(third.data).toEqual({ checkout: 3 });
  expect(third.headers.ratelimit).toMatch(/^"checkout-hour";r=3;/);
});

it('a denial is an error of its field, with the problem and the retry time', async () => {
  const answers = [];
  for (let i = 0; i < 4; i++) answers.push(await run(plain, '{ browse about }'));
  for (const { data, errors } of answers.slice(0, 3)) {
    expect({ data, errors }).toEqual({ data: { browse: 'served', about: 'a shop' }, errors: undefined });
  }
  for (const refused of [answers[3], await run(withReply, '{ browse about }')]) {
    expect(refused.data).toEqual({ browse: null, about: 'a shop' });
    expect(refused.errors).toHaveLength(1);
    expect(refused.errors[0]).toMatchObject({
      path: ['browse'],
      extensions: {
        code: 'RATE_LIMITED',
        problem: { status: 429, reason: 'RATE_EXCEEDED', 'violated-policies': ['browse-hour'] },
      },
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
    expect(refused.headers['content-type']).toMatch(/^application\/(graphql-response\+)?json/);
  }
});

it.each(['without', 'with'])(
  'releases the permit with the response, in a context %s the reply',
  async (which) => {
    const one = front.someone();
    for (let i = 0; i < 4; i++) {
      const { data } = await run(which === 'with' ? withReply : plain, '{ hold }', one);
      expect(data).toEqual({ hold: 'served' });
      const peek = () =>
        front.client().peek({ tenant: 'acme', api: 'shop', operation: 'hold', subject: { user: one } });
      await expect.poll(async () => (await peek()).remaining).toBe(2);
    }
  },
);
