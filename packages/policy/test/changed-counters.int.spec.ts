import type { LimitPolicy } from '@tollgate/contracts';
import { type CompileContext } from '@tollgate/limiter/algorithms';
import { compileLimit } from '@tollgate/limiter/rules';
import { MemoryStore } from '@tollgate/limiter/stores';
import { createTestRedis } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendBatch } from '../../limiter/test/parts.js';
import { policiesOf, STATE_KINDS, WINDOWS_MS } from '../../limiter/test/policy-arbitraries.js';
import { START_MS } from '../../limiter/test/script-clock.js';
import { limitChangeOf } from '../src/subject-rules.js';

const RUNS = 40;

let server: Awaited<ReturnType<typeof createTestRedis>>;
let redis: Redis;
let run = 0;

beforeAll(async () => {
  server = await createTestRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

const cost = fc.oneof(fc.nat(4), fc.constantFrom(1, 1, 1, 255, 256, 510, 1000, 1_000_000_000));

function compiledAt(stored: LimitPolicy, context: CompileContext) {
  const result = compileLimit(stored, {}, context);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.limit.policy;
}

it('model and script agree on a counter whose limit a subject rule changes and changes back', async () => {
  const step = fc.record({
    moveUs: fc.oneof(fc.constantFrom(0, ...WINDOWS_MS.map((ms) => ms * 1000)), fc.nat(2_000_000)),
    isChanged: fc.boolean(),
    cost,
    peek: fc.boolean(),
  });
  const kinds = STATE_KINDS.filter((kind) => kind !== 'packed_window');
  const limit = fc.constantFrom(...kinds).chain((kind) => policiesOf(kind));
  const effect = fc.oneof(
    fc.record({ kind: fc.constant('set' as const), limit: fc.integer({ min: 1, max: 1000 }) }),
    fc.record({ kind: fc.constant('multiply' as const), percent: fc.integer({ min: 1, max: 1000 }) }),
  );
  const steps = fc.array(step, { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(limit, effect, steps, async (stored, of, moves) => {
      let nowUs = START_MS * 1000;
      const key = `{run-${run++}}:1`;
      const model = new MemoryStore({ clockUs: () => nowUs });
      const context = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: START_MS };
      const base = compiledAt(stored, context);
      const changed = compiledAt(limitChangeOf('sru_1', of)?.apply(stored) ?? stored, context);
      for (const { moveUs, isChanged, cost: units, peek } of moves) {
        nowUs += moveUs;
        const check = { key, policy: isChanged ? changed : base, cost: units };
        const request = { checks: [check], peek };
        const expected = [model.chargeNow(request)];
        expect(await sendBatch(redis, [request], { nowUs })).toEqual(expected);
      }
    }),
    { numRuns: RUNS, endOnFailure: false },
  );
});
