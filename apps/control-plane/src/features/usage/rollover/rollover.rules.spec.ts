import type { Adjustment, LimitPolicy } from '@tollgate/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lastingLimit, settle } from './rollover.rules.js';

it.each([
  ['nothing used', 0, 0, { unused: 1000, granted: 500 }],
  ['a part', 0, 700, { unused: 300, granted: 300 }],
  ['everything', 0, 1000, { unused: 0, granted: 0 }],
  ['more, by a top-up', 0, 1400, { unused: 0, granted: 0 }],
  ['rolled over units first', 500, 400, { unused: 1000, granted: 500 }],
  ['rolled over units, then the limit', 500, 1200, { unused: 300, granted: 300 }],
])('settles a quota of 1,000 that rolls over 50 %%: %s', (_title, rolledOver, used, settled) => {
  expect(settle(1000, 50, rolledOver, used)).toEqual(settled);
});

it('counts a warm-up, which the tenant could not use, but no top-up and boost', () => {
  const common = { name: 'monthly', api: 'shop', operations: [], per: [], onUnavailable: 'share' as const };
  const quota: LimitPolicy = { ...common, algorithm: 'quota', period: 'month', limit: 1000 };
  const doubled = { kind: 'multiply' as const, percent: 200 };
  const inForce: Adjustment[] = [
    { id: 'a', source: 'warm_up', effect: { kind: 'multiply', percent: 40 } },
    { id: 'b', source: 'upgrade', effect: { kind: 'add', units: 50 } },
    { id: 'c', source: 'topup', effect: doubled },
    { id: 'd', source: 'boost', effect: doubled },
  ];
  expect(lastingLimit(quota, inForce)).toBe(450);
});

it('never adds up over several periods', () => {
  const usage = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 24 });
  const limits = fc.integer({ min: 1, max: 10 ** 12 });
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 100 }), usage, (limit, percent, shares) => {
      let [rolledOver, total] = [0, 0];
      for (const [i, share] of shares.entries()) {
        const used = Math.floor(share * (limit + rolledOver));
        total += used;
        rolledOver = settle(limit, percent, rolledOver, used).granted;
        expect(rolledOver).toBeLessThanOrEqual((limit * percent) / 100);
        expect(total + rolledOver).toBeLessThanOrEqual((i + 1) * limit);
      }
    }),
  );
});
