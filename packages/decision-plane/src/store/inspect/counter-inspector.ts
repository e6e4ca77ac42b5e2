import { Cluster, Redis } from 'ioredis';
import { algorithms } from '../../algorithms/index.js';
import { keyStemOf } from '../../policy/compile.js';
import { counterKey, dimensionValue, globalTag, MISSING_VALUE, receiptKey } from '../keys.js';
import { accessOptions, connectionOptions } from '../redis/connection.js';
import { parseRedisUrl } from '../redis/redis-address.js';
import { type KeyName, type KeyOwner, type KeyValue, parseKey } from './key-names.js';
import { type Decoded, decodeCounter, decodePool, decodeReceipt, timeOf } from './stored-values.js';

/** A key of the counter Redis, decoded. */
export interface InspectedKey {
  readonly key: string;
  readonly kind: KeyName['kind'];
  /** Parts of the key's name. */
  readonly name: Decoded;
  /** Remaining time to live, ms; null: none. */
  readonly expiresInMs: number | null;
  /** The stored value, or why it cannot be decoded. */
  readonly value: Decoded | { readonly problem: string };
}

/** Counters of a limit. */
export interface CounterQuery {
  /** Undefined: a limit on all tenants. */
  readonly tenant?: string;
  readonly api: string;
  readonly limit: string;
  /** Dimension and value, in the limit's order; null: missing in the request. Undefined: all of the limit's counters. */
  readonly values?: readonly (readonly [dimension: string, value: string | null])[];
}

const SCAN_COUNT = 1000;
/** Shown entries of a list of reservations. */
const ENTRIES = 100;

/** Reads and decodes keys of the counter Redis; never writes. */
export class CounterInspector {
  private readonly reads: Pick<Redis, 'type' | 'pttl' | 'getBuffer' | 'hgetallBuffer' | 'zcard' | 'zrange'>;

  private constructor(private readonly redis: Redis | Cluster) {
    this.reads = redis;
  }

  /** @throws Error for an invalid address, without a reply within `timeoutMs`, or after a rejected login */
  static async connect(url: string, timeoutMs: number): Promise<CounterInspector> {
    const address = parseRedisUrl(url);
    // The timeout of disconnecting would keep the process alive after a failed connection.
    const options = { commandTimeout: timeoutMs, connectTimeout: timeoutMs, disconnectTimeout: 10 };
    const redis =
      address.kind === 'cluster'
        ? new Cluster([...address.hosts], {
            lazyConnect: true,
            clusterRetryStrategy: () => null,
            slotsRefreshTimeout: timeoutMs,
            redisOptions: { ...accessOptions(address), ...options },
          })
        : new Redis({
            ...connectionOptions(address),
            ...options,
            lazyConnect: true,
            maxRetriesPerRequest: 1,
            retryStrategy: () => null,
            sentinelRetryStrategy: () => null,
          });
    let cause: Error | undefined;
    const keepCause = (error: Error) => {
      cause ??= error;
    };
    redis.on('error', keepCause);
    redis.on('node error', keepCause);
    try {
      await redis.connect();
    } catch (error) {
      redis.disconnect();
      throw cause ?? error;
    }
    return new CounterInspector(redis);
  }

  close(): void {
    this.redis.disconnect();
  }

  /** Undefined: the key does not exist. @throws Error for a name that the counter Redis does not use */
  async read(key: string): Promise<InspectedKey | undefined> {
    const name = parseKey(key);
    if (name === undefined) {
      throw new Error(
        `${JSON.stringify(key)} is not a key of a counter, receipt, pool or list of reservations, such as {acme}:g1:maps:per-minute=u1`,
      );
    }
    const [type, ttlMs] = await Promise.all([this.reads.type(key), this.reads.pttl(key)]);
    if (type === 'none') return undefined;
    const { kind } = name;
    const common = { key, kind, name: nameOf(name), expiresInMs: ttlMs < 0 ? null : ttlMs };
    try {
      return { ...common, value: await this.valueOf(key, name, type) };
    } catch (error) {
      if (error instanceof Error && error.name !== 'ReplyError') {
        return { ...common, value: { problem: error.message } };
      }
      throw error;
    }
  }

