import { existsSync } from 'node:fs';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { ActorSource } from '../access/actor.js';
import { CONTENT_SECURITY_POLICY } from '../http/http-server.js';
import { runInScope } from '../tenant-scope.js';

const EXPLORER_PATH = '/graphql/explorer';

/** The editor's style sheet contains fonts as data URLs. */
const EXPLORER_POLICY = CONTENT_SECURITY_POLICY.replace("font-src 'self'", "font-src 'self' data:");

/** Serves the explorer to signed-in users. */
@Injectable()
export class ExplorerRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly actors: ActorSource,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    const { consoleDir } = this.config;
    if (consoleDir === undefined || !existsSync(path.resolve(consoleDir, 'explorer.html'))) return;
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.get(EXPLORER_PATH, async (request, reply) => {
      if (!(await this.isSignedIn(request))) return reply.redirect('/sign-in');
      return reply
        .header('Cache-Control', 'no-cache')
        .header('Content-Security-Policy', EXPLORER_POLICY)
        .sendFile('explorer.html');
    });
  }

  private async isSignedIn({ headers }: FastifyRequest): Promise<boolean> {
    return (await runInScope('accounts', () => this.actors.findActor(headers))) !== undefined;
  }
}
