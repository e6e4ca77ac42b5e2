import { CLEARED_CHANNEL } from '../scripts/amend.js';
import { EXHAUSTED_CHANNEL } from './counter-channel.js';
import type { RedisRequirements, ServerFinding, ServerInfo } from './server-checks.js';

const KEY = '{tollgate}:check';
const LIST = 'tg:reservations';

/** A warning about a server that evicts counters when its memory is full. */
export function evictionFindings(info: ServerInfo): ServerFinding[] {
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (Number(info.get('maxmemory') ?? 0) === 0 || policy === 'noeviction') return [];
  const message =
    `maxmemory-policy is ${policy}: a full server evicts counters, and their limits and penalties start again; ` +
    'set it to noeviction';
  return [{ severity: 'warning', message }];
}

/** docs/operate/redis.md lists the permissions of a user. */
export const COUNTER_REQUIREMENTS: RedisRequirements = {
  settings: evictionFindings,
  commands: [
    'EVALSHA 0 0',
    'EVAL return 0',
    'SCRIPT LOAD return',
    `MGET ${KEY}`,
    `SET ${KEY} 1`,
    `DEL ${KEY}`,
    `INCRBY ${KEY} 1`,
    `HGETALL ${KEY}`,
    `HGET ${KEY} field`,
    `HMGET ${KEY} field`,
    `HSET ${KEY} field 1`,
    `HINCRBY ${KEY} field 1`,
    `HSCAN ${KEY} 0`,
    `HLEN ${KEY}`,
    `PEXPIRETIME ${KEY}`,
    `PEXPIREAT ${KEY} 1`,
    `HDEL ${KEY} field`,
    `PEXPIRE ${LIST} 1`,
    `ZADD ${LIST} 1 member`,
    `ZREM ${LIST} member`,
    `ZRANGE ${LIST} 0 0`,
    `ZCOUNT ${LIST} 0 0`,
    `PUBLISH ${CLEARED_CHANNEL} key`,
    'PING',
    'TIME',
  ],
  inCluster: [
    'SADD tg:part-tags tag',
    'SMEMBERS tg:part-tags',
    `EXISTS ${KEY}`,
    `UNLINK ${KEY}`,
    'CLUSTER SLOTS',
    'CLUSTER INFO',
    'ASKING',
  ],
  channels: [CLEARED_CHANNEL, EXHAUSTED_CHANNEL],
};
