import type DataLoader from 'dataloader';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../access/actor.js';
import type { StoredSteps } from '../idempotency/idempotency-keys.js';
import type { Impact } from './mutation.graphql.js';

export interface GraphqlContext {
  req: FastifyRequest;
  requestId: string;
  /** Set before a resolver runs. */
  actor: Promise<Actor | undefined> | undefined;
  steps?: StoredSteps;
  /** By response key of the mutation. */
  impacts: Map<string, Impact>;
  loaders: Map<symbol, DataLoader<unknown, unknown>>;
}

export function createGraphqlContext(req: FastifyRequest): GraphqlContext {
  return { req, requestId: req.id, actor: undefined, impacts: new Map(), loaders: new Map() };
}
