import { algorithms } from '@tollgate/limiter/algorithms';
import {
  addressOf,
  counterKey,
  dimensionValue,
  globalTag,
  keyStart,
  keyStem,
  MISSING_VALUE,
  packedStem,
  parseNetwork,
  receiptKey,
  subjectStart,
  subjectStem,
} from '@tollgate/limiter/rules';
import { accessOptions, connectionOptions, parseRedisUrl } from '@tollgate/limiter/stores';
import { Cluster, Redis } from 'ioredis';
import {
  type KeyName,
  type KeyOwner,
  type KeyValue,
  type PackedField,
  packedField,
  parseKey,
  subjectField,
} from './key-names.js';
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
  /** Of a child, `parent/child`. Undefined: a limit on all tenants. */
  readonly tenant?: string;
  readonly api: string;
  readonly limit: string;
  /**
   * Dimension and value, in the limit's order; null: missing in the request. For `ip` of a limit with other prefixes than the
   * default, the network. Undefined: all of the limit's counters.
   */
  readonly values?: readonly (readonly [dimension: string, value: string | null])[];
}

const SCAN_COUNT = 1000;
/** Shown entries of a list of reservations or a hash of counters. */
const ENTRIES = 100;
/** Numbers of hashes that a packed limit may have: powers of two (`packedHashes`). */
const PACKED_HASHES = Array.from({ length: 17 }, (_, exponent) => 2 ** exponent);

/** Reads and decodes keys of the counter Redis; never writes. */
export class CounterInspector {
  private readonly reads: Pick<
    Redis,
    'type' | 'pttl' | 'getBuffer' | 'hgetBuffer' | 'hgetallBuffer' | 'zcard' | 'zrange'
  >;

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

  /**
   * Reads a key, or one counter of a hash: its key, `|` and field. Undefined: it does not exist.
   * @throws Error for a name that the counter Redis does not use
   */
  async read(key: string): Promise<InspectedKey | undefined> {
    const name = parseKey(key);
    if (name === undefined) {
      throw new Error(
        `${JSON.stringify(key)} is not a key of a counter, receipt, pool or list of reservations, such as {acme}:g1:maps:per-minute=u1`,
      );
    }
    const address = addressOf(key);
    const [type, ttlMs] = await Promise.all([this.reads.type(address.key), this.reads.pttl(address.key)]);
    if (type === 'none') return undefined;
    if (type === 'hash' && address.field !== undefined && (await this.fieldOf(key)) === null)
      return undefined;
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
    const stored = { api: query.api, name: query.limit, per: values.map(([dimension]) => dimension) };
    const stems = [
      ...algorithms.map(({ stateVersion }) => keyStem(stored, stateVersion)),
      ...PACKED_HASHES.map((hashes) => packedStem(stored, hashes)),
      ...algorithms.map(({ stateVersion }) => subjectStem(stored, stateVersion)),
    ];
    const keys = new Set(stems.map((stem) => counterKey(tag, stem, encoded)));
    const found = await Promise.all([...keys].map(async (key) => ((await this.exists(key)) ? [key] : [])));
    return found.flat().sort();
  }

  private async exists(name: string): Promise<boolean> {
    const { key, field } = addressOf(name);
    const type = await this.reads.type(key);
    return field === undefined ? type !== 'none' : type === 'hash' && (await this.fieldOf(name)) !== null;
  }

  private fieldOf(name: string): Promise<Buffer | null> {
    const { key, field = '' } = addressOf(name);
    return this.reads.hgetBuffer(key, field);
  }

  /** Key of a request's receipt. */
  static receiptKey(tenant: string, requestId: string): string {
    return receiptKey(tenant, requestId);
  }

  private async scan(tag: string, { api, limit }: CounterQuery, most: number): Promise<string[]> {
    const found = new Set<string>();
    for await (const key of this.keys(`${escaped(keyStart(tag))}:*:${escaped(`${api}:${limit}`)}*`)) {
      const name = parseKey(key);
      if (name?.kind === 'counter' && name.api === api && name.limit === limit) found.add(key);
      if (found.size >= most) break;
    }
    const [stem = ''] = packedStem({ api, name: limit }, 1).split('/');
    for await (const key of this.keys(`${escaped(`${keyStart(tag)}${stem}:`)}*`)) {
      if (found.size >= most) break;
      for (const field of Object.keys(await this.reads.hgetallBuffer(key))) found.add(`${key}|${field}`);
    }
    for await (const key of this.keys(`${escaped(`${keyStart(tag)}${subjectStart(api)}`)}*`)) {
      if (found.size >= most) break;
      const fields = Object.keys(await this.reads.hgetallBuffer(key));
      for (const field of fields.filter((one) => subjectField(one)?.limit === limit))
        found.add(`${key}|${field}`);
    }
    return [...found].sort().slice(0, most);
  }

