import type { Redis } from 'ioredis';
import { within } from '../stores/clocks.js';

/** Fields of an INFO reply. */
export type ServerInfo = ReadonlyMap<string, string>;

export function readServerInfo(info: string): ServerInfo {
  return new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
}

export interface ServerFinding {
  /**
   * `error`: cannot be used until its configuration or the address changes. `login`: the server rejects the login; nothing
   * was checked. `unavailable`: no reply; nothing was checked. `warning`: can be used, but may lose data.
   */
  readonly severity: 'error' | 'login' | 'unavailable' | 'warning';
  readonly message: string;
}

/** What one of the two roles needs of a server. */
export interface RedisRequirements {
  settings?(info: ServerInfo): ServerFinding[];
  /** Commands with arguments, separated by spaces, such as `HSET tg:nodes field value`. Checked, never executed. */
  readonly commands: readonly string[];
  /** The same, for servers in cluster mode only. */
  readonly inCluster?: readonly string[];
  /** Channels to subscribe to. */
  readonly channels: readonly string[];
}

const LEAST_MAJOR_VERSION = 7;

/**
 * Checks version, settings and permissions of a server over a separate connection, with the options of `client`. Never
 * rejects: no reply within `timeoutMs` is also a finding.
 */
export async function checkServer(
  client: Redis,
  needs: RedisRequirements,
  timeoutMs: number,
): Promise<ServerFinding[]> {
  const redis = client.duplicate({
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: null,
    sentinelRetryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let cause: Error | undefined;
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    const findings = await within(timeoutMs, inspect(redis, needs));
    return findings ?? [findingOfError(`no reply within ${timeoutMs} ms`, redis)];
  } catch (error) {
    return [findingOfError((cause ?? (error as Error)).message, redis)];
  } finally {
    redis.disconnect();
  }
}

async function inspect(redis: Redis, needs: RedisRequirements): Promise<ServerFinding[]> {
  await redis.connect();
  const text = await redis.info().catch((error: Error) => {
    if (error.message.startsWith('NOPERM')) return undefined;
    throw error;
  });
  if (text === undefined) return refusals(redis, [{ command: 'INFO', reply: 'NOPERM' }]);
  const info = readServerInfo(text);
  const isCluster = info.get('redis_mode') === 'cluster';
  const commands = [...needs.commands, ...(isCluster ? (needs.inCluster ?? []) : [])];
  return [
    ...versionFindings(info),
    ...(needs.settings?.(info) ?? []),
    ...(isCluster ? await clusterFindings(redis) : []),
    ...refusals(redis, await tryCommands(redis, commands, needs.channels)),
  ];
}

export function versionFindings(info: ServerInfo): ServerFinding[] {
  const version = info.get('redis_version') ?? '';
  if (Number.parseInt(version, 10) < LEAST_MAJOR_VERSION) {
    const message = `Redis version ${version} is too old; Redis 7.0 or newer, or Valkey, is required`;
    return [{ severity: 'error', message }];
  }
  return info.get('loading') === '1' ? [LOADING] : [];
}

async function clusterFindings(redis: Redis): Promise<ServerFinding[]> {
  const setting = 'cluster-require-full-coverage';
  // Managed services and most users do not allow CONFIG.
  const coverage = await redis.config('GET', setting).then(
    ([, value]) => value,
    () => undefined,
  );
  const problem = 'if one shard has no master, all shards reject requests; set it to no';
  if (coverage === 'no') return [];
  if (coverage === undefined)
    return [{ severity: 'warning', message: `${setting} is unchecked (no CONFIG); with yes, ${problem}` }];
  return [{ severity: 'warning', message: `${setting} is yes: ${problem}` }];
}

interface Reply {
  readonly command: string;
  /** QUEUED or an error. */
  readonly reply: string;
}

/** Queues commands in a transaction, which checks permissions, and discards it. */
async function tryCommands(
  redis: Redis,
  commands: readonly string[],
  channels: readonly string[],
): Promise<Reply[]> {
  const run = async (command: string): Promise<Reply> => {
    const [name = '', ...args] = command.split(' ');
    return { command, reply: await redis.call(name, args).then(String, (error: Error) => error.message) };
  };
  const begun = await run('MULTI');
  // Outside of a transaction, the commands would be executed.
  if (begun.reply !== 'OK') return [begun];
  const replies = await Promise.all([...commands, 'DISCARD'].map(run));
  if (replies.at(-1)?.reply.startsWith('NOPERM')) redis.disconnect();
  for (const channel of channels) {
    const reply = await redis.subscribe(channel).then(String, (error: Error) => error.message);
    replies.push({ command: `SUBSCRIBE ${channel}`, reply });
  }
  return replies;
}

const CONTAINERS = new Set(['CLUSTER', 'SCRIPT', 'XINFO']);

function refusals(redis: Redis, replies: readonly Reply[]): ServerFinding[] {
  const user = redis.options.username ?? 'default';
  const findings: ServerFinding[] = [];
  const commands = new Set<string>();
  for (const { command, reply } of replies) {
    const [name = '', first = ''] = command.split(' ');
    if (reply.startsWith('ERR'))
      findings.push({ severity: 'error', message: `the server does not support ${name}: ${reply}` });
    if (!reply.startsWith('NOPERM')) continue;
    if (/\b(key|keys|channel|channels)\b/.test(reply))
      findings.push({
        severity: 'error',
        message: `user ${user} may not use ${keyOf(command)} with ${name}`,
      });
    else commands.add(CONTAINERS.has(name) ? `${name}|${first}` : name);
  }
  if (commands.size > 0) {
    const rules = [...commands].map((command) => `+${command.toLowerCase()}`).join(' ');
    const message = `user ${user} may not run ${[...commands].join(', ')}: ACL SETUSER ${user} ${rules}`;
    findings.push({ severity: 'error', message });
  }
  return findings;
}

function keyOf(command: string): string {
  return command.split(' ').find((argument) => /^(tg:|\{)/.test(argument)) ?? 'its keys';
}

const LOADING: ServerFinding = {
  severity: 'warning',
  message: 'the server is loading its dataset; until it is ready, decisions are degraded',
};

function findingOfError(message: string, { options }: Redis): ServerFinding {
  const code = message.split(' ', 1)[0];
  switch (code) {
    case 'LOADING':
      return LOADING;
    case 'NOAUTH':
    case 'WRONGPASS':
      return {
        severity: 'login',
        message:
          options.password == null
            ? 'the server requires a password; add it to the address before the host'
            : 'the server rejected the user or password in the address',
      };
    default:
      return { severity: 'unavailable', message: `the server is unavailable: ${message}` };
  }
}
