import DataLoader from 'dataloader';
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

/** The loader `name` of this request, created on first use. Keys that `read` does not return load as `absent`. */
export function requestLoader<V>(
  context: GraphqlContext,
  name: symbol,
  absent: V,
  read: (keys: string[]) => Promise<Map<string, V>>,
): DataLoader<string, V> {
  const known = context.loaders.get(name);
  if (known !== undefined) return known as unknown as DataLoader<string, V>;
  const loader = new DataLoader<string, V>(async (keys) => {
    const found = await read([...keys]);
    return keys.map((key) => found.get(key) ?? absent);
  });
  context.loaders.set(name, loader as unknown as DataLoader<unknown, unknown>);
  return loader;
}
