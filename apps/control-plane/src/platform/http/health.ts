import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BUILD } from '@tollgate/contracts/environment';
import type { FastifyInstance } from 'fastify';
import { Database } from '../prisma/database.js';
import { RedisConnections } from '../redis.js';

const CHECK_DEADLINE_MS = 1000;

export interface Readiness {
  /** `degraded`: without Redis, requests are served; jobs and publication wait. */
  status: 'ok' | 'degraded' | 'draining' | 'not ready';
  checks: { postgres: boolean; redis: boolean };
}

/** Whether Postgres and Redis respond, and whether this process is stopping. */
@Injectable()
export class Health {
  private isDraining = false;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnections,
  ) {}

  startDraining(): void {
    this.isDraining = true;
  }

  async check(): Promise<Readiness> {
    const [postgres, redis] = await Promise.all([answers(this.database.ping()), answers(this.redis.ping())]);
    const checks = { postgres, redis };
    if (this.isDraining) return { status: 'draining', checks };
    if (!postgres) return { status: 'not ready', checks };
    return { status: redis ? 'ok' : 'degraded', checks };
  }
}

function answers(check: Promise<void>): Promise<boolean> {
  const result = check.then(
    () => true,
    () => false,
  );
  return Promise.race([result, delay(CHECK_DEADLINE_MS, false, { ref: false })]);
}

/** `/healthz`: the process responds. `/readyz`: it is ready. `/version`: the build. */
@Injectable()
export class HealthRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly health: Health,
  ) {}

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.get('/healthz', async () => ({ status: 'ok' }));
    fastify.get('/version', async () => BUILD);
    fastify.get('/readyz', async (_request, reply) => {
      const readiness = await this.health.check();
      const serves = readiness.status === 'ok' || readiness.status === 'degraded';
      return reply.status(serves ? 200 : 503).send(readiness);
    });
  }
}
