import type { IncomingMessage } from 'node:http';

const BEARER_KEY = /^Bearer (tgk_[\x21-\x7e]{1,200})$/i;

/** The tenant's API key that a request carries, as `Authorization: Bearer tgk_…` or `X-API-Key`; it is not checked yet. */
export function callerKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  return headers.authorization === undefined ? undefined : BEARER_KEY.exec(headers.authorization)?.[1];
}
