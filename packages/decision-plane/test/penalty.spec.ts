import type { LimitPolicy } from '@tollgate/contracts';
import { FakeClock } from '@tollgate/limiter/testing';
import { describe, expect, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { TestPlane } from '../src/testing/test-plane.js';

const call = { tenant: 'acme', api: 'shop', operation: 'buy', subject: { user: 'u1' } };

/** Two requests a second per user; three denials within ten seconds block for a minute, then two, four, five at most. */
const limit = policyBy(
  { algorithm: 'fixed_window', limit: 2, windowMs: 1000, alignment: 'first_request' },
  {
    name: 'buys',
    api: 'shop',
    per: ['user'],
    penalty: { denials: 3, windowMs: 10_000, blockMs: 60_000, maxBlockMs: 300_000 },
  },
);

function shop(...limits: LimitPolicy[]): TestPlane {
  return new TestPlane({
    limits: [limit, ...limits],
    clock: new FakeClock(Date.UTC(2026, 10, 24)),
    keysPerTenant: 3,
  });
}

/** Sends requests until the penalty blocks; returns the answer of the last one. */
async function untilBlocked(plane: TestPlane, request = call) {
  for (let i = 0; i < 10; i++) {
    const answer = await plane.limit(request);
    if (answer.reason === 'PENALTY') return { ...answer, requests: i + 1 };
  }
  throw new Error('not blocked');
}

describe('a limit with a penalty', () => {
  it('blocks with its third denial, until the end of the block', async () => {
    const plane = shop();
    expect(await untilBlocked(plane)).toMatchObject({
      requests: 5,
      success: false,
      policy: 'buys',
      retryAfter: 60,
    });
    plane.clock.advanceMs(59_999);
    expect(await plane.limit(call)).toMatchObject({ success: false, reason: 'PENALTY', retryAfter: 1 });
    expect(await plane.limit(call)).toMatchObject({ remaining: 0 });
    plane.clock.advanceMs(1);
    expect(await plane.limit(call)).toMatchObject({ success: true, remaining: 1 });
  });

  it('doubles each further block up to the longest, and starts again after as long without one', async () => {
    const plane = shop();
    const lengths: number[] = [];
    for (let i = 0; i < 5; i++) {
      const { retryAfter } = await untilBlocked(plane);
      lengths.push(retryAfter ?? 0);
      plane.clock.advanceMs((retryAfter ?? 0) * 1000);
    }
    expect(lengths).toEqual([60, 120, 240, 300, 300]);
    plane.clock.advanceMs(299_999);
    expect(await untilBlocked(plane)).toMatchObject({ retryAfter: 300 });
    plane.clock.advanceMs(600_000);
    expect(await untilBlocked(plane)).toMatchObject({ retryAfter: 60 });
  });

  it('counts no denials of an earlier window, of a peek or of another limit', async () => {
    const plane = shop(
      policyBy(
        { algorithm: 'fixed_window', limit: 1, windowMs: 3_600_000, alignment: 'first_request' },
        { name: 'sales', api: 'shop', operations: ['sell'], per: ['user'] },
      ),
    );
    const sell = { ...call, operation: 'sell' };
    for (let i = 0; i < 9; i++) await plane.limit(sell);
    plane.clock.advanceMs(1000);
    for (let i = 0; i < 4; i++) await plane.limit(call);
    for (let i = 0; i < 9; i++) expect((await plane.peek(call)).reason).toBe('RATE_EXCEEDED');
    plane.clock.advanceMs(10_000);
    expect(await untilBlocked(plane)).toMatchObject({ requests: 5 });
    expect(await plane.peek(call)).toMatchObject({ success: false, reason: 'PENALTY', retryAfter: 60 });
  });

  it('charges nothing during a block, and denies only this subject', async () => {
    const plane = shop();
    await untilBlocked(plane);
    plane.clock.advanceMs(2000);
    expect(await plane.limit(call)).toMatchObject({ reason: 'PENALTY', used: 0 });
    expect(await plane.limit({ ...call, subject: { user: 'u2' } })).toMatchObject({ success: true });
  });

  it('counts denials for failures, but none because attempts are in flight', async () => {
    const logins = { ...limit, limit: 3, charge: 'on_failure' as const };
    const clock = new FakeClock(Date.UTC(2026, 10, 24));
    const plane = new TestPlane({ limits: [logins], clock });
    const attempt = async (count: number) =>
      await Promise.all(
        Array.from({ length: count }, (_, i) => plane.limit({ ...call, requestId: `${clock.nowMs()}-${i}` })),
      );
    const reasonsOf = (answers: readonly { reason: string }[]) => answers.map(({ reason }) => reason);
    const parallel = await attempt(8);
    expect(reasonsOf(parallel)).toEqual([
      ...Array<string>(3).fill('WITHIN_LIMIT'),
      ...Array<string>(5).fill('ATTEMPTS_IN_FLIGHT'),
    ]);
    for (const { requestId } of parallel.slice(0, 3))
      await plane.reportOutcome({ tenant: 'acme', requestId, outcome: 'success' });
    clock.advanceMs(1);
    const failing = await attempt(3);
    expect(reasonsOf(failing)).toEqual(Array<string>(3).fill('WITHIN_LIMIT'));
    for (const { requestId } of failing)
      await plane.reportOutcome({ tenant: 'acme', requestId, outcome: 'failure' });
    clock.advanceMs(1);
    expect(reasonsOf(await attempt(3))).toEqual(['RATE_EXCEEDED', 'RATE_EXCEEDED', 'PENALTY']);
  });

  it('ends with a reset of its counter', async () => {
    const plane = shop();
    await untilBlocked(plane);
    await plane.reset({ ...call, limit: 'buys' });
    expect(await untilBlocked(plane)).toMatchObject({ requests: 5, retryAfter: 60 });
  });

  it('reports in shadow mode how it would deny', async () => {
    const plane = new TestPlane({ limits: [{ ...limit, enforcement: { mode: 'shadow' } }] });
    for (let i = 0; i < 5; i++) expect(await plane.limit(call)).toMatchObject({ success: true });
    plane.clock.advanceMs(2000);
    const { reason, policies } = await plane.limit(call);
    expect(reason).toBe('SHADOW');
    expect(policies).toMatchObject([{ name: 'buys', success: false, mode: 'shadow' }]);
  });

  it('blocks nobody for denials of callers that share a counter beyond the key budget', async () => {
    const plane = shop();
    for (const user of ['a', 'b', 'c']) await plane.limit({ ...call, subject: { user } });
    const late = { ...call, subject: { user: 'd' } };
    for (let i = 0; i < 9; i++) expect((await plane.limit(late)).reason).not.toBe('PENALTY');
  });
});
