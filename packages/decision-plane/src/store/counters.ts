import type { ClusterAddress } from './cluster/cluster-shards.js';
import { ClusterStore } from './cluster/cluster-store.js';
import type { CounterStore } from './decision-store.js';
import { RedisStore, type RedisStoreOptions } from './redis/redis-store.js';

export type CountersAddress = { readonly kind: 'server'; readonly url: string } | ClusterAddress;

const FORMS = 'redis://host:port/db, rediss://host:port/db or redis-cluster://host:port,host:port';
const DEFAULT_PORT = 6379;

/**
 * Parses `redis://` and `rediss://` (TLS) for a server, `redis-cluster://` and `rediss-cluster://` for nodes of a cluster,
 * separated by commas. User and password, URL-encoded, precede the first host.
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

/** @throws Error if the address is invalid */
export function connectCounters(options: RedisStoreOptions): CounterStore {
  const address = parseCountersUrl(options.url);
  if (address.kind === 'server') return new RedisStore({ ...options, url: address.url });
  const { url: _, ...others } = options;
  return new ClusterStore({ address, ...others });
}
