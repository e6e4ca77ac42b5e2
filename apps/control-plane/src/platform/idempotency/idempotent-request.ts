import { createHash } from 'node:crypto';

export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** Valid keys: visible ASCII, quoted as in the IETF draft or not. */
const KEY = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/;

export interface IdempotentRequest {
  actorId: string;
  key: string;
  bodyHash: Buffer;
}

/** Undefined for invalid keys. */
export function parseIdempotencyKey(header: string): string | undefined {
  const [, quoted, plain] = KEY.exec(header.trim()) ?? [];
  return quoted ?? plain;
}

/** Independent of the order of names in variables. */
export function hashBody(request: { query?: unknown; operationName?: unknown; variables?: unknown }): Buffer {
  const { query, operationName = null, variables = {} } = request;
  return createHash('sha256')
    .update(JSON.stringify([query, operationName, sorted(variables)]))
    .digest();
}

/** The database stores only this hash of the key. */
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
