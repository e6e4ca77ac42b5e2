import { compileLimit, counterKey } from '@tollgate/limiter/rules';
import { RedisStore } from '@tollgate/limiter/stores';
import { createTestRedis, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTollgate } from './run-tollgate.js';

const limit = compileLimit({
  name: 'per-minute',
  api: 'maps',
  operations: [],
  per: ['user'],
  onUnavailable: 'share',
  algorithm: 'fixed_window',
  limit: 100,
  windowMs: 3_600_000,
  alignment: 'clock',
});
if (!limit.ok) throw new Error(JSON.stringify(limit.errors));
const { keyStem, policy } = limit.limit;
const KEY = counterKey('acme', keyStem, ['=u1']);

let redis: Awaited<ReturnType<typeof createTestRedis>>;

beforeAll(async () => {
  redis = await createTestRedis();
  const store = new RedisStore({ url: redis.url, deadlineMs: 5000 });
  await store.connected(WAIT_LIMIT_MS);
  await store.charge({ checks: [{ key: KEY, policy, cost: 12 }], peek: false });
  await store.close();
});
afterAll(() => redis?.stop());

function inspect(...args: string[]) {
  return startTollgate(['counters', 'inspect', ...args], { REDIS_COUNTERS_URL: redis.url }).finished;
}

const LIMIT = ['--tenant', 'acme', '--api', 'maps', '--limit', 'per-minute'];

describe('tollgate counters inspect', () => {
  it('shows a key with its units', async () => {
    const { exitCode, stdout } = await inspect(KEY);
    expect(stdout).toMatch(/^\{acme\}:f1:maps:per-minute=u1\n {2}kind +counter\n {2}tenant +acme\n/);
    expect(stdout).toMatch(/\n {2}used +12 units\n/);
    expect(exitCode).toBe(0);
  });

  it('shows the counter of a value as JSON', async () => {
    const { exitCode, stdout } = await inspect(...LIMIT, '--value', 'user=u1', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ key: KEY, value: { usedUnits: 12, policyId: 0 } }]);
    expect(exitCode).toBe(0);
  });

  it('exits with 1 if there is no such key', async () => {
    const { exitCode, stdout, stderr } = await inspect(...LIMIT, '--value', 'user=u2');
    expect(stderr).toBe('No such key: the counter is unused, or its usage has expired.\n');
    expect([exitCode, stdout]).toEqual([1, '']);
  });

  it.each([
    ['a key of another kind', ['tg:usage'], '"tg:usage" is not a key of a counter, receipt, pool'],
    ['a value that is no address', [...LIMIT, '--value', 'ip=x'], 'ip: "x" is not an IP address'],
  ])('explains %s, and exits with 2', async (_name, args, message) => {
    const { exitCode, stdout, stderr } = await inspect(...args);
    expect(stderr).toContain(message);
    expect([exitCode, stdout]).toEqual([2, '']);
  });
});
