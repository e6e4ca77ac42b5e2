import { readFileSync } from 'node:fs';
import { startRealRedis } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { create } from './outage-node.js';
import { fixedWindowPolicy } from './policies.js';
import { RedisNodes } from './redis-nodes.js';

const usual = fixedWindowPolicy({ name: 'usual', operations: ['createURL'] });
const patient = fixedWindowPolicy({ name: 'patient', operations: ['getURL'], deadlineMs: 1000 });
const both = [usual, patient].map((limit) => ({
  ...limit,
  name: `${limit.name}-together`,
  operations: ['deleteURL'],
}));
const shadow = [
  fixedWindowPolicy({ name: 'enforced', operations: ['listURLs'] }),
  fixedWindowPolicy({
    name: 'shadow',
    operations: ['listURLs'],
    deadlineMs: 1000,
    enforcement: { mode: 'shadow' },
  }),
];

describe("Redis freezes for less than a limit's deadlineMs", () => {
  let redis: Awaited<ReturnType<typeof startRealRedis>>;
  let nodes: RedisNodes;

  beforeAll(async () => {
    redis = await startRealRedis();
    nodes = await RedisNodes.start(redis.url, 1, [usual, patient, ...both, ...shadow]);
  });
  afterAll(async () => {
    await nodes?.close();
    await redis?.stop();
  });

  const ask = async (operation: string) => {
    const answer = await nodes.engines[0]?.limit({ ...create, operation });
    return answer?.degraded;
  };

  it('degrades requests with the default deadline, and decides those of the patient limit in Redis', async () => {
    const operations = ['createURL', 'getURL', 'deleteURL', 'listURLs'];
    // On a busy machine, the first calls can miss the default deadline.
    for (const operation of operations)
      await vi.waitFor(async () => expect(await ask(operation)).toBe(false), { timeout: 120_000 });
    redis.kill('SIGSTOP');
    await vi.waitUntil(() => readFileSync(`/proc/${redis.pid}/stat`, 'utf8').includes(') T '), {
      timeout: 120_000,
      interval: 1,
    });
    // First, so that it is in flight before the default lane is suspended; and again afterwards.
    const waiting = [ask('getURL'), ask('deleteURL')];
    expect(await Promise.all([ask('createURL'), ask('listURLs')])).toEqual([true, true]);
    waiting.push(ask('getURL'));
    redis.kill('SIGCONT');
    expect(await Promise.all(waiting)).toEqual([false, false, false]);
  });
});
