import { describe, expect, it } from 'vitest';
import { deniedCosts, type SoldUnits } from './simulation.rules.js';

const denied = (limit: string, units: number, isQuota = true) => ({ api: 'shop', limit, isQuota, units });

const topUp = (key: string, price: number, units: number, more: object = {}): SoldUnits => ({
  ...{ key, priceMinor: BigInt(price), currency: 'EUR' },
  effects: [{ api: 'shop', limit: 'monthly', effect: { kind: 'add', units }, ...more }],
});

describe('the cost of denied units', () => {
  it('is that of the dearest top-up of the quota, rounded up', () => {
    const offers = [
      topUp('big', 5000, 10_000),
      topUp('small', 900, 1000),
      topUp('other', 9999, 1, { limit: 'daily' }),
    ];
    expect(deniedCosts([denied('monthly', 101)], offers)).toEqual({
      costs: [{ currency: 'EUR', amountMinor: 91, units: 101, offerKeys: ['small'] }],
      unpricedUnits: 0,
    });
  });

  it('is unknown for rates, and for quotas that no top-up adds units to', () => {
    const ofRates = topUp('rates', 900, 10, { limit: undefined, appliesTo: 'rate' });
    const doubling = {
      ...topUp('double', 900, 1),
      effects: [{ effect: { kind: 'multiply' as const, percent: 200 } }],
    };
    const units = [denied('per-minute', 5, false), denied('monthly', 7)];
    expect(deniedCosts(units, [ofRates, doubling])).toEqual({ costs: [], unpricedUnits: 12 });
  });

  it('has an amount for each currency, of all limits that are sold in it', () => {
    const everyQuota = topUp('all', 100, 1, { api: undefined, limit: undefined });
    const inDollars = { ...topUp('usd', 300, 100), currency: 'USD' };
    const units = [denied('monthly', 10), denied('daily', 2)];
    expect(deniedCosts(units, [everyQuota, inDollars])).toEqual({
      costs: [
        { currency: 'EUR', amountMinor: 1200, units: 12, offerKeys: ['all'] },
        { currency: 'USD', amountMinor: 30, units: 10, offerKeys: ['usd'] },
      ],
      unpricedUnits: 0,
    });
  });
});
