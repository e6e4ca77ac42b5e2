import path from 'node:path';
import fastifyStatic from '@fastify/static';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PROBLEM_CONTENT_TYPE, problem } from '@tollgate/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { listFiles } from './list-files.js';

/** Paths that are never a page of the console. */
const RESERVED = /^\/(?:(?:api|graphql|jobs-board|pay|mailbox|assets|healthz|readyz)(?:\/|$)|live\/)/;

/** Serves the built console: its files as they are, and its index page for every other path that a browser opens. */
@Injectable()
export class ConsoleRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    if (this.config.consoleDir === undefined) return;
    const root = path.resolve(this.config.consoleDir);
    // Only what lies there at start is served, so no path can lead out of the folder.
    const files = new Set(listFiles(root).keys());
    // Only by its own route, to those who are signed in.
    files.delete('explorer.html');
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    // Not awaited: that would start the routes before Nest has set how errors are answered.
    void fastify.register(fastifyStatic, { root, serve: false, cacheControl: false });
    fastify.get('/*', (request, reply) => serve(request, reply, files));
  }
}

function serve(request: FastifyRequest, reply: FastifyReply, files: ReadonlySet<string>): FastifyReply {
  const pathname = request.url.split('?')[0] ?? '/';
  const file = pathname.slice(1);
  if (files.has(file) && file !== 'index.html') {
    const isHashed = file.startsWith('assets/');
    reply.header('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    return reply.sendFile(file);
  }
  if (RESERVED.test(pathname)) {
    return reply
      .status(404)
      .type(PROBLEM_CONTENT_TYPE)
      .send(problem('route-unknown', { requestId: request.id }));
  }
  return reply.header('Cache-Control', 'no-cache').sendFile('index.html');
}