  /**
   * Keys of a limit's counters, of every algorithm that it has had, in alphabetical order. Without values, scans all keys of
   * the server and stops at `most`.
   */
  async find(query: CounterQuery, most: number): Promise<string[]> {
    const tag = query.tenant ?? globalTag(query.api);
    const { values } = query;
    if (values === undefined) return await this.scan(tag, query, most);
    const encoded = values.map(([dimension, value]) => encodedValue(dimension, value));
    const stored = { api: query.api, name: query.limit };
    const keys = algorithms.map(({ stateVersion }) =>
      counterKey(tag, keyStemOf(stored, stateVersion), encoded),
    );
    const types = await Promise.all([...new Set(keys)].map(async (key) => [key, await this.reads.type(key)]));
    return types.flatMap(([key = '', type]) => (type === 'none' ? [] : [key])).sort();
  }

  /** Key of a request's receipt. */
  static receiptKey(tenant: string, requestId: string): string {
    return receiptKey(tenant, requestId);
  }

  private async scan(tag: string, { api, limit }: CounterQuery, most: number): Promise<string[]> {
    const pattern = `${escaped(`{${tag}}`)}:*:${escaped(`${api}:${limit}`)}*`;
    const found = new Set<string>();
    for (const server of this.redis instanceof Cluster ? this.redis.nodes('master') : [this.redis]) {
      let cursor = '0';
      do {
        const [next, keys] = await server.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
        cursor = next;
        for (const key of keys) {
          const name = parseKey(key);
          if (name?.kind === 'counter' && name.api === api && name.limit === limit) found.add(key);
        }
      } while (cursor !== '0' && found.size < most);
    }
    return [...found].sort().slice(0, most);
  }

  private async valueOf(key: string, name: KeyName, type: string): Promise<Decoded> {
    const { reads } = this;
    switch (name.kind) {
      case 'counter':
      case 'receipt': {
        expectType(type, 'string');
        const bytes = (await reads.getBuffer(key)) ?? Buffer.alloc(0);
        return name.kind === 'counter' ? decodeCounter(name.stateVersion, bytes) : decodeReceipt(bytes);
      }
      case 'pool': {
        expectType(type, 'hash');
        return decodePool(new Map(Object.entries(await reads.hgetallBuffer(key))));
      }
      default: {
        expectType(type, 'zset');
        const [count, entries] = await Promise.all([
          reads.zcard(key),
          reads.zrange(key, 0, String(ENTRIES - 1), 'WITHSCORES'),
        ]);
        return { entries: count, nextDue: dueOf(entries.flat().map(String)) };
      }
    }
  }
}

function expectType(type: string, expected: string): void {
  if (type !== expected) throw new Error(`a ${type} instead of a ${expected}; decisions ignore it`);
}

/** @throws Error for an invalid address */
function encodedValue(dimension: string, value: string | null): string {
  const encoded = value === null ? MISSING_VALUE : dimensionValue(dimension, value);
  if (encoded === undefined) throw new Error(`${dimension}: ${JSON.stringify(value)} is not an IP address`);
  return encoded;
}

/** A glob that matches the text only. */
function escaped(text: string): string {
  return text.replaceAll(/[*?[\]\\^]/g, String.raw`\$&`);
}

/** @param flat receipts and times (Unix ms) in turns */
function dueOf(flat: readonly string[]): Decoded[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => ({
    receipt: flat[2 * i] ?? '',
    refundedAt: timeOf(Number(flat[2 * i + 1])),
  }));
}

function nameOf(name: KeyName): Decoded {
  switch (name.kind) {
    case 'counter': {
      const { owner, api, limit, isCandidate, overrideWindowMs, isOverflow, values, stateVersion } = name;
      return {
        ...ownerFields(owner),
        api,
        limit,
        ...(isCandidate ? { candidate: true } : {}),
        ...(overrideWindowMs === undefined ? {} : { overrideWindowMs }),
        ...(isOverflow ? { beyondKeyBudget: true } : {}),
        ...(values.length === 0 ? {} : { values: values.map(valueText) }),
        stateVersion,
      };
    }
    case 'receipt': {
      const { owner, partOf, request } = name;
      const slot = partOf === undefined ? {} : { partOf: ownerFields(partOf) };
      return { ...ownerFields(owner), ...slot, request: valueText(request) };
    }
    case 'pool':
      return { api: name.api, pool: name.pool };
    case 'parts':
      return { ...ownerFields(name.owner) };
    default:
      return {};
  }
}

function ownerFields(owner: KeyOwner): Decoded {
  return { ...owner };
}

function valueText(value: KeyValue): string {
  if (value === 'missing') return '(missing)';
  if ('plain' in value) return value.plain;
  return 'address' in value ? value.address : `(hash ${value.hash})`;
}
