import type { LimitAnswer, LimitResult } from '@tollgate/contracts/answers';
import { expect, it } from 'vitest';
import { LocalLimiter } from './fallback.js';

const request = { tenant: 'acme', api: 'shop', operation: 'checkout', subject: { user: 'u1' } };

function answer(remaining: number, over: Partial<LimitResult> = {}): LimitAnswer {
  const policy = {
    name: 'minute',
    limit: 6,
    remaining,
    reset: 0,
    window: 60,
    mode: 'enforce',
    success: true,
  };
  return { degraded: false, policies: [{ ...policy, ...over }] } as unknown as LimitAnswer;
}

function limiterAt(startMs = 1_000_000) {
  const clock = { nowMs: startMs };
  return { clock, limiter: new LocalLimiter(() => clock.nowMs) };
}

it('starts with the last remaining quota, denies beyond it and refills at the limit per window', () => {
  const { clock, limiter } = limiterAt();
  limiter.learn(request, answer(2));
  const spent = [limiter.decide(request), limiter.decide(request), limiter.decide(request)];
  expect(spent.map(({ success, remaining }) => [success, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ]);
  // 6 a minute is one in ten seconds.
  expect(spent[2]).toMatchObject({ policy: 'minute', limit: 6, retryAfter: 10 });
  clock.nowMs += 9_999;
  expect(limiter.decide(request).success).toBe(false);
  clock.nowMs += 1;
  expect(limiter.decide(request).success).toBe(true);
  clock.nowMs += 3_600_000;
  expect(limiter.decide({ ...request, cost: 7 }).success).toBe(false);
  expect(limiter.decide({ ...request, cost: 6 }).success).toBe(true);
});

it('allows a request only if every limit has room, and charges nothing on a denial', () => {
  const { limiter } = limiterAt();
  const both = answer(5);
  both.policies.push({ ...both.policies[0], name: 'day', limit: 100, remaining: 1 } as LimitResult);
  limiter.learn(request, both);
  expect(limiter.decide({ ...request, cost: 2 })).toMatchObject({ success: false, policy: 'day' });
  expect(limiter.decide(request)).toMatchObject({ success: true, policy: 'day', remaining: 0 });
});

it('starts a new subject of a known operation at the full limit, with its own count', () => {
  const { limiter } = limiterAt();
  limiter.learn(request, answer(0));
  const other = { ...request, subject: { user: 'u2' } };
  expect(limiter.decide(other)).toMatchObject({ success: true, remaining: 5 });
  expect(limiter.decide(request).success).toBe(false);
});

it('allows operations without known limits', () => {
  const { limiter } = limiterAt();
  expect(limiter.decide(request)).toEqual({ success: true });
});

it('does not learn from shadow limits or degraded answers', () => {
  const { limiter } = limiterAt();
  limiter.learn(request, answer(0, { mode: 'shadow' }));
  expect(limiter.decide(request).success).toBe(true);
  limiter.learn(request, { ...answer(0), degraded: true });
  expect(limiter.decide(request).success).toBe(true);
});

it('peek charges nothing', () => {
  const { limiter } = limiterAt();
  limiter.learn(request, answer(1));
  for (let i = 0; i < 3; i++) expect(limiter.decide(request, true).success).toBe(true);
});

it('the order in which a subject is written makes no difference', () => {
  const { limiter } = limiterAt();
  limiter.learn({ ...request, subject: { a: '1', b: '2' } }, answer(0));
  expect(limiter.decide({ ...request, subject: { b: '2', a: '1' } }).success).toBe(false);
});

it('bounds memory by dropping the least recently used entry', () => {
  const { limiter } = limiterAt();
  for (let i = 0; i < 10_001; i++) limiter.learn({ ...request, subject: { user: `u${i}` } }, answer(0));
  expect(limiter.decide({ ...request, subject: { user: 'u1' } }).success).toBe(false);
  expect(limiter.decide({ ...request, subject: { user: 'u0' } })).toMatchObject({
    success: true,
    remaining: 5,
  });
});
