import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { gcraLimit, limitOf, windowLimit } from '../../test/limits.js';
import type { Charge } from './charge-log.js';
import { LimitHistory } from './limit-history.js';

const TEN = windowLimit({ limit: 10 });
const FIVE = windowLimit({ limit: 5 });

function history(revisions: Record<number, LimitPolicy[]>): LimitHistory {
  const limits = new LimitHistory();
  for (const [revision, policies] of Object.entries(revisions)) {
    limits.add({
      tenant: 'northwind',
      api: 'website',
      revision: Number(revision),
      limits: policies.map((policy) => ({ policy, summary: '' })),
    });
  }
  return limits;
}

function charge(revision: number, limitMax: number, limit = 'client-minute'): Charge {
  const windowMs = 60_000;
  return {
    limit,
    client: 'a',
    revision,
    limitMax,
    windowMs,
    cost: 1,
    sentMs: 0,
    receivedMs: 1,
    resetMs: windowMs,
  };
}

describe('limit history', () => {
  it('finds the limit of the revision', () => {
    const limits = history({ 1: [TEN], 3: [FIVE] });
    expect(limits.find(charge(1, 10))).toBe(TEN);
    expect(limits.find(charge(3, 5))).toBe(FIVE);
    expect(limits.find(charge(3, 5, 'another'))).toBeUndefined();
  });

  it('finds the limit of a revision that could not be read from the one before or after that agrees', () => {
    const limits = history({ 1: [TEN], 5: [FIVE] });
    expect(limits.find(charge(2, 10))).toBe(TEN);
    expect(limits.find(charge(4, 5))).toBe(FIVE);
    expect(limits.find(charge(6, 5))).toBe(FIVE);
    expect(limits.find(charge(3, 7))).toBeUndefined();
  });

  it('believes the answer where a node acted on a new tier a moment before its revision', () => {
    const limits = history({ 1: [TEN], 2: [FIVE] });
    expect(limits.find(charge(1, 5))).toBe(FIVE);
    expect(limits.find(charge(2, 10))).toBe(TEN);
  });

  it('asks for no window where the limit has none', () => {
    const quota = limitOf('quota', { limit: 10 });
    expect(history({ 1: [quota] }).find(charge(1, 10, quota.name))).toBe(quota);
  });

  it('says that it does not know where the neighbours differ in what the answer does not tell', () => {
    const limits = history({ 1: [gcraLimit({ burst: 5 })], 3: [gcraLimit({ burst: 9 })] });
    expect(limits.find(charge(2, 60, 'client-rate'))).toBeUndefined();
  });
});
