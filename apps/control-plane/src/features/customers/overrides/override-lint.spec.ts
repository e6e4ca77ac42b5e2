import type { Adjustment, LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { findOverrideProblem, type TenantLimits } from './override-lint.js';

const NOW = new Date('2030-01-01T00:00:00Z');
const policy: LimitPolicy = {
  name: 'per-minute',
  api: 'shop',
  operations: [],
  per: [],
  algorithm: 'fixed_window',
  limit: 10,
  windowMs: 60_000,
  alignment: 'clock',
  onUnavailable: 'share',
};
const set = (limit: number, more: Partial<Adjustment> = {}): Adjustment => ({
  id: 'a',
  source: 'override',
  api: 'shop',
  limit: 'per-minute',
  effect: { kind: 'set', limit },
  ...more,
});
const limits = (inForce: Adjustment[] = [], ordered: object[] = []) =>
  ({ stored: [{ policy }], inForce, adjustments: new Map(), ordered }) as unknown as TenantLimits;
const codeOf = (adjustment: Adjustment, known?: ReturnType<typeof limits>, endsAt: Date | null = null) =>
  findOverrideProblem({ adjustment, endsAt }, known, NOW)?.code;

describe('findOverrideProblem', () => {
  it.each([
    ['nothing for an override that changes a limit', set(20), limits(), undefined],
    ['nothing for an override that is already in force', set(20), limits([set(20)]), undefined],
    ['an override for an API without limits', set(20, { api: 'mail' }), limits(), 'NEVER_APPLIES'],
    [
      'an override for a limit that is not in the tier',
      set(20, { limit: 'per-day' }),
      limits(),
      'NEVER_APPLIES',
    ],
    [
      'a quota override for an API with only rate limits',
      { ...set(20), limit: undefined, appliesTo: 'quota', effect: { kind: 'add', units: 5 } } as Adjustment,
      limits(),
      'NEVER_APPLIES',
    ],
    ['an override equal to the current limit', set(10), limits(), 'CHANGES_NOTHING'],
    [
      'an override lower than another one in force',
      set(20),
      limits([set(30, { id: 'b' })]),
      'CHANGES_NOTHING',
    ],
    [
      'an override that hides an upgrade',
      set(20),
      limits([{ ...set(30, { id: 'up' }), source: 'upgrade' }]),
      'HIDES_PURCHASE',
    ],
    [
      'an override that hides an ordered upgrade',
      set(20),
      limits([], [{ ...set(30, { id: 'order' }), source: 'upgrade', label: 'More' }]),
      'HIDES_PURCHASE',
    ],
    ['nothing if the limits are unknown', set(20, { api: 'mail' }), undefined, undefined],
  ])('reports %s', (_, adjustment, known, code) => {
    expect(codeOf(adjustment, known)).toBe(code);
  });

  it('reports an override from the moment at which it ends', () => {
    expect(codeOf(set(20), limits(), NOW)).toBe('EXPIRED');
    expect(codeOf(set(20), limits(), new Date(NOW.getTime() + 1))).toBeUndefined();
  });
});
