import { existsSync } from 'node:fs';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { ActorSource } from '../access/actor.js';
import { CONTENT_SECURITY_POLICY } from '../http/http-server.js';
import { runInScope } from '../tenant-scope.js';
import { introspectionFromSchema } from './graphql-js.js';

const EXPLORER_PATH = '/graphql/explorer';

/** The editor's style sheet contains fonts as data URLs. */
const EXPLORER_POLICY = CONTENT_SECURITY_POLICY.replace("font-src 'self'", "font-src 'self' data:");

/** Serves the explorer and its schema to signed-in users, even if introspection is disabled. */
@Injectable()
export class ExplorerRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly schemaHost: GraphQLSchemaHost,
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
    let schema: string | undefined;
    fastify.get(`${EXPLORER_PATH}/schema.json`, async (request, reply) => {
      const isSignedIn = await this.isSignedIn(request);
      if (!isSignedIn) return reply.status(401).send({ errors: [{ message: 'Sign in first.' }] });
      schema ??= JSON.stringify(introspectionFromSchema(this.schemaHost.schema));
      return reply.header('Cache-Control', 'no-store').type('application/json').send(schema);
    });
  }

  private async isSignedIn({ headers }: FastifyRequest): Promise<boolean> {
    return (await runInScope('accounts', () => this.actors.findActor(headers))) !== undefined;
  }
}
