import type { RedisRequirements, ServerFinding, ServerInfo } from '@tollgate/limiter/stores';
import type { AppConfig } from '../config/app-config.js';
import { JOBS_PREFIX } from './jobs/queues.js';

type Durability = AppConfig['redisConfigDurability'];

const JOBS = `${JOBS_PREFIX}:check`;

/** Commands of BullMQ: its scripts, its client and the job actions of operators. */
const JOB_COMMANDS = [
  `BZPOPMIN ${JOBS} 0`,
  `EXISTS ${JOBS}`,
  `HDEL ${JOBS} f`,
  `HEXISTS ${JOBS} f`,
  `HGET ${JOBS} f`,
  `HGETALL ${JOBS}`,
  `HINCRBY ${JOBS} f 1`,
  `HMGET ${JOBS} f`,
  `HMSET ${JOBS} f v`,
  `HSET ${JOBS} f v`,
  `INCR ${JOBS}`,
  `LINDEX ${JOBS} 0`,
  `LLEN ${JOBS}`,
  `LPOP ${JOBS}`,
  `LPOS ${JOBS} e`,
  `LPUSH ${JOBS} e`,
  `LRANGE ${JOBS} 0 0`,
  `LREM ${JOBS} 0 e`,
  `LTRIM ${JOBS} 0 0`,
  `PERSIST ${JOBS}`,
  `PEXPIRE ${JOBS} 1`,
  `PTTL ${JOBS}`,
  `RENAME ${JOBS} ${JOBS}`,
  `RPOP ${JOBS}`,
  `RPOPLPUSH ${JOBS} ${JOBS}`,
  `RPUSH ${JOBS} e`,
  `SADD ${JOBS} m`,
  `SCARD ${JOBS}`,
  `SMEMBERS ${JOBS}`,
  `SREM ${JOBS} m`,
  `XADD ${JOBS} * f v`,
  `XTRIM ${JOBS} MAXLEN 1`,
  `ZADD ${JOBS} 1 m`,
  `ZCARD ${JOBS}`,
  `ZCOUNT ${JOBS} 0 0`,
  `ZPOPMIN ${JOBS}`,
  `ZRANGE ${JOBS} 0 0`,
  `ZRANGEBYSCORE ${JOBS} 0 0`,
  `ZREM ${JOBS} m`,
  `ZREMRANGEBYRANK ${JOBS} 0 0`,
  `ZREMRANGEBYSCORE ${JOBS} 0 0`,
  `ZREVRANGE ${JOBS} 0 0`,
  `ZREVRANGEBYSCORE ${JOBS} 0 0`,
  `ZSCORE ${JOBS} m`,
];

const COMMANDS = [
  'EVALSHA 0 0',
  'EVAL return 0',
  'GET tg:policy:head',
  'SET tg:policy:confirmed 1',
  'MGET tg:policy:head',
  'DEL tg:policy:tenant:check',
  'UNLINK tg:policy:tenant:check',
  'SCAN 0',
  'HKEYS tg:nodes:left',
  'HMGET tg:audit:heads field',
  'HSCAN tg:audit:heads 0',
  'PEXPIREAT tg:quota:check:0 1',
  'XREAD STREAMS tg:usage $',
  'XTRIM tg:usage MAXLEN 1',
  'XREAD STREAMS tg:traffic $',
  'XTRIM tg:traffic MAXLEN 1',
  'XINFO STREAM tg:usage',
  'PUBLISH tg:events event',
  'PING',
  'TIME',
];

/** What control plane and worker require of the config Redis; docs/operate/redis.md lists their permissions. */
export function configRequirements(durability: Durability): RedisRequirements {
  return {
    settings: (info) => keepingProblems(info, durability),
    commands: [...COMMANDS, ...JOB_COMMANDS],
    channels: ['tg:events'],
  };
}

/** Eviction loses jobs and policy; without an append-only file, a restart loses uncounted usage. */
function keepingProblems(info: ServerInfo, durability: Durability): ServerFinding[] {
  const problems: ServerFinding[] = [];
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    const message = `maxmemory-policy is ${policy}: jobs and policy may be evicted; set it to noeviction`;
    problems.push({ severity: 'error', message });
  }
  if (durability !== 'managed' && info.get('aof_enabled') !== '1') {
    const message =
      'it keeps no append-only file: a restart forgets usage that was not counted yet; set appendonly yes, or ' +
      'REDIS_CONFIG_DURABILITY=managed if the provider keeps the data, or best-effort';
    problems.push({ severity: durability === 'required' ? 'error' : 'warning', message });
  }
  return problems;
}
