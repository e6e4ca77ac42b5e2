import {
  type ByKey,
  type Called,
  type CallerKeyRecord,
  type Problem,
  sendsKey,
  type TenantRecord,
  TollgateError,
} from '@tollgate/contracts';
import { Generations } from '@tollgate/contracts/maps';
import { type Peppers, parseToken, tokenMatches } from '@tollgate/contracts/service-token';
import { within } from '@tollgate/limiter/stores';
import { LRUCache } from 'lru-cache';
import type { PolicyView } from '../decide/tenant-policies.js';

const MAX_KNOWN = 200_000;

/** Public ids without a tenant have a cache of their own, so that invented ids do not evict real ones. */
const MAX_UNKNOWN = 10_000;
const UNKNOWN_FOR_MS = 2000;

/** Longest wait for the tenant of an uncached key. */
const DEADLINE_MS = 250;

const PUBLIC_ID_FIELD = /"publicId":"([0-9A-Za-z]{12})"/g;

export type ReadKeyTenants = (publicIds: readonly string[]) => Promise<(string | null)[]>;

/** A key never moves to another tenant, so known tenants never expire; its tenant's record says whether it is valid. */
export class KeyDirectory {
  private readonly known = new Generations<string>(MAX_KNOWN / 2);
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_FOR_MS });
  private readonly reads = new Map<string, Promise<string | null>>();
  /** Number of policy changes: a read that began before a change may return the state before it. */
  private changes = 0;

  constructor(private readonly read: ReadKeyTenants) {}

  /** Returns null if no tenant has the key. @throws TollgateError `tenant-unavailable` if it cannot be looked up */
  async tenantOf(publicId: string): Promise<string | null> {
    const known = this.known.get(publicId);
    if (known !== undefined) return known;
    if (this.unknown.has(publicId)) return null;
    let read = this.reads.get(publicId);
    if (read === undefined) {
      read = this.lookUp(publicId);
      this.reads.set(publicId, read);
    }
    try {
      return await read;
    } finally {
      if (this.reads.get(publicId) === read) this.reads.delete(publicId);
    }
  }

  /** Adds the keys of stored tenant records. They are unverified: a key is accepted only once its record is opened. */
  restore(records: Iterable<readonly [tenant: string, stored: string]>): void {
    for (const [tenant, stored] of records) {
      for (const [, publicId = ''] of stored.matchAll(PUBLIC_ID_FIELD)) this.known.set(publicId, tenant);
    }
  }

  onPolicyChange(): void {
    this.changes++;
    this.unknown.clear();
    this.reads.clear();
  }

  /** A late answer is used by later requests. */
  private async lookUp(publicId: string): Promise<string | null> {
    const { changes } = this;
    const lookUp = this.read([publicId]).then(([tenant = null]) => {
      if (tenant !== null) this.known.set(publicId, tenant);
      else if (changes === this.changes) this.unknown.set(publicId, true);
      return tenant;
    });
    try {
      const tenant = await within(DEADLINE_MS, lookUp);
      if (tenant === undefined) throw new Error('deadline exceeded');
      return tenant;
    } catch (cause) {
      throw new TollgateError('tenant-unavailable', { internal: `key ${publicId}: ${String(cause)}`, cause });
    }
  }
}

const MAX_VERIFIED = 50_000;
const MAX_KEY_LENGTH = 200;
const MINUTE_MS = 60_000;

/** Compared with keys that do not exist, so that response times do not reveal which keys exist. */
const DUMMY_HASH = '0'.repeat(64);

export interface CallerKeysParts {
  peppers: Peppers;
  index: Pick<KeyDirectory, 'tenantOf'>;
  tenants: Pick<PolicyView, 'findTenant' | 'loadTenant'>;
  /** Called about once a minute for each key in use. */
  onUse: (publicId: string, atMs: number) => void;
  /** Unix ms. */
  nowMs: () => number;
}

interface VerifiedKey {
  readonly key: CallerKeyRecord;
  /** The record that the key was verified with; a newer record may revoke the key. */
  readonly record: TenantRecord;
  /** When the key or its secret expires, Unix ms. */
  readonly untilMs: number;
  reportedInMinute: number;
}

export type Resolved<T> = { readonly request: T } | { readonly problem: Problem };

/** Replaces the API key of a request by its tenant. A valid key is verified once, until its tenant's record changes. */
export class CallerKeys {
  private readonly verified = new LRUCache<string, VerifiedKey>({ max: MAX_VERIFIED });

  constructor(private readonly parts: CallerKeysParts) {}

  /**
   * Without a promise if the key is cached. In a request that names an API, `subject.key` becomes the key's public id.
   * @throws TollgateError, also as a rejection: `body-invalid`, `key-invalid`, `key-scope-missing`, `tenant-unavailable`
   */
  resolve<T extends { tenant: string }>(request: Called<T>): T | Promise<T> {
    if (!isByKey(request)) return request as T;
    const verified = this.findVerified(request.key);
    if (verified !== undefined) return this.withTenant<T>(request, verified);
    return this.verify(request.key).then((found) => this.withTenant<T>(request, found));
  }

