import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ActorSource, isPermitted } from '../access/actor.js';
import { CONTENT_SECURITY_POLICY } from '../http/http-door.js';
import { listFiles } from '../http/list-files.js';
import { PolicyQueue } from '../queue/policy-queue.provider.js';
import { runInScope } from '../scope/tenant-scope.js';
import { BoardRoutes } from './board-routes.js';
import { JobsQueue } from './jobs-queue.js';

export const BOARD_PATH = '/jobs-board';

/** Its page names its own base, and stands in a frame of the console. */
const BOARD_POLICY = CONTENT_SECURITY_POLICY.replace("base-uri 'none'", "base-uri 'self'").replace(
  "frame-ancestors 'none'",
  "frame-ancestors 'self'",
);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** bull-board over both queues, for people who may run jobs, by the session that they have anyway. */
@Injectable()
export class JobsBoard implements OnModuleInit {
  private readonly routes = new BoardRoutes(BOARD_PATH);

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly actors: ActorSource,
    private readonly policyQueue: PolicyQueue,
    private readonly jobsQueue: JobsQueue,
  ) {}

  onModuleInit(): void {
    const queues = [this.jobsQueue, this.policyQueue].map((queue) => new BullMQAdapter(queue));
    const uiConfig = { boardTitle: 'Jobs', boardLogo: { path: '' }, hideRedisDetails: true };
    createBullBoard({ queues, serverAdapter: this.routes, options: { uiConfig } });
    const page = this.routes.renderPage(readFileSync(path.join(this.routes.viewsPath, 'index.ejs'), 'utf8'));
    const files = listFiles(path.join(this.routes.viewsPath, 'static'));
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void fastify.register(
      async (scope) => {
        scope.addHook('onRequest', (request, reply) => this.guard(request, reply));
        for (const url of this.routes.pagePaths) {
          scope.get(url, (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
        }
        scope.get('/static/*', async (request, reply) => {
          const file = files.get((request.params as { '*': string })['*']);
          if (file === undefined) return reply.status(404).send({});
          const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
          return reply
            .header('Cache-Control', 'private, max-age=86400')
            .type(type)
            .send(await readFile(file));
        });
        this.routes.addApi(scope);
      },
      { prefix: BOARD_PATH },
    );
  }

  /** Others are told no more than that there is no such page for them; who is not signed in is sent to do so. */
  private async guard(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    reply.header('Content-Security-Policy', BOARD_POLICY).header('Cache-Control', 'no-store');
    const actor = await runInScope('accounts', () => this.actors.findActor(request.headers));
    if (actor === undefined) return reply.status(401).send({ errors: [{ message: 'Sign in first.' }] });
    if (actor.kind === 'USER' && isPermitted(actor, 'jobs:write')) return undefined;
    return reply.status(403).send({ errors: [{ message: 'Only an Owner may look at jobs.' }] });
  }
}
