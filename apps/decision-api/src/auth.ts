import { type IncomingMessage } from 'node:http';
import { type ServiceTokenRecord, TollgateError } from '@tollgate/contracts';
import { type Peppers, parseToken, tokenMatches } from '@tollgate/contracts/service-token';
import { LRUCache } from 'lru-cache';

/** RFC 9110 §11.4 allows several spaces. */
const BEARER_KEY = /^Bearer +(tgk_[\x21-\x7e]{1,200})$/i;

/** API key in the request (`X-API-Key`, else `Authorization: Bearer tgk_…`), not verified. An empty header is absent. */
export function callerKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  return headers.authorization === undefined ? undefined : BEARER_KEY.exec(headers.authorization)?.[1];
}

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;

const MAX_CACHED = 1000;

export interface Credentials {
  readonly headers: {
    readonly authorization?: string | undefined;
    readonly 'x-tollgate-token'?: string | string[] | undefined;
  };
}

/**
 * Returns the service token of a request: `X-Tollgate-Token`, for proxies that forward `Authorization`, else the
 * bearer token.
 * @throws TollgateError `token-missing`
 */
function sentToken({ headers }: Credentials): string | undefined {
  const own = headers['x-tollgate-token'];
  if (typeof own === 'string' && own !== '') return own.length > 200 ? undefined : own;
  if (headers.authorization === undefined) throw new TollgateError('token-missing');
  return BEARER.exec(headers.authorization)?.[1];
}

/** `admin` includes `reset`, but not `decide`. */
function hasScope(scopes: readonly string[], scope: string): boolean {
  return scopes.includes(scope) || (scope === 'reset' && scopes.includes('admin'));
}

/** Authenticates callers by service token. Caches verified tokens only. */
export class TokenVerifier {
  private readonly matched = new LRUCache<string, ServiceTokenRecord>({ max: MAX_CACHED });

  constructor(
    private readonly peppers: Peppers,
    private readonly findRecord: (publicId: string) => ServiceTokenRecord | undefined,
  ) {}

  /** @throws TollgateError `token-missing`, `token-invalid`, `scope-missing` */
  verify(request: Credentials, scope: string): ServiceTokenRecord {
    const token = sentToken(request);
    const record = token === undefined ? undefined : this.recordOf(token);
    if (record === undefined || (record.expiresAtMs !== null && record.expiresAtMs <= Date.now())) {
      throw new TollgateError('token-invalid');
    }
    if (!hasScope(record.scopes, scope)) {
      throw new TollgateError('scope-missing', { detail: `This call needs a token with the scope ${scope}` });
    }
    return record;
  }

  private recordOf(token: string): ServiceTokenRecord | undefined {
    // A changed or revoked record is a different object: verify the token again.
    const matched = this.matched.get(token);
    if (matched !== undefined && this.findRecord(matched.publicId) === matched) return matched;
    const parsed = parseToken(token);
    if (parsed?.kind !== 'tga') return undefined;
    const record = this.findRecord(parsed.publicId);
    if (record === undefined) return undefined;
    const pepper = this.peppers.get(record.pepper ?? 1);
    if (pepper === undefined || !tokenMatches(token, pepper, record.hash)) return undefined;
    this.matched.set(token, record);
    return record;
  }
}
