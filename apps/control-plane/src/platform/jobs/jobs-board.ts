import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ActorSource, isPermitted } from '../access/actor.js';
import { escapeHtml, listFiles } from '../http/console.routes.js';
import { CONTENT_SECURITY_POLICY } from '../http/http-server.js';
import { runInScope } from '../tenant-scope.js';
import { JobsQueue, JobsQueueModule, PolicyQueue } from './queues.js';

/** Collects bull-board's routes and settings. */
export class BoardRoutes implements IServerAdapter {
  viewsPath = '';
  private queues: BullBoardQueues = new Map();
  private uiConfig: UIConfig = {};
  private apiRoutes: AppControllerRoute[] = [];
  private entry: AppViewRoute | undefined;
  private onError: (error: Error) => ControllerHandlerReturnType = () => ({ status: 500, body: {} });

  constructor(private readonly basePath: string) {}

  setQueues(queues: BullBoardQueues): this {
    this.queues = queues;
    return this;
  }

  setViewsPath(viewsPath: string): this {
    this.viewsPath = viewsPath;
    return this;
  }

  /** Static files are below the views. */
  setStaticPath(): this {
    return this;
  }

  setEntryRoute(route: AppViewRoute): this {
    this.entry = route;
    return this;
  }

  setErrorHandler(handler: (error: Error) => ControllerHandlerReturnType): this {
    this.onError = handler;
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.apiRoutes = routes;
    return this;
  }

  setUIConfig(config: UIConfig): this {
    this.uiConfig = config;
    return this;
  }

  /** Fills bull-board's page template: `<%= %>` is text, `<%- %>` is JSON that bull-board has escaped. */
  renderPage(template: string): string {
    if (this.entry === undefined) throw new Error('bull-board has no entry route');
    const { params } = this.entry.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
    const values = params as Record<string, unknown>;
    return (
      template
        // The policy blocks fonts of other sites.
        .replace(/<link href="https:[^>]*>/g, '')
        .replace(/<%([=-]) *(\w+) *%>/g, (_, kind: string, name: string) => {
          const text = String(values[name] ?? '');
          return kind === '=' ? escapeHtml(text) : text;
        })
    );
  }

  get pagePaths(): string[] {
    return [this.entry?.route ?? []].flat();
  }

  addApi(scope: FastifyInstance): void {
    for (const { method, route, handler } of this.apiRoutes) {
      const methods = [method].flat().map((one) => one.toUpperCase() as HTTPMethods);
      for (const url of [route].flat()) {
        scope.route({
          method: methods,
          url,
          handler: async (request, reply) => {
            const { status, body } = await this.answer(handler, request);
            return reply.status(status ?? 200).send(body);
          },
        });
      }
    }
  }

  private async answer(handler: AppControllerRoute['handler'], request: FastifyRequest) {
    try {
      return await handler({
        queues: this.queues,
        uiConfig: this.uiConfig,
        params: request.params as Record<string, string>,
        query: request.query as Record<string, string>,
        body: (request.body ?? {}) as Record<string, unknown>,
        headers: request.headers as Record<string, string>,
      });
    } catch (error) {
      return this.onError(error as Error);
    }
  }
}

export const BOARD_PATH = '/jobs-board';

/** The page sets its base and is shown in a frame of the console. */
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

/** bull-board for both queues, for owners. */
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

  private async guard(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    reply.header('Content-Security-Policy', BOARD_POLICY).header('Cache-Control', 'no-store');
    const actor = await runInScope('accounts', () => this.actors.findActor(request.headers));
    if (actor === undefined) return reply.status(401).send({ errors: [{ message: 'Sign in first.' }] });
    if (actor.kind === 'USER' && isPermitted(actor, 'jobs:write')) return undefined;
    return reply.status(403).send({ errors: [{ message: 'Only owners can view jobs.' }] });
  }
}

@Module({ imports: [JobsQueueModule], providers: [JobsBoard] })
export class JobsBoardModule {}
