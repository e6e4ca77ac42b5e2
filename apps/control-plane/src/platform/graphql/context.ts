import type DataLoader from 'dataloader';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../access/actor.js';

/** What lives as long as one GraphQL request. */
export interface GraphqlContext {
  req: FastifyRequest;
  requestId: string;
  /** Set by the guard before any handler runs. */
  actor: Promise<Actor | undefined> | undefined;
  loaders: Map<symbol, DataLoader<unknown, unknown>>;
}

export function createGraphqlContext(req: FastifyRequest): GraphqlContext {
  return { req, requestId: req.id, actor: undefined, loaders: new Map() };
}
