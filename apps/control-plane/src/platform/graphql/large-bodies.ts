import { type Readable, Transform } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { ActorSource, isPermitted } from '../access/actor.js';
import { GRAPHQL_PATH, MAX_BODY_BYTES, TooLargeError } from '../http/http-server.js';
import { runInScope } from '../tenant-scope.js';

/** Accepts GraphQL bodies above 64 kB only from callers who may send a configuration: parsing them takes longer. */
@Injectable()
export class LargeBodies implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly actors: ActorSource,
  ) {}

  onModuleInit(): void {
    const fastify: FastifyInstance = this.host.httpAdapter.getInstance();
    fastify.addHook('preParsing', async ({ routeOptions, headers }, _reply, payload) => {
      if (routeOptions.url !== GRAPHQL_PATH) return payload;
      const length = headers['content-length'];
      if (length !== undefined && Number(length) <= MAX_BODY_BYTES) return payload;
      const actor = await runInScope('accounts', () => this.actors.findActor(headers));
      if (actor !== undefined && isPermitted(actor, 'config:read')) return payload;
      if (length !== undefined) throw new TooLargeError();
      return bounded(payload);
    });
  }
}

/** Ends with an error beyond 64 kB. */
function bounded(payload: Readable): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) done(new TooLargeError());
      else done(null, chunk);
    },
  });
  payload.on('error', (error) => counter.destroy(error));
  return payload.pipe(counter);
}