  /** The tenant of a cached key, without checking that it has not expired; undefined if it is not cached. */
  tenantOf(key: string): string | undefined {
    return this.findVerified(key)?.record.tenant;
  }

  /** As `resolve` for each request. @param problemOf returns the problem of a failed request; may throw */
  resolveAll<T extends { tenant: string }>(
    requests: readonly Called<T>[],
    problemOf: (error: unknown, request: Called<T>) => Problem,
  ): Promise<Resolved<T>[]> {
    return Promise.all(
      requests.map(async (request) => {
        try {
          return { request: await this.resolve<T>(request) };
        } catch (error) {
          return { problem: problemOf(error, request) };
        }
      }),
    );
  }

  private findVerified(token: unknown): VerifiedKey | undefined {
    const known = this.verified.get(token as string);
    if (known === undefined || this.parts.tenants.findTenant(known.record.tenant) !== known.record)
      return undefined;
    return known;
  }

  private async verify(token: unknown): Promise<VerifiedKey> {
    const parsed =
      typeof token === 'string' && token.length <= MAX_KEY_LENGTH ? parseToken(token) : undefined;
    if (parsed?.kind !== 'tgk') throw new TollgateError('key-invalid');
    const { publicId } = parsed;
    const tenant = await this.parts.index.tenantOf(publicId);
    const record = tenant === null ? null : await this.parts.tenants.loadTenant(tenant);
    const key = record?.keys?.find((one) => one.publicId === publicId);
    const secret = this.matchingSecret(token as string, key);
    if (record === null || key === undefined || secret === undefined) throw new TollgateError('key-invalid');
    const untilMs = Math.min(key.expiresAtMs ?? Infinity, secret.untilMs ?? Infinity);
    const verified = { key, record, untilMs, reportedInMinute: 0 };
    this.verified.set(token as string, verified);
    return verified;
  }

  private matchingSecret(token: string, key: CallerKeyRecord | undefined) {
    const { peppers } = this.parts;
    if (key === undefined) {
      tokenMatches(token, '', DUMMY_HASH);
      return undefined;
    }
    // Compares all secrets, so that response times do not reveal which one matches.
    const matching = key.secrets.filter(({ hash, pepper = 1 }) => {
      const known = peppers.get(pepper);
      return tokenMatches(token, known ?? '', hash) && known !== undefined;
    });
    return matching[0];
  }

  private withTenant<T extends { tenant: string }>(
    { key: _, ...request }: ByKey<{ tenant: string; api?: unknown; operation?: unknown; subject?: unknown }>,
    verified: VerifiedKey,
  ): T {
    const { key, record, untilMs } = verified;
    const nowMs = this.parts.nowMs();
    if (nowMs >= untilMs) throw new TollgateError('key-invalid');
    const namesApi = 'api' in request;
    if (namesApi) assertScope(key, request.api, request.operation);
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (verified.reportedInMinute !== minute) {
      verified.reportedInMinute = minute;
      this.parts.onUse(key.publicId, nowMs);
    }
    const { tenant } = record;
    return (namesApi
      ? { ...request, tenant, subject: subjectWith(request.subject, key.publicId) }
      : { ...request, tenant }) as unknown as T;
  }
}

/** @throws TollgateError `body-invalid` if the request has a tenant and a key */
function isByKey(request: unknown): request is ByKey<{ tenant: string }> {
  if (!sendsKey(request)) return false;
  if ((request as { tenant?: unknown }).tenant === undefined) return true;
  throw new TollgateError('body-invalid', {
    errors: [{ field: 'key', message: 'send tenant or key, not both' }],
  });
}

/** Sets `subject.key` to the public id. An invalid subject is rejected when it is validated. */
function subjectWith(subject: unknown, key: string): unknown {
  if (subject === undefined) return { key };
  return typeof subject === 'object' && subject !== null ? { ...subject, key } : subject;
}

/** A call without an operation needs any scope within the API. @throws TollgateError `key-scope-missing` */
function assertScope({ scopes }: CallerKeyRecord, api: unknown, operation: unknown): void {
  if (scopes === undefined || scopes.includes(String(api))) return;
  const isCovered =
    operation === undefined
      ? scopes.some((scope) => scope.startsWith(`${String(api)}/`))
      : scopes.includes(`${String(api)}/${String(operation)}`);
  if (isCovered) return;
  const call = operation === undefined ? String(api) : `${String(api)}/${String(operation)}`;
  throw new TollgateError('key-scope-missing', {
    detail: `This key may not be used for ${call.slice(0, 120)}`,
  });
}
