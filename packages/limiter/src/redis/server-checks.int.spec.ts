import { createTestRedis, findUnnamedRefusals, startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { COUNTER_REQUIREMENTS } from './counter-requirements.js';
import { checkServer, readServerInfo, versionFindings } from './server-checks.js';

const INFO = 'redis_version:7.0.15\r\nloading:0\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n';

describe('check of a server', () => {
  it.each([
    ['nothing in a server without a memory bound', INFO, []],
    ['a policy that evicts anything', INFO.replace('maxmemory:0', 'maxmemory:64'), [/set it to noeviction/]],
    [
      'a policy that evicts what ends soonest',
      INFO.replace('maxmemory:0', 'maxmemory:64').replace('allkeys-lru', 'volatile-ttl'),
      [/maxmemory-policy is volatile-ttl/],
    ],
    [
      'nothing in one that evicts nothing',
      INFO.replace('maxmemory:0', 'maxmemory:64').replace('allkeys-lru', 'noeviction'),
      [],
    ],
  ])('finds %s', (_name, info, messages) => {
    const findings = COUNTER_REQUIREMENTS.settings?.(readServerInfo(info)) ?? [];
    expect(findings.map(({ message }) => message)).toEqual(messages.map((one) => expect.stringMatching(one)));
  });

  it('rejects Redis 6.2', () => {
    const info = readServerInfo(INFO.replace('7.0.15', '6.2.14'));
    expect(versionFindings(info)).toEqual([
      { severity: 'error', message: expect.stringMatching(/version 6\.2\.14.*7\.0 or newer/) },
    ]);
  });

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
    return checkServer(redis, COUNTER_REQUIREMENTS, 5000);
  };

  it('finds nothing on a new server, and a wrong or missing password', async () => {
    const server = await createTestRedis();
    stop = server.stop;
    expect(await check(server.url)).toEqual([]);
    await redis?.acl('SETUSER', 'default', '>right');
    redis?.disconnect();
    expect(await check(server.url)).toEqual([
      { severity: 'login', message: expect.stringMatching(/requires a password/) },
    ]);
    redis?.disconnect();
    const wrong = server.url.replace('redis://', 'redis://default:wrong@');
    expect(await check(wrong)).toEqual([
      { severity: 'login', message: expect.stringMatching(/rejected the user or password/) },
    ]);
  });

  it('reports an unavailable server instead of throwing', async () => {
    const server = await createTestRedis();
    await server.stop();
    expect(await check(server.url)).toEqual([
      { severity: 'unavailable', message: expect.stringMatching(/is unavailable/) },
    ]);
  });

  it('warns about a cluster that stops entirely when one shard fails', { tags: 'redis-server' }, async () => {
    const server = await startRealRedis({ extraArgs: ['--cluster-enabled', 'yes'] });
    stop = server.stop;
    expect(await check(server.url)).toEqual([
      { severity: 'warning', message: expect.stringMatching(/cluster-require-full-coverage is yes/) },
    ]);
    await redis?.config('SET', 'cluster-require-full-coverage', 'no');
    redis?.disconnect();
    expect(await check(server.url)).toEqual([]);
  });

  it('warns when CONFIG is not available in a cluster', { tags: 'redis-server' }, async () => {
    const server = await startRealRedis({
      extraArgs: ['--cluster-enabled', 'yes', '--rename-command', 'CONFIG', ''],
    });
    stop = server.stop;
    expect(await check(server.url)).toEqual([
      { severity: 'warning', message: expect.stringMatching(/cluster-require-full-coverage is unchecked/) },
    ]);
  });

  it('names each command that the user of a node lacks', { tags: 'redis-server' }, async () => {
    const server = await startRealRedis();
    stop = server.stop;
    const admin = new Redis(server.url);
    const { commands, channels } = COUNTER_REQUIREMENTS;
    const permitted = ['INFO', 'MULTI', 'DISCARD', ...commands, ...channels.map(() => 'SUBSCRIBE')];
    const unnamed = await findUnnamedRefusals(admin, 'node-counters', permitted, (url) => {
      redis?.disconnect();
      return check(url);
    });
    admin.disconnect();
    expect(unnamed).toEqual([]);
  });
});
