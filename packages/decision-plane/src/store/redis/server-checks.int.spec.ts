import { createTestRedis, startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { checkServer, findingsOf } from './server-checks.js';

const INFO = 'redis_version:7.0.15\r\nloading:0\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n';

describe('findings in an INFO reply', () => {
  it.each([
    ['a new server without a memory bound', INFO, []],
    ['Redis 6.2', INFO.replace('7.0.15', '6.2.14'), [/version 6\.2\.14.*7\.0 or newer/]],
    ['a server that is loading', INFO.replace('loading:0', 'loading:1'), [/loading/]],
    [
      'a server that may evict anything',
      INFO.replace('maxmemory:0', 'maxmemory:64'),
      [/set it to volatile-ttl/],
    ],
    [
      'a server that evicts by TTL',
      INFO.replace('maxmemory:0', 'maxmemory:64').replace('allkeys-lru', 'volatile-ttl'),
      [],
    ],
    [
      'a server that evicts nothing',
      INFO.replace('maxmemory:0', 'maxmemory:64').replace('allkeys-lru', 'noeviction'),
      [],
    ],
  ])('%s', (_name, info, messages) => {
    expect(findingsOf(info).map((finding) => finding.message)).toEqual(
      messages.map((one) => expect.stringMatching(one)),
    );
  });
});

describe('check of a server', () => {
  let stop: () => Promise<void> = () => Promise.resolve();
  let redis: Redis | undefined;
  afterEach(async () => {
    redis?.disconnect();
    await stop();
    stop = () => Promise.resolve();
  });

  const check = (url: string) => {
    redis = new Redis(url, { retryStrategy: null, enableReadyCheck: false });
    redis.on('error', () => undefined);
    return checkServer(redis, 5000);
  };

  it('finds nothing on a new server, and a wrong or missing password', async () => {
    const server = await createTestRedis();
    stop = server.stop;
    expect(await check(server.url)).toEqual([]);
    await redis?.acl('SETUSER', 'default', '>right');
    redis?.disconnect();
    expect(await check(server.url)).toEqual([
      { severity: 'error', message: expect.stringMatching(/requires a password/) },
    ]);
    redis?.disconnect();
    const wrong = server.url.replace('redis://', 'redis://default:wrong@');
    expect(await check(wrong)).toEqual([
      { severity: 'error', message: expect.stringMatching(/rejected the user or password/) },
    ]);
  });

  it('reports an unavailable server instead of throwing', async () => {
    const server = await createTestRedis();
    await server.stop();
    expect(await check(server.url)).toEqual([
      { severity: 'error', message: expect.stringMatching(/is unavailable/) },
    ]);
  });

  it('warns about a cluster that stops entirely when one shard fails', async () => {
    const server = await startRealRedis({ extraArgs: ['--cluster-enabled', 'yes'] });
    stop = server.stop;
    expect(await check(server.url)).toEqual([
      { severity: 'warning', message: expect.stringMatching(/cluster-require-full-coverage is yes/) },
    ]);
    await redis?.config('SET', 'cluster-require-full-coverage', 'no');
    redis?.disconnect();
    expect(await check(server.url)).toEqual([]);
  });
});
