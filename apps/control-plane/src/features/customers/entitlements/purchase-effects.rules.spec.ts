import type { Adjustment, LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { findHiddenPurchases, findPurchaseEffects } from './purchase-effects.rules.js';

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
const UNTIL = new Date('2030-02-01T00:00:00Z');
const set = (source: Adjustment['source'], limit: number): Adjustment => ({
  id: `${source}-${limit}`,
  source,
  api: 'shop',
  limit: 'per-minute',
  effect: { kind: 'set', limit },
});
const upgrade: Adjustment = { id: 'up', source: 'upgrade', api: 'shop', effect: { kind: 'add', units: 5 } };
const sold = {
  source: 'upgrade' as const,
  effects: [{ api: 'shop', effect: { kind: 'add' as const, units: 5 } }],
};

function tenant(inForce: Adjustment[] = [], endsAt: string | null = null) {
  const stored = inForce.map((one): [string, Adjustment & { label: string; endsAt: string | null }] => [
    one.id,
    { ...one, label: `label of ${one.id}`, endsAt },
  ]);
  return { stored: [{ policy }], inForce, adjustments: new Map(stored) } as unknown as Parameters<
    typeof findPurchaseEffects
  >[0];
}

describe('findPurchaseEffects', () => {
  it.each([
    ['no adjustment', tenant(), 10, 15],
    ['another upgrade', tenant([upgrade]), 15, 20],
    ['a temporary boost', tenant([set('boost', 500)]), 10, 15],
    [
      'an override that ends before the paid period',
      tenant([set('override', 3)], '2030-01-02T00:00:00.000Z'),
      10,
      15,
    ],
  ])('returns the limits before and after under %s', (_title, situation, before, after) => {
    expect(findPurchaseEffects(situation, sold, UNTIL)).toMatchObject({
      limits: [{ apiKey: 'shop', limitName: 'per-minute', before, after }],
      noEffect: null,
    });
  });

  it.each([
    ['an override sets the limit', tenant([set('override', 3)]), sold, /set to 3 by an override/],
    [
      'the override ends after the paid period',
      tenant([set('override', 3)], '2031-01-01T00:00:00.000Z'),
      sold,
      /set to 3 by an override/,
    ],
    [
      'an override blocks the limit that a pack adds to',
      tenant([set('override', 0)]),
      { ...sold, source: 'topup' as const },
      /is blocked by an override/,
    ],
    [
      'the tenant has no limit on the API',
      tenant(),
      { ...sold, effects: [{ api: 'mail', effect: { kind: 'add' as const, units: 5 } }] },
      /no limit that this offer raises/,
    ],
  ])('returns the reason when %s', (_title, situation, offer, reason) => {
    expect(findPurchaseEffects(situation, offer, UNTIL).noEffect).toMatch(reason);
  });
});

describe('findHiddenPurchases', () => {
  it('returns upgrades that an override makes ineffective', () => {
    const situation = tenant([upgrade]);
    expect(findHiddenPurchases(situation, [upgrade], set('override', 3), [])).toEqual(['label of up']);
  });

  it('returns ordered upgrades that an override makes ineffective, each once', () => {
    const ordered = [
      { ...upgrade, id: 'order-0', label: 'More' },
      { ...upgrade, id: 'order-1', label: 'More' },
    ];
    expect(findHiddenPurchases(tenant([]), [], set('override', 3), ordered)).toEqual(['More']);
    expect(findHiddenPurchases(tenant([]), [], { ...set('override', 3), limit: 'other' }, ordered)).toEqual(
      [],
    );
  });

  it('returns packs only of limits that the override blocks', () => {
    const pack: Adjustment = { ...upgrade, source: 'topup' };
    const situation = tenant([pack]);
    expect(findHiddenPurchases(situation, [pack], set('override', 3), [])).toEqual([]);
    expect(findHiddenPurchases(situation, [pack], set('override', 0), [])).toEqual(['label of up']);
  });

  it('returns none if the override multiplies or targets another limit', () => {
    const situation = tenant([upgrade]);
    const doubled: Adjustment = { ...set('override', 1), effect: { kind: 'multiply', percent: 200 } };
    expect(findHiddenPurchases(situation, [upgrade], doubled, [])).toEqual([]);
    expect(findHiddenPurchases(situation, [upgrade], { ...set('override', 3), limit: 'other' }, [])).toEqual(
      [],
    );
  });
});
