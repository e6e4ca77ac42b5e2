import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { defaultLimitsThen, type OriginalLimit } from './revisions.rules.js';

const limit = (origin: OriginalLimit['origin'], name: string, units = 10, apiId = 'shop'): OriginalLimit => ({
  apiId,
  origin,
  policy: { name, limit: units } as LimitPolicy,
});
const told = (limits: OriginalLimit[] | null) => limits?.map(({ policy }) => [policy.name, policy.limit]);

describe('defaultLimitsThen', () => {
  it('infers deleted default limits from any tier that has them', () => {
    const versions = [
      [limit('TIER', 'a'), limit('DEFAULT', 'b')],
      [limit('DEFAULT', 'a', 7), limit('TIER', 'b')],
    ];
    expect(told(defaultLimitsThen('shop', versions, []))?.sort()).toEqual([
      ['a', 7],
      ['b', 10],
    ]);
  });

  it('removes later default limits and restores changed ones', () => {
    const now = [limit('DEFAULT', 'a', 1), limit('DEFAULT', 'late')];
    expect(told(defaultLimitsThen('shop', [[limit('DEFAULT', 'a', 7)], []], now))).toEqual([['a', 7]]);
  });

  it('keeps default limits that every tier replaced', () => {
    const now = [limit('DEFAULT', 'a', 1), limit('DEFAULT', 'b', 1)];
    const versions = [[limit('TIER', 'a'), limit('DEFAULT', 'b', 2)], [limit('TIER', 'a')]];
    expect(told(defaultLimitsThen('shop', versions, now))?.sort()).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('is null without differences, for another API, and without versions', () => {
    const now = [limit('DEFAULT', 'b'), limit('DEFAULT', 'a')];
    const versions = [[limit('DEFAULT', 'a'), limit('DEFAULT', 'b'), limit('DEFAULT', 'c', 1, 'mail')]];
    expect(defaultLimitsThen('shop', versions, now)).toBeNull();
    expect(defaultLimitsThen('shop', [], now)).toBeNull();
  });
});
