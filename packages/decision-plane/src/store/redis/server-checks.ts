import type { Redis } from 'ioredis';

/** The fields of a Redis server's INFO text, by name. */
export function readServerInfo(info: string): ReadonlyMap<string, string> {
  return new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
}

/** What is wrong with a server that is to hold counters, in words for whoever runs it. */
export interface ServerFinding {
  /** `error`: decisions cannot be made by it. `warning`: they can, and may be lost. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

const LEAST_MAJOR_VERSION = 7;

/** What may evict: keys without a time to live first, or nothing. */
const SAFE_POLICIES: readonly string[] = ['volatile-ttl', 'noeviction'];

/**
 * Looks at a server before it is used. Never rejects: a server that cannot be asked within `timeoutMs` is a finding too.
 */
export async function checkServer(redis: Redis, timeoutMs: number): Promise<ServerFinding[]> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    const info = await Promise.race([redis.info(), silence]);
    const isCluster = info.includes('redis_mode:cluster');
    return [...findingsOf(info), ...(isCluster ? await Promise.race([clusterFindings(redis), silence]) : [])];
  } catch (error) {
    return [findingOfError(error instanceof Error ? error.message : String(error), redis.options.password)];
  } finally {
    clearTimeout(timer);
  }
}

/** What the text of INFO says against a server. */
export function findingsOf(info: string): ServerFinding[] {
  const fields = readServerInfo(info);
  const findings: ServerFinding[] = [];
  const version = fields.get('redis_version') ?? '';
  if (Number.parseInt(version, 10) < LEAST_MAJOR_VERSION) {
    const message = `the server speaks for version ${version}; counters need Redis 7.0 or newer, or Valkey`;
    findings.push({ severity: 'error', message });
  }
  if (fields.get('loading') === '1') findings.push(LOADING);
  const policy = fields.get('maxmemory_policy') ?? '';
  if (Number(fields.get('maxmemory')) > 0 && !SAFE_POLICIES.includes(policy)) {
    const message =
      `maxmemory-policy is ${policy}: when memory runs short, the server forgets monthly quotas as readily as the ` +
      'counters of the last second; set it to volatile-ttl';
    findings.push({ severity: 'warning', message });
  }
  return findings;
}

async function clusterFindings(redis: Redis): Promise<ServerFinding[]> {
  // Managed clusters do not tell.
  const [, coverage] = await redis.config('GET', 'cluster-require-full-coverage').catch(() => []);
  if (coverage !== 'yes') return [];
  const message =
    'cluster-require-full-coverage is yes: while one shard has no master, all others refuse too; set it to no';
  return [{ severity: 'warning', message }];
}

const LOADING: ServerFinding = {
  severity: 'warning',
  message: 'the server is loading its data: until it is done, nodes decide without it',
};

function findingOfError(message: string, password: string | null | undefined): ServerFinding {
  const code = message.split(' ', 1)[0];
  switch (code) {
    case 'LOADING':
      return LOADING;
    case 'NOAUTH':
    case 'WRONGPASS':
      return {
        severity: 'error',
        message:
          password == null
            ? 'the server wants a password: put it into the address, before the host'
            : 'the server refuses the user or password of the address',
      };
    case 'NOPERM':
      return {
        severity: 'warning',
        message: 'the user may not run INFO: version and memory policy are unchecked',
      };
    default:
      return { severity: 'error', message: `the server cannot be asked: ${message}` };
  }
}
