import {
  type ByKey,
  type Called,
  type CallerKeyRecord,
  type Problem,
  problem,
  type TenantRecord,
  TollgateError,
} from '@tollgate/contracts';
import { type Peppers, parseToken, tokenMatches } from '@tollgate/contracts/service-token';
import { LRUCache } from 'lru-cache';
import type { PolicyView } from '../decide/resolve.js';
import { Generations } from '../policy/generations.js';
import { within } from '../store/clocks.js';

/** Keys whose tenants a node knows at once. */
const MAX_KNOWN = 200_000;

/** Public ids without a tenant are remembered apart, so that invented ones cannot push out real ones. */
const MAX_UNKNOWN = 10_000;
const UNKNOWN_FOR_MS = 2000;

/** How long a request waits for the tenant of a key that this node never saw. */
const DEADLINE_MS = 250;

const PUBLIC_ID_FIELD = /"publicId":"([0-9A-Za-z]{12})"/g;

/** Reads the tenants of public ids, in order; null for nobody's. */
export type ReadKeyTenants = (publicIds: readonly string[]) => Promise<(string | null)[]>;

/**
 * Whose a key's public id is. A key never changes hands, so what is known stays known; whether the key still works is for
 * its tenant's record to say.
 */
export class KeyDirectory {
  private readonly known = new Generations<string>(MAX_KNOWN / 2);
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_FOR_MS });
  private readonly reads = new Map<string, Promise<string | null>>();
  /** Grows with each change that comes into force: what was asked for before it may be of before it. */
  private changes = 0;

  constructor(private readonly read: ReadKeyTenants) {}

  /** The tenant; null when the id is nobody's. @throws TollgateError `tenant-unavailable` when it cannot be looked up */
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

  /** Takes the owners of keys from records that lay on disk: a key is believed only when its owner's record is opened. */
  restore(records: Iterable<readonly [tenant: string, stored: string]>): void {
    for (const [tenant, stored] of records) {
      for (const [, publicId = ''] of stored.matchAll(PUBLIC_ID_FIELD)) this.known.set(publicId, tenant);
    }
  }

  /** New policy is in force: there may be keys that there were not. */
  changed(): void {
    this.changes++;
    this.unknown.clear();
    // Who asks from now on asks anew.
    this.reads.clear();
  }

  private async lookUp(publicId: string): Promise<string | null> {
    const { changes } = this;
    const tenant = await this.readSoon(publicId);
    if (tenant !== null) this.known.set(publicId, tenant);
    else if (changes === this.changes) this.unknown.set(publicId, true);
    return tenant;
  }

  private async readSoon(publicId: string): Promise<string | null> {
    try {
      const tenants = await within(DEADLINE_MS, this.read([publicId]));
      if (tenants === undefined) throw new Error('no answer in time');
      return tenants[0] ?? null;
    } catch (cause) {
      throw new TollgateError('tenant-unavailable', { internal: `key ${publicId}: ${String(cause)}`, cause });
    }
  }
}

/** Keys whose hash was compared already. */
const MAX_VERIFIED = 50_000;

/** Longest text that is looked at as a key. */
const MAX_KEY_LENGTH = 200;

const MINUTE_MS = 60_000;

/** Compared with where there is no such key, so that the time does not tell. */
const NOBODYS_HASH = '0'.repeat(64);

/** Finds the tenant that a key's public id belongs to. */
export interface KeyIndex {
  /** Null: nobody's. @throws TollgateError `tenant-unavailable` */
  tenantOf(publicId: string): Promise<string | null>;
}

export interface CallerKeysParts {
  peppers: Peppers;
  index: KeyIndex;
  tenants: Pick<PolicyView, 'findTenant' | 'loadTenant'>;
  /** Told of keys in use, of each about once a minute. */
  onUse: (publicId: string, atMs: number) => void;
  /** Unix ms. */
  nowMs: () => number;
}

const REFUSED_KEYS: ReadonlySet<string> = new Set(['key-invalid', 'key-scope-missing']);

interface VerifiedKey {
  readonly key: CallerKeyRecord;
  /** The very record that says so: another one may say that the key is revoked. */
  readonly record: TenantRecord;
  /** When the secret, or the key, stops working. */
  readonly untilMs: number;
  toldInMinute: number;
}

/**
 * Puts a tenant's name in the place of its key. What is no key is refused without asking anybody; what is one costs a
 * comparison once, and then a look into a map for as long as the tenant's record stays the same.
 */
export class CallerKeys {
  private readonly verified = new LRUCache<string, VerifiedKey>({ max: MAX_VERIFIED });

  constructor(private readonly parts: CallerKeysParts) {}

