import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PurchaseEvent, PurchaseFact } from '../payments/payment-provider.js';
import { foldPurchase, type Order, PROCESSING_DAYS, snapshotAt } from './purchase.fold.js';
import { balancesOf, movesBetween } from './purchase.reports.js';
import type { MoneyMove } from './purchases.repository.js';

const UPGRADE: Order = {
  amountMinor: 4900,
  currency: 'EUR',
  customer: 'cus_1',
  period: { interval: 'MONTH' },
  isRenewing: true,
  graceDays: 7,
};
const TOPUP: Order = { ...UPGRADE, period: { days: 30 }, isRenewing: false, graceDays: 0 };
const START = new Date('2026-01-31T10:00:00Z');

const day = (days: number) => new Date(START.getTime() + days * 86_400_000);
const event = (id: string, atDay: number, fact: PurchaseFact): PurchaseEvent => ({
  source: 'stripe',
  id,
  at: day(atDay),
  fact,
});
const paid = (payment: string, atDay: number, more: Partial<PurchaseFact & { type: 'paid' }> = {}) =>
  event(`paid-${payment}`, atDay, {
    type: 'paid',
    payment,
    amountMinor: 4900,
    currency: 'EUR',
    customer: 'cus_1',
    ...more,
  });
const failed = (payment: string, atDay: number) =>
  event(`failed-${payment}`, atDay, { type: 'renewal_failed', payment });
const refunded = (payment: string, atDay: number, refundedMinor: number) =>
  event(`refund-${payment}-${atDay}`, atDay, { type: 'refunded', payment, refundedMinor });
const refundFailed = (payment: string, atDay: number, refundedMinor: number) =>
  event(`failure-${payment}-${atDay}`, atDay, {
    type: 'refund_failed',
    payment,
    amountMinor: 4900,
    refundedMinor,
  });
const disputed = (payment: string, atDay: number) =>
  event(`dispute-${payment}`, atDay, { type: 'disputed', payment, dispute: 'd1', amountMinor: 4900 });
const closed = (payment: string, atDay: number, isWon: boolean) =>
  event(`closed-${payment}`, atDay, {
    type: 'dispute_closed',
    payment,
    dispute: 'd1',
    amountMinor: 4900,
    isWon,
  });
const plain = (
  id: string,
  atDay: number,
  type:
    | 'renewal_stopped'
    | 'renewal_resumed'
    | 'subscription_ended'
    | 'canceled'
    | 'processing'
    | 'payment_failed',
) => event(id, atDay, { type });

const at = (order: Order, atDay: number, ...events: PurchaseEvent[]) =>
  snapshotAt(order, foldPurchase(order, events), day(atDay));

