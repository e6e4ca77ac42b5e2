import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Database } from '../prisma/database.js';
import { RedisConnections } from '../redis/redis-connections.js';

const CHECK_DEADLINE_MS = 1000;

/** `/healthz`: the process answers. `/readyz`: Postgres and Redis answer too. Neither tells anything else. */
@Injectable()
export class HealthRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly database: Database,
    private readonly redis: RedisConnections,
  ) {}

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.get('/healthz', async () => ({ status: 'ok' }));
    fastify.get('/readyz', async (_request, reply) => {
      const checks = {
        postgres: await answers(this.database.ping()),
        redis: await answers(this.redis.ping()),
      };
      const isReady = Object.values(checks).every((ok) => ok);
      return reply.status(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', checks });
    });
  }
}

function answers(check: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), CHECK_DEADLINE_MS);
    const settle = (ok: boolean) => {
      clearTimeout(timer);
      resolve(ok);
    };
    check.then(
      () => settle(true),
      () => settle(false),
    );
  });
}