  /**
   * Runs `work` on the request under its tenant's name, without a pause where the key is known here. Of a described call
   * `subject.key` becomes the key's public id.
   * @throws TollgateError `key-invalid`, `key-scope-missing`, `tenant-unavailable`
   */
  run<T extends { tenant: string }, A>(request: Called<T>, work: (named: T) => Promise<A>): Promise<A> {
    try {
      if (!isByKey(request)) return work(request as T);
      const known = this.atHand(request.key);
      if (known !== undefined) return work(this.named<T>(request, known));
      return this.verify(request.key).then((key) => work(this.named<T>(request, key)));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** As `run`, for several at once: what is refused for its key is answered with a problem, the others are worked on. */
  async runMany<T extends { tenant: string }, A>(
    requests: readonly Called<T>[],
    work: (named: readonly T[]) => Promise<A[]>,
  ): Promise<(A | Problem)[]> {
    if (!requests.some(sendsKey)) return work(requests as readonly T[]);
    const refusals = new Map<number, Problem>();
    const named: T[] = [];
    const naming = requests.map((request) => this.run<T, T>(request, (one) => Promise.resolve(one)));
    for (const [i, outcome] of (await Promise.allSettled(naming)).entries()) {
      if (outcome.status === 'fulfilled') named.push(outcome.value);
      else refusals.set(i, problemOf(requests[i], outcome.reason));
    }
    const answers = (await work(named)).values();
    return requests.map((_, i) => refusals.get(i) ?? (answers.next().value as A));
  }

  /** As `runMany`, where what is refused for its key is worked on with the others, as the problem that it is. */
  async runTogether<T extends { tenant: string }, A>(
    requests: readonly Called<T>[],
    work: (named: readonly (T | Problem)[]) => Promise<A>,
  ): Promise<A> {
    if (!requests.some(sendsKey)) return work(requests as readonly T[]);
    const naming = requests.map((request) =>
      this.run<T, T | Problem>(request, (one) => Promise.resolve(one)).catch((error: unknown) => {
        if (error instanceof TollgateError && REFUSED_KEYS.has(error.code)) return error.toProblem();
        throw error;
      }),
    );
    return work(await Promise.all(naming));
  }

  private atHand(token: unknown): VerifiedKey | undefined {
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
    const verified = { key, record, untilMs, toldInMinute: 0 };
    this.verified.set(token as string, verified);
    return verified;
  }

  private matchingSecret(token: string, key: CallerKeyRecord | undefined) {
    const { peppers } = this.parts;
    if (key === undefined) {
      tokenMatches(token, '', NOBODYS_HASH);
      return undefined;
    }
    // All of them, whichever matches.
    const matching = key.secrets.filter(({ hash, pepper = 1 }) => {
      const known = peppers.get(pepper);
      return tokenMatches(token, known ?? '', hash) && known !== undefined;
    });
    return matching[0];
  }

  private named<T extends { tenant: string }>(
    { key: _, ...request }: ByKey<{ tenant: string; api?: unknown; operation?: unknown; subject?: unknown }>,
    verified: VerifiedKey,
  ): T {
    const { key, record, untilMs } = verified;
    const nowMs = this.parts.nowMs();
    if (nowMs >= untilMs) throw new TollgateError('key-invalid');
    const isDescribed = 'api' in request;
    if (isDescribed) assertScope(key, request.api, request.operation);
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (verified.toldInMinute !== minute) {
      verified.toldInMinute = minute;
      this.parts.onUse(key.publicId, nowMs);
    }
    const { tenant } = record;
    return (isDescribed
      ? { ...request, tenant, subject: subjectWith(request.subject, key.publicId) }
      : { ...request, tenant }) as unknown as T;
  }
}

/** Whether a key stands in the place of the tenant. @throws TollgateError `body-invalid` where both do */
function isByKey(request: unknown): request is ByKey<{ tenant: string }> {
  if (!sendsKey(request)) return false;
  if ((request as { tenant?: unknown }).tenant === undefined) return true;
  throw new TollgateError('body-invalid', {
    errors: [{ field: 'key', message: 'send tenant or key, not both' }],
  });
}

function sendsKey(request: unknown): boolean {
  return typeof request === 'object' && request !== null && (request as { key?: unknown }).key !== undefined;
}

/** The key counts under its public id, whatever the caller calls it; what is no subject is refused where subjects are. */
function subjectWith(subject: unknown, key: string): unknown {
  if (subject === undefined) return { key };
  return typeof subject === 'object' && subject !== null ? { ...subject, key } : subject;
}

/** Without an operation: of the API as a whole, any scope within it will do. @throws TollgateError `key-scope-missing` */
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

function problemOf(request: unknown, error: unknown): Problem {
  const { requestId } = (request ?? {}) as { requestId?: unknown };
  const id = typeof requestId === 'string' ? requestId : undefined;
  if (error instanceof TollgateError) return error.toProblem(id);
  return problem('internal', id === undefined ? {} : { requestId: id });
}