describe('an upgrade', () => {
  it.each<[string, number, PurchaseEvent[], string, boolean]>([
    ['is pending until it is paid', 0, [], 'PENDING', false],
    ['is canceled when the unpaid order is canceled', 1, [plain('x', 1, 'canceled')], 'CANCELED', false],
    ['is processing once the checkout is completed', 5, [plain('c', 0, 'processing')], 'PROCESSING', false],
    [
      'is processing although the order was canceled before the event of its checkout arrived',
      5,
      [plain('c', 0, 'processing'), plain('x', 1, 'canceled')],
      'PROCESSING',
      false,
    ],
    ['is active when the payment succeeds', 5, [plain('c', 0, 'processing'), paid('p1', 4)], 'ACTIVE', true],
    [
      'is canceled when the payment fails',
      5,
      [plain('c', 0, 'processing'), plain('f', 4, 'payment_failed')],
      'CANCELED',
      false,
    ],
    [
      'is active when a payment that failed is paid after all',
      9,
      [plain('c', 0, 'processing'), plain('f', 4, 'payment_failed'), paid('p1', 8)],
      'ACTIVE',
      true,
    ],
    [
      'needs review when no result is reported',
      PROCESSING_DAYS,
      [plain('c', 0, 'processing'), plain('x', 1, 'canceled')],
      'NEEDS_REVIEW',
      false,
    ],
    [
      'is canceled when an operator cancels it after waiting for the result',
      PROCESSING_DAYS + 1,
      [plain('c', 0, 'processing'), plain('x', PROCESSING_DAYS + 1, 'canceled')],
      'CANCELED',
      false,
    ],
    ['is active once paid', 0, [paid('p1', 0)], 'ACTIVE', true],
    [
      'is active when a payment arrives after cancellation',
      1,
      [plain('x', 0, 'canceled'), paid('p1', 1)],
      'ACTIVE',
      true,
    ],
    ['stays active while the renewal payment is pending', 29, [paid('p1', 0)], 'ACTIVE', true],
    ['is past due after a failed renewal', 29, [paid('p1', 0), failed('p2', 28.1)], 'PAST_DUE', true],
    ['expires when the grace period ends', 35, [paid('p1', 0), failed('p2', 28.1)], 'EXPIRED', false],
    [
      'expires after the grace period even without a renewal_failed event',
      35,
      [paid('p1', 0)],
      'EXPIRED',
      false,
    ],
    [
      'is active again when paid during the grace period',
      33,
      [paid('p1', 0), failed('p2', 28.1), paid('p2', 32)],
      'ACTIVE',
      true,
    ],
    [
      'is not past due once the failed renewal is paid',
      30,
      [paid('p1', 0), failed('p2', 28.1), paid('p2', 28.2)],
      'ACTIVE',
      true,
    ],
    [
      'stays active until the end of the paid period after renewal is stopped',
      27,
      [paid('p1', 0), plain('s', 3, 'renewal_stopped')],
      'ACTIVE',
      true,
    ],
    [
      'expires at the end of the paid period, without grace, after renewal is stopped',
      28.1,
      [paid('p1', 0), plain('s', 3, 'renewal_stopped')],
      'EXPIRED',
      false,
    ],
    [
      'stays active after renewal is stopped and resumed',
      29,
      [paid('p1', 0), plain('s', 3, 'renewal_stopped'), plain('r', 4, 'renewal_resumed')],
      'ACTIVE',
      true,
    ],
    [
      'is renewed until the subscription ends on a day of a later period',
      30,
      [paid('p1', 0), event('s', 3, { type: 'renewal_stopped', endsAt: day(45).toISOString() })],
      'ACTIVE',
      true,
    ],
    [
      'expires when the subscription ends on a day of the paid period',
      28.1,
      [paid('p1', 0), event('s', 3, { type: 'renewal_stopped', endsAt: day(20).toISOString() })],
      'EXPIRED',
      false,
    ],
    [
      'expires when the subscription ends with the paid period, to the hour',
      28.1,
      [paid('p1', 0), event('s', 3, { type: 'renewal_stopped', endsAt: day(28.05).toISOString() })],
      'EXPIRED',
      false,
    ],
    [
      'stays active until the end of the paid period after the provider ends the subscription',
      27,
      [paid('p1', 0), plain('e', 3, 'subscription_ended')],
      'ACTIVE',
      true,
    ],
    ['is refunded after a full refund', 3, [paid('p1', 0), refunded('p1', 2, 4900)], 'REFUNDED', false],
    [
      'is active again when the refund fails',
      5,
      [paid('p1', 0), refunded('p1', 2, 4900), refundFailed('p1', 4, 0)],
      'ACTIVE',
      true,
    ],
    [
      'is refunded when the refund is repeated after a failure',
      7,
      [paid('p1', 0), refunded('p1', 2, 4900), refundFailed('p1', 4, 0), refunded('p1', 6, 4900)],
      'REFUNDED',
      false,
    ],
    ['stays active after a partial refund', 3, [paid('p1', 0), refunded('p1', 2, 4899)], 'ACTIVE', true],
    ['is disputed after a chargeback', 3, [paid('p1', 0), disputed('p1', 2)], 'DISPUTED', false],
    [
      'is active again when the dispute is won',
      5,
      [paid('p1', 0), disputed('p1', 2), closed('p1', 4, true)],
      'ACTIVE',
      true,
    ],
    [
      'stays disputed when the dispute is lost',
      5,
      [paid('p1', 0), disputed('p1', 2), closed('p1', 4, false)],
      'DISPUTED',
      false,
    ],
    [
      'stays active when an earlier month is refunded',
      30,
      [paid('p1', 0), paid('p2', 28.1), refunded('p1', 29, 4900)],
      'ACTIVE',
      true,
    ],
    [
      'needs review when the amount is too low',
      0,
      [paid('p1', 0, { amountMinor: 4800 })],
      'NEEDS_REVIEW',
      false,
    ],
    [
      'needs review when paid in another currency',
      0,
      [paid('p1', 0, { currency: 'USD' })],
      'NEEDS_REVIEW',
      false,
    ],
    [
      'needs review when another customer pays',
      0,
      [paid('p1', 0, { customer: 'cus_2' })],
      'NEEDS_REVIEW',
      false,
    ],
    ['needs review when the payer is unknown', 0, [paid('p1', 0, { customer: null })], 'NEEDS_REVIEW', false],
  ])('%s', (_title, atDay, events, status, isGranted) => {
    const snapshot = at(UPGRADE, atDay, ...events);
    expect([snapshot.status, snapshot.grant !== null]).toEqual([status, isGranted]);
  });

  it('renews on the day of the month on which it started, or on the last day of shorter months', () => {
    const { spans } = foldPurchase(UPGRADE, [paid('p1', 0), paid('p2', 28), paid('p3', 59)]);
    expect(spans.map(({ endsAt }) => endsAt.toISOString().slice(0, 10))).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
    ]);
  });

  it('has an end date only if it does not renew', () => {
    expect(at(UPGRADE, 1, paid('p1', 0)).grant).toEqual({ until: null });
    const stopped = at(UPGRADE, 4, paid('p1', 0), plain('s', 3, 'renewal_stopped'));
    expect(stopped.grant?.until?.toISOString()).toBe('2026-02-28T10:00:00.000Z');
  });
});

