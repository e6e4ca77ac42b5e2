import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AutoTopUpFacts, decide, isLow, monthOf, ORDER_GAP_MS } from './auto-top-up.rules.js';

const TERMS = { priceMinor: 900, units: 500, validDays: 30 };

const FACTS: AutoTopUpFacts = {
  nowMs: 1_800_000_000_000,
  isTenantActive: true,
  isDisputed: false,
  offer: { name: 'Pack', isActive: true },
  currency: 'EUR',
  terms: TERMS,
  agreed: TERMS,
  capMinor: 2000,
  threshold: { units: 200 },
  quota: { limit: 1000, used: 900 },
  orderedAtMs: null,
  spentMinor: 0,
};

const IDLE = { kind: 'wait', untilMs: null };

describe('an auto top-up', () => {
  it.each<[string, Partial<AutoTopUpFacts>, object]>([
    ['orders below the threshold', {}, { kind: 'order' }],
    ['waits at the threshold', { quota: { limit: 1000, used: 800 } }, IDLE],
    ['waits while the tenant is suspended', { isTenantActive: false }, IDLE],
    ['waits while the tenant has no such quota', { quota: null, terms: { ...TERMS, units: 0 } }, IDLE],
    [
      'waits for a minute after an order',
      { orderedAtMs: FACTS.nowMs - 1 },
      { kind: 'wait', untilMs: FACTS.nowMs - 1 + ORDER_GAP_MS },
    ],
    ['orders up to the cap', { spentMinor: 1100 }, { kind: 'order' }],
    ['stops before it exceeds the cap', { spentMinor: 1101 }, { kind: 'capped' }],
    ['orders at a lower price', { terms: { ...TERMS, priceMinor: 1 } }, { kind: 'order' }],
    [
      'pauses at a higher price, even while much is left',
      { terms: { ...TERMS, priceMinor: 901 }, quota: { limit: 1000, used: 0 } },
      { kind: 'pause', reason: 'TERMS_CHANGED', detail: 'Pack costs €9.01 instead of €9.00.' },
    ],
    [
      'pauses when the offer adds less',
      { terms: { ...TERMS, units: 499 } },
      { kind: 'pause', reason: 'TERMS_CHANGED', detail: 'Pack adds 499 units instead of 500.' },
    ],
    [
      'pauses when the units expire earlier',
      { terms: { ...TERMS, validDays: 7 } },
      { kind: 'pause', reason: 'TERMS_CHANGED', detail: 'Pack is valid for 7 days instead of 30.' },
    ],
    [
      'pauses when the offer is gone',
      { offer: { name: 'Pack', isActive: false } },
      { kind: 'pause', reason: 'NOT_FOR_SALE', detail: 'Pack is no longer available.' },
    ],
    [
      'pauses after a dispute, even while much is left',
      { isDisputed: true, quota: { limit: 1000, used: 0 } },
      { kind: 'pause', reason: 'DISPUTED', detail: 'The bank of the card disputes a payment for Pack.' },
    ],
  ])('%s', (_, more, decision) => {
    expect(decide({ ...FACTS, ...more })).toEqual(decision);
  });

  it('never orders above the cap, above the accepted price or while enough is left', () => {
    const money = fc.integer({ min: 0, max: 3000 });
    const terms = fc.record({
      priceMinor: fc.integer({ min: 1, max: 2000 }),
      units: fc.integer({ min: 1, max: 900 }),
      validDays: fc.integer({ min: 1, max: 60 }),
    });
    const threshold = fc.oneof(
      fc.record({ units: fc.integer({ min: 1, max: 2000 }) }),
      fc.record({ percent: fc.integer({ min: 1, max: 99 }) }),
    );
    const amount = fc.integer({ min: 0, max: 2000 });
    const quota = fc.record({ limit: amount, used: amount });
    fc.assert(
      fc.property(
        terms,
        terms,
        money,
        money,
        threshold,
        quota,
        (now, agreed, capMinor, spentMinor, low, left) => {
          const facts = { ...FACTS, terms: now, agreed, capMinor, spentMinor, threshold: low, quota: left };
          if (decide(facts).kind !== 'order') return;
          expect(spentMinor + now.priceMinor).toBeLessThanOrEqual(capMinor);
          expect(now.priceMinor).toBeLessThanOrEqual(agreed.priceMinor);
          expect(isLow(left, low)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a threshold', () => {
  it('in percent is one of the effective limit', () => {
    expect(isLow({ limit: 1500, used: 1350 }, { percent: 10 })).toBe(false);
    expect(isLow({ limit: 1500, used: 1351 }, { percent: 10 })).toBe(true);
  });

  it('is crossed when more is used than a lowered limit', () => {
    expect(isLow({ limit: 100, used: 900 }, { units: 1 })).toBe(true);
  });
});

describe('the month of a cap', () => {
  it('begins and ends in UTC', () => {
    const month = { from: new Date('2026-12-01T00:00:00Z'), to: new Date('2027-01-01T00:00:00Z') };
    expect(monthOf(new Date('2026-12-31T23:59:59.999Z'))).toEqual(month);
  });
});
