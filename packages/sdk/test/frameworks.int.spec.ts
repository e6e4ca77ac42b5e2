import 'reflect-metadata';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { serve } from '@hono/node-server';
import { Controller, Get, type INestApplication, Res, StreamableFile, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express, { type Request as ExpressRequest } from 'express';
import Fastify, { type FastifyRequest } from 'fastify';
import { type Context, Hono } from 'hono';
import { describe } from 'vitest';
import { tollgate as expressTollgate } from '../src/adapters/express.js';
import { tollgate as fastifyTollgate } from '../src/adapters/fastify.js';
import { tollgate as honoTollgate } from '../src/adapters/hono.js';
import { Limit, type NestRequest, TollgateGuard, TollgateModule } from '../src/adapters/nest.js';
import { withTollgate } from '../src/adapters/next.js';
import {
  answerOf,
  describeAdapter,
  type HandlerAnswer,
  type RouteUnderTest,
  type RunningApp,
} from './adapter-suite.js';
import { useShopFront } from './shop-front.js';

const front = useShopFront();

type NodeHeaders = { headers: Record<string, string | string[] | undefined> };
const nodeHeader = (request: NodeHeaders, name: string) => request.headers[name] as string | undefined;

const responseOf = ({ status, body }: HandlerAnswer) => new Response(body, { status });

async function listening(server: Server): Promise<RunningApp> {
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('Express', () => {
  describeAdapter<ExpressRequest>(front, 'express', nodeHeader, (routes) => {
    const app = express();
    for (const { path, handler, options } of routes) {
      app.get(path, expressTollgate(options), async (_request, response) => {
        const { status, body } = await answerOf(handler);
        response.status(status);
        if (typeof body === 'string') response.send(body);
        else await pipeline(body, response).catch(() => undefined);
      });
    }
    return listening(app.listen(0, '127.0.0.1'));
  });
});

describe('Fastify', () => {
  describeAdapter<FastifyRequest>(front, 'fastify', nodeHeader, async (routes) => {
    const app = Fastify();
    await app.register(fastifyTollgate, { client: front.client(), api: 'shop' });
    for (const { path, handler, options, hasOwnClient } of routes) {
      const { client, ...config } = options;
      await app.register(async (scope) => {
        // A plugin has one client: another client needs another plugin, in a separate scope.
        if (hasOwnClient) {
          const apart = Fastify();
          await apart.register(fastifyTollgate, options);
          apart.get(path, () => 'served');
          scope.get(path, async (request, reply) => {
            const answer = await apart.inject({ url: path, headers: request.headers as never });
            return reply.code(answer.statusCode).headers(answer.headers).send(answer.body);
          });
          return;
        }
        scope.get(path, { config: { tollgate: config } }, async (_request, reply) => {
          const { status, body } = await answerOf(handler);
          return reply.code(status).send(body);
        });
      });
    }
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
  });
});

describe('Hono', () => {
  const header = (context: Context, name: string) => context.req.header(name);
  describeAdapter<Context>(front, 'hono', header, (routes) => {
    const app = new Hono();
    for (const { path, handler, options } of routes) {
      app.get(path, honoTollgate(options), async () => responseOf(await answerOf(handler)));
    }
    app.onError((_error, context) => context.text('failed', 500));
    return listening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  });
});

describe('a handler of Request and Response, as in Next', () => {
  const header = (request: Request, name: string) => request.headers.get(name) ?? undefined;
  const start = (routes: RouteUnderTest<Request>[]) => {
    const handlers = new Map(
      routes.map(({ path, handler, options }) => [
        path,
        withTollgate(async () => responseOf(await answerOf(handler)), { ...options, trustedHops: 1 }),
      ]),
    );
    const fetchHandler = async (request: Request) => {
      try {
        return await (handlers.get(new URL(request.url).pathname)?.(request) ??
          new Response(null, { status: 404 }));
      } catch {
        return new Response(null, { status: 500 });
      }
    };
    return listening(serve({ fetch: fetchHandler, port: 0, hostname: '127.0.0.1' }) as Server);
  };
  describeAdapter<Request>(front, 'handler', header, start, { 'x-forwarded-for': '6.6.6.6, 203.0.113.9' });
});

const NEST = {
  'nest-express': () => new ExpressAdapter(),
  'nest-fastify': () => new FastifyAdapter(),
};

describe.each(Object.entries(NEST))('Nest: %s', (tenant, adapter) => {
  describeAdapter<NestRequest>(front, tenant, nodeHeader, async (routes) => {
    const controllers = routes.map(controllerOf);
    const module = TollgateModule.forRoot({ client: front.client(), api: 'shop' });
    class AppModule {}
    const app: INestApplication = await NestFactory.create(
      { module: AppModule, imports: [module], controllers },
      adapter() as ExpressAdapter,
      { logger: false },
    );
    await app.listen(0, '127.0.0.1');
    return { url: await app.getUrl(), close: () => app.close() };
  });
});

interface PlatformResponse {
  status(code: number): unknown;
}

/** A decorated controller for one route; all routes share one handler. */
function controllerOf({ path, handler, options }: RouteUnderTest<NestRequest>) {
  class OneRoute {
    async serve(response: PlatformResponse) {
      const { status, body } = await answerOf(handler);
      response.status(status);
      return typeof body === 'string' ? body : new StreamableFile(Readable.fromWeb(body as never));
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(OneRoute.prototype, 'serve') as PropertyDescriptor;
  Controller()(OneRoute);
  UseGuards(TollgateGuard)(OneRoute);
  Get(path)(OneRoute.prototype, 'serve', descriptor);
  Limit(options as never)(OneRoute.prototype, 'serve', descriptor);
  Res({ passthrough: true })(OneRoute.prototype, 'serve', 0);
  return OneRoute;
}