describe('a top-up', () => {
  it('lasts its number of days', () => {
    expect(at(TOPUP, 29.9, paid('p1', 0)).grant).toEqual({ until: day(30) });
    expect(at(TOPUP, 30, paid('p1', 0))).toMatchObject({ status: 'EXPIRED', grant: null });
  });

  it('grants one of two payments and reviews the other, in any order of events', () => {
    const both = [paid('p1', 0), paid('p2', 0.1)];
    for (const events of [both, both.toReversed()]) {
      const state = foldPurchase(TOPUP, events);
      expect(state.spans.map(({ payment }) => payment)).toEqual(['p1']);
      expect(state.payments[1]).toMatchObject({
        ref: 'p2',
        status: 'NEEDS_REVIEW',
        reviewReason: 'PAID_TWICE',
      });
    }
  });

  it('is granted with the received amount when an operator approves it', () => {
    const little = paid('p1', 0, { amountMinor: 100 });
    const approval = event('r', 1, { type: 'approved', payment: 'p1' });
    const state = foldPurchase(TOPUP, [little, approval]);
    expect(snapshotAt(TOPUP, state, day(2)).status).toBe('ACTIVE');
    expect(balancesOf(state.payments)).toContainEqual({
      account: 'REVENUE',
      currency: 'EUR',
      amountMinor: -100,
    });
  });
});

const ref = fc.constantFrom('p1', 'p2', 'p3');
const amountMinor = fc.constantFrom(0, 100, 4899, 4900, 9800);
const dispute = fc.constantFrom('d1', 'd2');
const anyFact: fc.Arbitrary<PurchaseFact> = fc.oneof(
  fc.record({
    type: fc.constant('paid' as const),
    payment: ref,
    amountMinor: fc.constantFrom(4900, 4900, 4900, 100),
    currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
    customer: fc.constantFrom('cus_1', 'cus_1', 'cus_2', null),
  }),
  fc.record({ type: fc.constant('renewal_failed' as const), payment: ref }),
  fc.record({ type: fc.constant('refunded' as const), payment: ref, refundedMinor: amountMinor }),
  fc.record({
    type: fc.constant('refund_failed' as const),
    payment: ref,
    amountMinor,
    refundedMinor: amountMinor,
  }),
  fc.record({ type: fc.constant('disputed' as const), payment: ref, dispute, amountMinor }),
  fc.record({
    type: fc.constant('dispute_closed' as const),
    payment: ref,
    dispute,
    amountMinor,
    isWon: fc.boolean(),
  }),
  fc.record({
    type: fc.constantFrom('renewal_stopped', 'renewal_resumed', 'subscription_ended', 'canceled'),
  }),
  fc.record({
    type: fc.constant('renewal_stopped' as const),
    endsAt: fc.integer({ min: 0, max: 120 }).map((days) => day(days).toISOString()),
  }),
  fc.record({
    type: fc.constantFrom('subscribed' as const, 'processing' as const, 'payment_failed' as const),
    subscription: fc.constantFrom('sub_1', 'sub_2'),
  }),
  fc.record({ type: fc.constantFrom('approved', 'rejected'), payment: ref }),
  fc.record({
    type: fc.constant('flagged' as const),
    payment: ref,
    reason: fc.constant('SOLD_OUT' as const),
  }),
) as fc.Arbitrary<PurchaseFact>;
const anyEvents = fc
  .array(fc.tuple(fc.nat(90), anyFact), { maxLength: 12 })
  .map((facts) => facts.map(([atDay, fact], index) => event(`e${index}`, atDay, fact)));
