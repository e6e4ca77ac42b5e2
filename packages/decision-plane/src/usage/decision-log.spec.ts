import type { LimitAnswer, LimitResult } from '@tollgate/contracts';
import { seededRandom } from '@tollgate/test-kit/random';
import { describe, expect, it } from 'vitest';
import { uncountedAnswer } from '../decide/limit-answer.js';
import { DecisionLog, type DecisionLogParts, Reservoir } from './decision-log.js';
import { UsageRows } from './usage-aggregator.js';

function offer(reservoir: Reservoir<number>, count: number): void {
  for (let i = 0; i < count; i++) if (reservoir.wants()) reservoir.put(i);
}

describe('Reservoir', () => {
  it('keeps all items up to its size, in order, and is empty after `take`', () => {
    const reservoir = new Reservoir<number>(5);
    offer(reservoir, 5);
    expect(reservoir.take()).toEqual([0, 1, 2, 3, 4]);
    offer(reservoir, 2);
    expect(reservoir.take()).toEqual([0, 1]);
    expect(reservoir.take()).toEqual([]);
  });

  it('keeps nothing with size 0', () => {
    const reservoir = new Reservoir<number>(0);
    offer(reservoir, 100);
    expect(reservoir.take()).toEqual([]);
  });

  it('keeps every item of a longer stream with the same probability', () => {
    const reservoir = new Reservoir<number>(10, seededRandom(7));
    const kept = Array.from({ length: 100 }, () => 0);
    for (let round = 0; round < 5000; round++) {
      offer(reservoir, 100);
      const sample = reservoir.take();
      expect(new Set(sample).size).toBe(10);
      for (const i of sample) kept[i] = (kept[i] ?? 0) + 1;
    }
    // 500 each are expected; the standard deviation is sqrt(5000 × 0.1 × 0.9) = 21.2, and five of them are 106.
    for (const count of kept) expect(Math.abs(count - 500)).toBeLessThan(106);
  });

  it('puts only few items of a long stream', () => {
    const reservoir = new Reservoir<number>(50, seededRandom(11));
    let puts = 0;
    for (let i = 0; i < 1_000_000; i++) {
      if (!reservoir.wants()) continue;
      puts++;
      reservoir.put(i);
    }
    // 50 × (1 + ln(1,000,000 ÷ 50)) = 545 are expected.
    expect(puts).toBeGreaterThan(400);
    expect(puts).toBeLessThan(700);
  });
});

describe('candidates in DecisionLog', () => {
  const request = { tenant: 'acme', api: 'shop', operation: 'buy' };
  const result = (name: string, mode: LimitResult['mode'], success: boolean): LimitResult => ({
    ...{ name, mode, success },
    ...{ limit: 1, remaining: 0, reset: 0, window: 60 },
  });

  function countedRows(policies: LimitResult[], more: Partial<LimitAnswer> = {}) {
    const rows = new UsageRows();
    const usage = { tally: rows.tally.bind(rows), addCrossings: () => {} };
    const log = new DecisionLog({ usage } as unknown as DecisionLogParts);
    const answer = uncountedAnswer(
      { success: true, reason: 'WITHIN_LIMIT', cost: 3 },
      { revision: 1, requestId: 'r' },
    );
    const slot = { tallied: undefined, tally: undefined };
    log.count(request, { ...answer, policy: 'day', policies, ...more }, 60_000_000, slot, 0);
    return rows.take();
  }

  it('count by the outcome of their own limit, although another one decided', () => {
    const rows = countedRows([
      result('day', 'enforce', true),
      result('minute', 'enforce', true),
      result('minute', 'candidate', false),
      result('hour', 'shadow', false),
      result('hour', 'candidate', true),
    ]);
    const names = { ...request, minute: 1 };
    expect(rows).toEqual([
      { ...names, limit: 'day', outcome: 'allowed', count: 1, units: 3 },
      {
        ...{ ...names, limit: 'minute', outcome: 'allowed', count: 0, units: 0 },
        ...{ candidateCount: 1, candidateDenied: 1, candidateDeniedUnits: 3 },
      },
      { ...names, limit: 'hour', outcome: 'shadow_denied', count: 0, units: 0, candidateCount: 1 },
    ]);
  });

  it('do not count in degraded decisions', () => {
    const policies = [result('day', 'enforce', true), result('day', 'candidate', false)];
    expect(countedRows(policies, { degraded: true })).toMatchObject([
      { outcome: 'degraded_allowed', count: 1 },
    ]);
    expect(countedRows(policies, { degraded: true })[0]).not.toHaveProperty('candidateCount');
  });
});