  /** Keys of all servers that match a glob; a key may occur twice. */
  private async *keys(pattern: string): AsyncGenerator<string> {
    for (const server of this.redis instanceof Cluster ? this.redis.nodes('master') : [this.redis]) {
      let cursor = '0';
      do {
        const [next, keys] = await server.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
        cursor = next;
        yield* keys;
      } while (cursor !== '0');
    }
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
      case 'packed': {
        expectType(type, 'hash');
        if (name.field !== undefined)
          return decodeCounter('p1', (await this.fieldOf(key)) ?? Buffer.alloc(0));
        const fields = Object.entries(await reads.hgetallBuffer(key));
        const first = fields.slice(0, ENTRIES).map(([field, bytes]) => ({
          ...fieldNames(packedField(field)),
          ...decodeCounter('p1', bytes),
        }));
        return { counters: fields.length, first };
      }
      case 'subject': {
        expectType(type, 'hash');
        if (name.field !== undefined)
          return decodeCounter(name.field.stateVersion, (await this.fieldOf(key)) ?? Buffer.alloc(0));
        const fields = Object.entries(await reads.hgetallBuffer(key));
        return { counters: fields.length, first: fields.slice(0, ENTRIES).map(subjectCounter) };
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

function subjectCounter([text, bytes]: [field: string, bytes: Buffer]): Decoded {
  const field = subjectField(text);
  if (field === undefined) return { field: text, problem: 'not a counter; decisions ignore it' };
  return { ...field, ...decodeCounter(field.stateVersion, bytes) };
}

function expectType(type: string, expected: string): void {
  if (type !== expected) throw new Error(`a ${type} instead of a ${expected}; decisions ignore it`);
}

/** @throws Error for an invalid address or network */
function encodedValue(dimension: string, value: string | null): string {
  if (value === null) return MISSING_VALUE;
  const encoded = dimension === 'ip' ? encodedNetwork(value) : dimensionValue(dimension, value);
  if (encoded === undefined) {
    throw new Error(
      `${dimension}: ${JSON.stringify(value)} is not an IP address or network such as 10.1.2.0/24`,
    );
  }
  return encoded;
}

/** Of an address, as limits with the default prefixes count it, or of a network. Undefined if it is neither. */
function encodedNetwork(text: string): string | undefined {
  if (!text.includes('/')) return dimensionValue('ip', text);
  const network = parseNetwork(text);
  if (typeof network === 'string') return undefined;
  const [address = ''] = text.split('/');
  return dimensionValue('ip', address, { ipv4Prefix: network.bits, ipv6Prefix: network.bits });
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
      const { owner, api, limit, isCandidate, isAmount, isShare, overrideWindowMs, isOverflow, values } =
        name;
      return {
        ...ownerFields(owner),
        api,
        limit,
        ...(isCandidate ? { candidate: true } : {}),
        ...(isAmount ? { amount: true } : {}),
        ...(isShare ? { share: true } : {}),
        ...(overrideWindowMs === undefined ? {} : { overrideWindowMs }),
        ...(isOverflow ? { beyondKeyBudget: true } : {}),
        ...(values.length === 0 ? {} : { values: values.map(valueText) }),
        stateVersion: name.stateVersion,
      };
    }
    case 'packed': {
      const { owner, limitHash, place, field } = name;
      return { ...ownerFields(owner), limitHash, place, ...(field === undefined ? {} : fieldNames(field)) };
    }
    case 'subject': {
      const { owner, limitsHash, isOverflow, values, field } = name;
      return {
        ...ownerFields(owner),
        limitsHash,
        ...(isOverflow ? { beyondKeyBudget: true } : {}),
        ...(values.length === 0 ? {} : { values: values.map(valueText) }),
        ...field,
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

function fieldNames({ isOverflow, values }: PackedField): Decoded {
  return isOverflow ? { beyondKeyBudget: true } : { values: values.map(valueText) };
}

function ownerFields(owner: KeyOwner): Decoded {
  return { ...owner };
}

function valueText(value: KeyValue): string {
  if (value === 'missing') return '(missing)';
  if ('plain' in value) return value.plain;
  return 'address' in value ? value.address : `(hash ${value.hash})`;
}
