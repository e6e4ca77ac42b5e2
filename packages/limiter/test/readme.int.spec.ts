import { codeBlocksOf, createTestRedis, runExample } from '@tollgate/test-kit';
import { expect, it, vi } from 'vitest';
import { defineLimit, Limiter, type LimiterOptions } from '../src/limiter.js';

const [firstCharge = '', reservation = ''] = codeBlocksOf(new URL('../README.md', import.meta.url), 'ts');

it('the examples of the README print what they promise', async () => {
  const server = await createTestRedis();
  const limiters: Limiter[] = [];
  class PatientLimiter extends Limiter {
    constructor(options: LimiterOptions) {
      super({ ...options, deadlineMs: 5000 });
      limiters.push(this);
    }
  }
  const PACKAGES = { '@tollgate/limiter': { defineLimit, Limiter: PatientLimiter } };
  vi.stubEnv('REDIS_URL', server.url);
  const first = await runExample(firstCharge, PACKAGES);
  expect(first.promised).toHaveLength(1);
  expect(first.logged).toEqual(first.promised);

  const second = await runExample(reservation, PACKAGES, { limiter: limiters[0] });
  expect(second.promised).toHaveLength(1);
  expect(second.logged).toEqual(second.promised);
  await limiters[0]?.close();
  await server.stop();
});
