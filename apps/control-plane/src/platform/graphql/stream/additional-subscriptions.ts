import type { RequestParams } from 'graphql-sse';
import { screenDocuments } from '../document-limits.js';

/** More would exceed the streams of one account. */
const MAX_SUBSCRIPTIONS = 20;

/** The documents that a request for streams may send, valid or not. */
export function countDocuments(body: unknown): number {
  const { extensions } = (body ?? {}) as Partial<RequestParams>;
  const additional = extensions?.additionalSubscriptions;
  return Array.isArray(additional) ? Math.min(1 + additional.length, MAX_SUBSCRIPTIONS) : 1;
}

/** The subscriptions of a request, or an error message. */
export function readSubscriptions(first: RequestParams, additional: unknown): RequestParams[] | string {
  if (
    !Array.isArray(additional) ||
    additional.length >= MAX_SUBSCRIPTIONS ||
    !additional.every(isSubscription)
  )
    return `Send at most ${MAX_SUBSCRIPTIONS - 1} additionalSubscriptions, each with query and variables.`;
  const all = [first, ...additional];
  return screenDocuments([...new Set(all.map(({ query }) => query))]) ?? all;
}

function isSubscription(value: unknown): value is RequestParams {
  if (typeof value !== 'object' || value === null || !('query' in value)) return false;
  const variables = 'variables' in value ? value.variables : {};
  return typeof value.query === 'string' && typeof variables === 'object' && !Array.isArray(variables);
}
