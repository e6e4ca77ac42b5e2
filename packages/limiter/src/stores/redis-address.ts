export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** Files in PEM format, and the name to expect in the server's certificate. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
}

export interface RedisAddress {
  readonly kind: 'server' | 'sentinel' | 'cluster';
  /** The server, the Sentinels, or nodes of the cluster; at least one. */
  readonly hosts: readonly RedisHost[];
  /** Name of the master in Sentinel; empty for other kinds. */
  readonly master: string;
  readonly database: number;
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  /** Undefined: no TLS. */
  readonly tls?: RedisTls;
}

const FORMS =
  'redis://host:port/database, redis-sentinel://host:port,host:port/master or redis-cluster://host:port,host:port, ' +
  'each with TLS as rediss';
const ADDRESS =
  /^(rediss?)(?:-(sentinel|cluster))?:\/\/(?:([^/?]*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?([^?]*))?$/i;
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i;
const TLS_PARAMETERS = ['ca', 'cert', 'key', 'servername'] as const;
const SENTINEL_PARAMETERS = ['sentinelUsername', 'sentinelPassword'] as const;

/**
 * Parses the address of a Redis server, of Sentinels or of a cluster. User and password, URL-encoded, precede the first
 * host. Parameters: `ca`, `cert`, `key` (files) and `servername` with TLS; `sentinelUsername` and `sentinelPassword`.
 * @throws Error without any part of the address, which may contain a password
 */
export function parseRedisUrl(text: string): RedisAddress {
  const match = ADDRESS.exec(text.trim());
  if (match === null) throw new Error(`must be ${FORMS}; encode / ? @ in a password as %2F %3F %40`);
  const [, scheme = '', form = 'server', login = '', hosts = '', path = '', query = ''] = match;
  const kind = form.toLowerCase() as RedisAddress['kind'];
  const isTls = scheme.toLowerCase() === 'rediss';
  if (kind === 'server' && hosts.includes(','))
    throw new Error('several hosts need redis-sentinel:// or redis-cluster://');
  const parameters = parseParameters(query, [
    ...(isTls ? TLS_PARAMETERS : []),
    ...(kind === 'sentinel' ? SENTINEL_PARAMETERS : []),
  ]);
  const { ca, cert, key, servername, ...sentinelLogin } = parameters;
  if ((cert === undefined) !== (key === undefined))
    throw new Error('parameters cert and key need each other');
  const tls = Object.fromEntries(Object.entries({ ca, cert, key, servername }).filter(([, value]) => value));
  return {
    kind,
    hosts: hosts.split(',').map((host) => parseHost(host.trim(), kind === 'sentinel' ? 26_379 : 6379)),
    ...parsePath(kind, path),
    ...parseLogin(login),
    ...sentinelLogin,
    ...(isTls ? { tls } : {}),
  };
}

function parseHost(text: string, defaultPort: number): RedisHost {
  if (text === '') throw new Error('has an empty host');
  const [, ipv6, name, digits] = HOST.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port < 1 || port > 65_535)
    throw new Error('has an invalid host, or a port that is not 1 to 65535; encode / and ? in a password');
  return { host, port };
}

function parsePath(kind: RedisAddress['kind'], path: string): { master: string; database: number } {
  const [master, database] = kind === 'sentinel' ? path.split(/\/(.*)/s) : ['', path];
  if (kind === 'sentinel' && !master)
    throw new Error('needs the name of the master: redis-sentinel://host:port,host:port/master');
  if (database !== undefined && !/^\d{0,5}$/.test(database))
    throw new Error('has a database that is not a number');
  if (kind === 'cluster' && Number(database) > 0)
    throw new Error('names a database, which a cluster does not have; remove the part after /');
  return { master: decode(master ?? ''), database: Number(database ?? 0) };
}

function parseLogin(login: string): { username?: string; password?: string } {
  const [username, password] = login.split(/:(.*)/s);
  return {
    ...(username ? { username: decode(username) } : {}),
    ...(password ? { password: decode(password) } : {}),
  };
}

function parseParameters(query: string, known: readonly string[]): Record<string, string> {
  const entries = query === '' ? [] : query.split('&').map((part) => part.split(/=(.*)/s));
  if (entries.some(([name = '', value]) => !known.includes(name) || !value)) {
    const names = known.length === 0 ? 'this form has none' : `possible are ${known.join(', ')}`;
    throw new Error(`has an unknown or empty parameter: ${names}`);
  }
  return Object.fromEntries(entries.map(([name = '', value = '']) => [name, decode(value)]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % that does not start an encoded character; write % as %25');
  }
}
