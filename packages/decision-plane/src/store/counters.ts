import type { Redis } from 'ioredis';
import type { ClusterAddress } from './cluster/cluster-shards.js';
import { ClusterStore } from './cluster/cluster-store.js';
import type { DecisionStore } from './decision-store.js';
import { RedisStore, type RedisStoreOptions } from './redis/redis-store.js';

/** Address of the counter Redis: the URL of one server, or nodes of a cluster. */
export type CountersAddress = { readonly kind: 'server'; readonly url: string } | ClusterAddress;

const FORMS = 'redis://host:port/db, rediss://host:port/db or redis-cluster://host:port,host:port';
const DEFAULT_PORT = 6379;

/**
 * Parses the address of the counter Redis: `redis://` and `rediss://` (TLS) for a server, `redis-cluster://` and
 * `rediss-cluster://` for one or more nodes of a cluster, separated by commas. User and password precede the first
 * host, URL-encoded.
 *
 * @throws Error without the address, which may contain a password
 */
export function parseCountersUrl(text: string): CountersAddress {
  const [, scheme, rest = ''] = /^([a-z-]+):\/\/(.*)$/is.exec(text.trim()) ?? [];
  switch (scheme?.toLowerCase()) {
    case 'redis':
    case 'rediss':
      return { kind: 'server', url: serverUrl(text.trim()) };
    case 'redis-cluster':
      return cluster(rest, false);
    case 'rediss-cluster':
      return cluster(rest, true);
    default:
      throw new Error(`the counter Redis address must be ${FORMS}`);
  }
}

/** URL of one node of a cluster. */
export function nodeUrlOf(address: ClusterAddress): string {
  const [node] = address.nodes;
  const url = new URL(
    `redis${address.tls ? 's' : ''}://${bracketed(node?.host ?? '')}:${node?.port ?? DEFAULT_PORT}`,
  );
  url.username = encodeURIComponent(address.username ?? '');
  url.password = encodeURIComponent(address.password ?? '');
  return url.href;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function serverUrl(text: string): string {
  const { hostname, pathname } = parse(text);
  if (hostname === '') throw new Error('the counter Redis address has no host');
  if (text.includes(','))
    throw new Error('several hosts require a cluster address: redis-cluster://host:port,host:port');
  if (!/^(\/\d*)?$/.test(pathname))
    throw new Error('the database must be a number, as in redis://host:port/0');
  return text;
}

function cluster(rest: string, tls: boolean): CountersAddress {
  const at = rest.lastIndexOf('@');
  const { username, password } = parse(`redis://${rest.slice(0, at + 1)}host`);
  const [hosts = '', database = ''] = rest
    .slice(at + 1)
    .replace(/\?.*$/, '')
    .split('/');
  if (database !== '' && database !== '0')
    throw new Error('a cluster has no databases; remove the part after /');
  const nodes = hosts.split(',').map((node) => {
    const { hostname, port } = parse(`redis://${node.trim()}`);
    if (hostname === '') throw new Error('the counter Redis address has a node without a host');
    // URLs enclose IPv6 addresses in brackets.
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? DEFAULT_PORT : Number(port) };
  });
  return {
    kind: 'cluster',
    nodes,
    tls,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new Error(`the counter Redis address is invalid: it must be ${FORMS}, with a port from 1 to 65535`);
  }
}

/** Connection to the counter Redis, one server or a cluster. */
export interface CountersConnection {
  readonly store: DecisionStore;
  /**
   * Connection to the server that owns `key`. Not used for decisions and amendments. @throws Error if the server is
   * unknown
   */
  clientFor(key: string): Redis;
  /** Known servers that accept writes. */
  servers(): readonly Redis[];
  /**
   * Estimated server time, never in the future, microseconds since the Unix epoch; undefined before the first reply.
   */
  nowUs(): number | undefined;
  /** A server that receives all pub/sub messages. */
  readonly anyNodeUrl: string;
  /** Resolves once connected; rejects after `timeoutMs`. */
  connected(timeoutMs: number): Promise<void>;
}

/** @throws Error if the address is invalid */
export function connectCounters(options: RedisStoreOptions): CountersConnection {
  const address = parseCountersUrl(options.url);
  if (address.kind === 'cluster') {
    const { url: _, ...others } = options;
    const store = new ClusterStore({ address, ...others });
    return {
      store,
      clientFor: (key) => store.clientFor(key),
      servers: () => store.masters(),
      nowUs: () => store.nowUs(),
      anyNodeUrl: nodeUrlOf(address),
      connected: (timeoutMs) => store.connected(timeoutMs),
    };
  }
  const store = new RedisStore({ ...options, url: address.url });
  return {
    store,
    clientFor: () => store.redis,
    servers: () => [store.redis],
    nowUs: () => store.nowUs(),
    anyNodeUrl: address.url,
    connected: (timeoutMs) => store.connected(timeoutMs),
  };
}
