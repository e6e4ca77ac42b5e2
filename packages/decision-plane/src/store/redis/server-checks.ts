import type { Redis } from 'ioredis';
import { within } from '../clocks.js';

export function readServerInfo(info: string): ReadonlyMap<string, string> {
  return new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
}

export interface ServerFinding {
  /** `error`: cannot be used for decisions. `warning`: can be used, but may lose counters. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

const LEAST_MAJOR_VERSION = 7;

/** Evict keys with the shortest time to live first, or nothing. */
const SAFE_POLICIES: readonly string[] = ['volatile-ttl', 'noeviction'];

/** Checks a server before use. Never rejects: no reply within `timeoutMs` is also a finding. */
export async function checkServer(redis: Redis, timeoutMs: number): Promise<ServerFinding[]> {
  try {
    const findings = await within(timeoutMs, inspect(redis));
    return findings ?? [findingOfError(`no reply within ${timeoutMs} ms`, null)];
  } catch (error) {
    return [findingOfError(error instanceof Error ? error.message : String(error), redis.options.password)];
  }
}

async function inspect(redis: Redis): Promise<ServerFinding[]> {
  const info = await redis.info();
  const isCluster = info.includes('redis_mode:cluster');
  return [...findingsOf(info), ...(isCluster ? await clusterFindings(redis) : [])];
}

export function findingsOf(info: string): ServerFinding[] {
  const fields = readServerInfo(info);
  const findings: ServerFinding[] = [];
  const version = fields.get('redis_version') ?? '';
  if (Number.parseInt(version, 10) < LEAST_MAJOR_VERSION) {
    const message = `Redis version ${version} is too old; counters need Redis 7.0 or newer, or Valkey`;
    findings.push({ severity: 'error', message });
  }
  if (fields.get('loading') === '1') findings.push(LOADING);
  const policy = fields.get('maxmemory_policy') ?? '';
  if (Number(fields.get('maxmemory')) > 0 && !SAFE_POLICIES.includes(policy)) {
    const message =
      `maxmemory-policy is ${policy}: when memory runs out, the server evicts monthly quotas as readily as ` +
      'short-lived counters; set it to volatile-ttl';
    findings.push({ severity: 'warning', message });
  }
  return findings;
}

async function clusterFindings(redis: Redis): Promise<ServerFinding[]> {
  // Managed clusters may not allow CONFIG.
  const [, coverage] = await redis.config('GET', 'cluster-require-full-coverage').catch(() => []);
  if (coverage !== 'yes') return [];
  const message =
    'cluster-require-full-coverage is yes: if one shard has no master, all shards reject requests; set it to no';
  return [{ severity: 'warning', message }];
}

const LOADING: ServerFinding = {
  severity: 'warning',
  message: 'the server is loading its dataset; until it is ready, decisions are degraded',
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
            ? 'the server requires a password; add it to the address before the host'
            : 'the server rejected the user or password in the address',
      };
    case 'NOPERM':
      return {
        severity: 'warning',
        message: 'the user is not allowed to run INFO; version and memory policy are unchecked',
      };
    default:
      return { severity: 'error', message: `the server is unavailable: ${message}` };
  }
}
