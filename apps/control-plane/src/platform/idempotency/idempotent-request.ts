import { createHash } from 'node:crypto';

/** Header that marks repetitions of a mutation. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** Valid keys: visible ASCII, quoted as in the IETF draft or not. */
const KEY = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/;

/** One mutation and the key that it was sent under. */
export interface IdempotentRequest {
  actorId: string;
  key: string;
  /** SHA-256 of the request body. */
  bodyHash: Buffer;
}

/** The key in a header; undefined for anything that is none. */
export function parseIdempotencyKey(header: string): string | undefined {
  const [, quoted, plain] = KEY.exec(header.trim()) ?? [];
  return quoted ?? plain;
}

/** Hash of document, operation and variables; the order of names in variables does not matter. */
export function hashBody(request: { query?: unknown; operationName?: unknown; variables?: unknown }): Buffer {
  const { query, operationName = null, variables = {} } = request;
  return createHash('sha256')
    .update(JSON.stringify([query, operationName, sorted(variables)]))
    .digest();
}

/** Names a key in the database, where the key itself is not kept. */
export function hashKey({ actorId, key }: Pick<IdempotentRequest, 'actorId' | 'key'>): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([actorId, key]))
    .digest();
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
