import type { QuotaPeriod } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  itCarriesOver,
  itKeepsTheLaws,
  limitBy,
  refusedFields,
  requests,
  visits,
} from '../../test/algorithm-laws.js';
import { type CompiledQuota, quota } from './quota.js';

const DAY_MS = 86_400_000;

interface Terms {
  nowMs?: number;
  timeZone?: string;
  percent?: number;
}

function policy(limit: number, period: QuotaPeriod, terms: Terms = {}): CompiledQuota {
  const { nowMs = Date.UTC(2020, 3, 21, 10), timeZone = 'UTC', percent } = terms;
  const throttle = percent === undefined ? {} : { throttle: { mode: 'soft' as const, percent } };
  const stored = limitBy({ algorithm: 'quota', limit, period }, throttle);
  const result = quota.compile(stored as Parameters<typeof quota.compile>[0], {
    timeZone,
    billingAnchorDay: 15,
    nowMs,
  });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.policy;
}

const at = (text: string) => Date.parse(text) * 1000;
const count = (used: number, start: string) => ({ count: used, startMs: Date.parse(start) });

describe('quota', () => {
  it('counts per month in the tenant’s time zone and returns its end', () => {
    const p = policy(3, 'month', { nowMs: Date.parse('2026-03-31T12:00Z'), timeZone: 'Europe/Berlin' });
    const first = quota.step(undefined, p, 2, at('2026-03-31T12:00Z'), 0);
    expect(first).toMatchObject({ allowed: true, remaining: 1, state: count(2, '2026-02-28T23:00Z') });
    // The month ends at midnight in Berlin: 22:00 UTC, since clocks changed on the 29th.
    expect(quota.step(first.state, p, 2, at('2026-03-31T21:00Z'), 0)).toMatchObject({
      allowed: false,
      waitUs: 3_600_000_000,
    });
    expect(quota.step(first.state, p, 4, at('2026-03-31T21:00Z'), 0).waitUs).toBe(-1);
  });

  it('starts the next period by the server’s clock, before the node has compiled it', () => {
    const p = policy(3, 'day', { nowMs: Date.parse('2026-03-28T12:00Z'), timeZone: 'Europe/Berlin' });
    const full = count(3, '2026-03-27T23:00Z');
    const next = quota.step(full, p, 1, at('2026-03-28T23:00Z'), 0);
    // The 29th has 23 hours.
    expect(next).toMatchObject({
      allowed: true,
      remaining: 2,
      state: count(1, '2026-03-28T23:00Z'),
      resetAfterUs: 23 * 3_600_000_000,
    });
    const compiledThen = policy(3, 'day', {
      nowMs: Date.parse('2026-03-28T23:00Z'),
      timeZone: 'Europe/Berlin',
    });
    expect(compiledThen.startMs).toBe(p.endMs);
    expect(quota.step(next.state, compiledThen, 1, at('2026-03-29T10:00Z'), 0).remaining).toBe(1);
  });

  it('continues in periods of the same length with an even older policy', () => {
    const p = policy(3, 'day', { nowMs: Date.parse('2026-03-01T12:00Z') });
    const step = quota.step(count(3, '2026-03-09T00:00Z'), p, 1, at('2026-03-10T06:00Z'), 0);
    expect(step).toMatchObject({
      allowed: true,
      state: count(1, '2026-03-10T00:00Z'),
      resetAfterUs: 18 * 3_600_000_000,
    });
  });

  it('uses the server’s period on a node whose clock is ahead', () => {
    const p = policy(3, 'day', { nowMs: Date.parse('2026-03-02T00:00Z') });
    const step = quota.step(count(2, '2026-03-01T00:00Z'), p, 1, at('2026-03-01T23:59:59Z'), 0);
    expect(step).toMatchObject({
      allowed: true,
      remaining: 0,
      state: count(3, '2026-03-01T00:00Z'),
      resetAfterUs: 1_000_000,
    });
  });

  it('keeps the new period’s count until it ends when the clock steps back over the boundary', () => {
    const p = policy(3, 'day', { nowMs: Date.parse('2026-03-01T12:00Z') });
    const step = quota.step(count(3, '2026-03-02T00:00Z'), p, 1, at('2026-03-01T23:59:59Z'), 0);
    expect(step).toMatchObject({ allowed: false, waitUs: DAY_MS * 1000 + 1_000_000 });
  });

  it('ignores a count from beyond the next period, written under a wrong clock', () => {
    const p = policy(3, 'month', { nowMs: Date.parse('2026-03-10T00:00Z') });
    const step = quota.step(count(3, '2031-01-01T00:00Z'), p, 1, at('2026-03-10T00:00Z'), 0);
    expect(step).toMatchObject({ allowed: true, remaining: 2 });
  });

  it('soft 10 % of 100 a day allows 110 and marks the excess', () => {
    const p = policy(100, 'day', { percent: 10 });
    const nowUs = at('2020-04-21T10:00Z');
    expect(quota.step(count(109, '2020-04-21T00:00Z'), p, 1, nowUs, 0)).toMatchObject({
      allowed: true,
      over: true,
      remaining: -10,
    });
    expect(quota.step(count(110, '2020-04-21T00:00Z'), p, 1, nowUs, 0)).toMatchObject({
      allowed: false,
      over: false,
    });
  });

  it('refunds nothing after the period has ended', () => {
    const p = policy(3, 'day');
    const state = count(2, '2020-04-21T00:00Z');
    expect(quota.refund(state, p, 1, at('2020-04-20T23:59Z'), at('2020-04-21T10:00Z'), 0)).toBe(state);
    expect(quota.refund(state, p, 1, at('2020-04-21T00:00Z'), at('2020-04-21T10:00Z'), 0)).toEqual({
      ...state,
      count: 1,
    });
    expect(quota.refund(state, p, 2, at('2020-04-21T00:00Z'), at('2020-04-21T10:00Z'), 0)).toBeUndefined();
  });

  describe('a changed period', () => {
    const nowUs = at('2020-04-21T10:00Z');

    it("day to month: today's usage counts for the month", () => {
      const state = count(2, '2020-04-21T00:00Z');
      const kept = quota.rebase(state, policy(3, 'day'), policy(90, 'month'), 'keep', nowUs);
      expect(kept).toEqual(state);
      expect(quota.step(kept, policy(90, 'month'), 0, nowUs, 0).remaining).toBe(88);
    });

    it("month to day: drops usage, because today's part is unknown", () => {
      const state = count(50, '2020-04-01T00:00Z');
      expect(quota.rebase(state, policy(90, 'month'), policy(3, 'day'), 'keep', nowUs)).toBeUndefined();
    });

    it('a new time zone or billing day does not grant a second quota', () => {
      const tokyo = policy(3, 'day', { timeZone: 'Asia/Tokyo' });
      const havana = policy(3, 'day', { timeZone: 'America/Havana' });
      const used = count(3, '2020-04-20T15:00Z');
      // Midnight in Havana is 13 hours after midnight in Tokyo.
      const kept = quota.rebase(used, tokyo, havana, 'keep', nowUs);
      expect(kept).toEqual(count(3, '2020-04-21T04:00Z'));
      const billing = quota.rebase(
        count(9, '2020-04-01T00:00Z'),
        policy(9, 'month'),
        policy(9, 'billing'),
        'keep',
        nowUs,
      );
      expect(billing).toEqual(count(9, '2020-04-15T00:00Z'));
    });
  });

  it('rejects a queue and an unknown zone', () => {
    const rule = { algorithm: 'quota', limit: 5, period: 'day' } as const;
    expect(refusedFields(quota, rule, { throttle: { mode: 'queue', maxDelayMs: 100 } })).toEqual([
      'throttle.mode',
    ]);
    expect(refusedFields(quota, rule, {}, { timeZone: 'Mars/Olympus' })).toEqual(['timeZone']);
    expect(refusedFields(quota, rule, { consistency: { mode: 'leased', leaseMs: 200 } })).toEqual([]);
  });

  const numbers = fc.record({
    limit: fc.integer({ min: 1, max: 30 }),
    percent: fc.constantFrom(undefined, 100),
    period: fc.constantFrom<QuotaPeriod>('day', 'week', 'month', 'billing'),
    timeZone: fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/Sao_Paulo',
      'Australia/Lord_Howe',
      'Pacific/Apia',
    ),
  });
  const compile = (n: {
    limit: number;
    period: QuotaPeriod;
    timeZone: string;
    percent: number | undefined;
  }) =>
    policy(n.limit, n.period, {
      timeZone: n.timeZone,
      ...(n.percent === undefined ? {} : { percent: n.percent }),
    });
  const policies = numbers.map(compile);
  // Stretches minutes to days, so that requests cross the ends of periods.
  const days = requests.map((asked) => asked.map((request) => ({ ...request, gapUs: request.gapUs * 500 })));

  it('never admits more than the limit and its extra in a period', () => {
    fc.assert(
      fc.property(policies, days, (p, asked) => {
        const admitted = new Map<number, number>();
        for (const { step, cost, nowUs } of visits(quota, p, asked)) {
          if (!step.allowed || cost === 0) continue;
          const endUs = nowUs + step.resetAfterUs;
          admitted.set(endUs, (admitted.get(endUs) ?? 0) + cost);
        }
        for (const units of admitted.values()) expect(units).toBeLessThanOrEqual(p.capacity + p.extra);
      }),
      { numRuns: 300 },
    );
  });

  itKeepsTheLaws(quota, policies);
  itCarriesOver(
    quota,
    fc
      .tuple(numbers, numbers)
      .map(([a, b]) => [compile(a), compile({ ...a, limit: b.limit, percent: b.percent })] as const),
    () => Number.POSITIVE_INFINITY,
    true,
  );
});
