import { readFileSync } from 'node:fs';
import { type RedisOptions as IoredisOptions, Redis } from 'ioredis';
import { parseRedisUrl, type RedisAddress } from '../stores/redis-address.js';

/** Replies keep their default form. */
type RedisOptions = Omit<IoredisOptions, 'replyMapping'>;

/** Validates an address and reads its TLS files. @returns the address. @throws Error without the address */
export function checkRedisUrl(text: string): string {
  accessOptions(parseRedisUrl(text));
  return text;
}

/** The same for the policy Redis. @throws Error without the address */
export function checkConfigRedisUrl(text: string): string {
  if (parseRedisUrl(text).kind === 'cluster')
    throw new Error(
      'must not be a cluster, which cannot switch policy in one transaction; use a server or Sentinels',
    );
  return checkRedisUrl(text);
}

/** Login and TLS, the same for all servers of an address. @throws Error if a TLS file cannot be read */
export function accessOptions({ username, password, tls }: RedisAddress): RedisOptions {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined
      ? {}
      : {
          tls: {
            ...(tls.ca === undefined ? {} : { ca: readPem('ca', tls.ca) }),
            ...(tls.cert === undefined ? {} : { cert: readPem('cert', tls.cert) }),
            ...(tls.key === undefined ? {} : { key: readPem('key', tls.key) }),
            ...(tls.servername === undefined ? {} : { servername: tls.servername }),
          },
        }),
  };
}

function readPem(parameter: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(
      `the file of parameter ${parameter} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

const SENTINEL_TIMEOUT_MS = 1000;

/** Options for the server of an address, for the current master of its Sentinels, or for the first node of its cluster. */
export function connectionOptions(address: RedisAddress): RedisOptions {
  const access = accessOptions(address);
  const options: RedisOptions = { ...access, db: address.database, reconnectOnError: isReadOnly };
  if (address.kind !== 'sentinel') return { ...options, ...address.hosts[0] };
  const { sentinelUsername, sentinelPassword } = address;
  return {
    ...options,
    sentinels: [...address.hosts],
    name: address.master,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(access.tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: access.tls }),
  };
}

/** After a failover behind one host name, the connection may still lead to the former master. */
function isReadOnly(error: Error): boolean {
  return error.message.startsWith('READONLY');
}

/** Connects to a server, to the master of Sentinels, or to one node of a cluster. */
export function connectRedis(address: RedisAddress, options: RedisOptions): Redis {
  return new Redis({ ...connectionOptions(address), ...options });
}

/** Calls `onChange` when a connection becomes usable and when it ends then, but not for attempts to connect. */
export function watchConnections(redis: Redis, onChange: () => void): void {
  redis.on('ready', () => {
    onChange();
    redis.once('close', onChange);
  });
}

/** Checks of a connection within the time until it counts as silent. */
const CHECKS = 4;

/**
 * Ends a connection that does not reply to a command within `ms`, plus up to a quarter, so that it is replaced. One timer per
 * connection: that of ioredis, `socketTimeout`, costs a fifteenth of a single decision (docs/adr/0053-run-scripts.md).
 */
export function endSilentConnections(redis: Redis, ms: number): void {
  redis.on('connect', () => {
    const { stream } = redis;
    let bytesRead = 0;
    let silentChecks = 0;
    // Counts checks instead of time: none takes place while this process is blocked and cannot read a reply.
    const check = () => {
      const isSilent = redis.commandQueue.length > 0 && stream.bytesRead === bytesRead;
      silentChecks = isSilent ? silentChecks + 1 : 0;
      bytesRead = stream.bytesRead;
      if (silentChecks > CHECKS) stream.destroy(new Error(`no reply within ${ms} ms`));
    };
    const timer = setInterval(check, ms / CHECKS).unref();
    stream.once('close', () => clearInterval(timer));
  });
}
