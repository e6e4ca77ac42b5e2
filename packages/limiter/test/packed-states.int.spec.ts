import type { Rule } from '@tollgate/contracts';
import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { algorithmOf, kindOf } from '../src/algorithms/index.js';
import { sendBatch } from '../src/scripts/decide.js';
import { compiled, policyBy } from './policies.js';
import { START_MS } from './script-clock.js';

const T0_US = START_MS * 1000;

const LOG: Rule = { algorithm: 'sliding_window_log', limit: 10_000, windowMs: 60_000 };
const COUNTER: Rule = { algorithm: 'sliding_window_counter', limit: 2 ** 52, windowMs: 60_000, buckets: 6 };
const ESTIMATE: Rule = { algorithm: 'sliding_window_counter', limit: 2 ** 37, windowMs: 60_000, buckets: 1 };

describe('model and script store the same bytes at byte boundaries', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  it.each([
    ['log', LOG, 10, [254, 1, 1, 255, 255, 510, 511]],
    ['log', LOG, 10, [255, 510, 765, 256, 4000]],
    ['counter', COUNTER, 10, [255, 1, 65_279, 1, 2 ** 24 - 65_536, 2 ** 32 - 2 ** 24, 2 ** 40, 2 ** 48]],
    ['counter', COUNTER, 10, [256, 65_280, 1, 2 ** 52 - 65_537]],
    ['counter', COUNTER, 30, [1, 1, 2, 2, 256, 1, 3, 3]],
    ['estimate', ESTIMATE, 10, [2 ** 31 - 1, 1, 2 ** 32, 2 ** 36]],
  ] as const)('%s, sequence %#', async (name, rule, gapS, costs) => {
    const { policy } = compiled(policyBy(rule));
    const model = algorithmOf(kindOf(rule));
    const key = `{${name}}:${gapS}:${costs.join()}`;
    let state: unknown;
    // In pairs with a gap of `gapS` seconds, until the first ones have expired: some with empty sub-windows in between.
    for (const [i, cost] of [...costs, ...costs, ...costs].entries()) {
      const nowUs = T0_US + Math.floor(i / 2) * gapS * 1_000_000;
      const step = model.step(state, policy, cost, nowUs, 0);
      state = step.state;
      const [decided] = await sendBatch(redis, [{ checks: [{ key, policy, cost }], peek: false }], {
        nowUs,
      });
      const { allowed, remaining, waitUs } = step;
      expect(decided).toMatchObject({ checks: [{ allowed, remaining, waitUs }] });
      const text = await redis.getBuffer(key);
      expect(model.decode(text?.toString('latin1').slice(0, -3) ?? '')).toEqual(state);
    }
  });
});