const anyOrder = fc.constantFrom(UPGRADE, TOPUP);

/** The same events in any order, with duplicates. */
const delivered = anyEvents.chain((events) =>
  fc.tuple(
    fc.constant(events),
    fc.shuffledSubarray([...events, ...events, ...events], { minLength: events.length * 3 }),
  ),
);

describe('any sequence of events', () => {
  it('leads to the same state in every order and number of deliveries', () => {
    fc.assert(
      fc.property(anyOrder, delivered, fc.nat(120), (order, [events, again], atDay) => {
        const state = foldPurchase(order, events);
        expect(foldPurchase(order, again)).toEqual(state);
        expect(snapshotAt(order, foldPurchase(order, again), day(atDay))).toEqual(
          snapshotAt(order, state, day(atDay)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('booked one by one sums to zero at every step and leads to the same balances', () => {
    fc.assert(
      fc.property(anyOrder, delivered, (order, [events, again]) => {
        let booked: MoneyMove[] = [];
        for (let count = 1; count <= again.length; count++) {
          const { payments } = foldPurchase(order, again.slice(0, count));
          const moves = movesBetween(booked, balancesOf(payments));
          for (const currency of ['EUR', 'USD']) {
            const sum = moves
              .filter((move) => move.currency === currency)
              .reduce((a, b) => a + b.amountMinor, 0);
            expect(sum).toBe(0);
          }
          booked = sumUp([...booked, ...moves]);
        }
        expect(movesBetween(booked, balancesOf(foldPurchase(order, events).payments))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('splits each payment into received, refunded and disputed amounts', () => {
    fc.assert(
      fc.property(anyOrder, anyEvents, (order, events) => {
        for (const payment of foldPurchase(order, events).payments) {
          const { amountMinor, refundedMinor, disputedMinor } = payment;
          const keptMinor = balancesOf([payment]).find(({ account }) => account === 'CASH')?.amountMinor ?? 0;
          expect(keptMinor + refundedMinor + disputedMinor).toBe(amountMinor);
          expect(Math.min(keptMinor, refundedMinor, disputedMinor)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('grants nothing without an accepted payment that is neither refunded nor disputed', () => {
    fc.assert(
      fc.property(anyOrder, anyEvents, fc.nat(120), (order, events, atDay) => {
        const state = foldPurchase(order, events);
        if (snapshotAt(order, state, day(atDay)).grant === null) return;
        const kept = state.payments.filter(
          (payment) =>
            payment.status === 'ACCEPTED' &&
            payment.disputedMinor === 0 &&
            payment.refundedMinor < payment.amountMinor,
        );
        expect(kept.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it('schedules the next transition later than now', () => {
    fc.assert(
      fc.property(anyOrder, anyEvents, fc.nat(120), (order, events, atDay) => {
        const { dueAt } = snapshotAt(order, foldPurchase(order, events), day(atDay));
        if (dueAt !== null) expect(dueAt.getTime()).toBeGreaterThan(day(atDay).getTime());
      }),
      { numRuns: 500 },
    );
  });
});

function sumUp(moves: MoneyMove[]): MoneyMove[] {
  const groups = Map.groupBy(moves, ({ account, currency }) => `${account} ${currency}`);
  return [...groups.values()].map((group) => ({
    ...(group[0] as MoneyMove),
    amountMinor: group.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
  }));
}
