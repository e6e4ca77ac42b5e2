import type { PurchaseFact } from '#src/features/commerce/payments/payment-provider.js';

/** Price of the offer of every story, and one part of it. */
export const PRICE_MINOR = 4900;
const PART_MINOR = 100;

/** The events of one purchase and its expected result, written by hand. */
export interface Story {
  kind: 'UPGRADE' | 'TOPUP';
  /** Facts and their age in days. */
  facts: readonly [daysAgo: number, fact: PurchaseFact][];
  /** Whether the entitlement is in effect at the end. */
  isGranted: boolean;
  /** Money kept at the end, in all currencies. */
  cashMinor: number;
}

type Paid = Extract<PurchaseFact, { type: 'paid' }>;

const paid = (payment: string, customer: string, more: Partial<Paid> = {}): Paid => ({
  type: 'paid',
  payment,
  amountMinor: PRICE_MINOR,
  currency: 'EUR',
  customer,
  ...more,
});

/** All stories for a purchase whose payments are named after `name`, paid by `customer`. */
export function storiesOf(name: string, customer: string): Readonly<Record<string, Story>> {
  const [a, b, dispute] = [`${name}-a`, `${name}-b`, `${name}-dispute`];
  const refunded = (refundedMinor: number): PurchaseFact => ({ type: 'refunded', payment: a, refundedMinor });
  const disputed: PurchaseFact = { type: 'disputed', payment: a, dispute, amountMinor: PRICE_MINOR };
  const closed = (isWon: boolean): PurchaseFact => ({ ...disputed, type: 'dispute_closed', isWon });
  const topup = (isGranted: boolean, cashMinor: number, ...facts: PurchaseFact[]): Story => ({
    kind: 'TOPUP',
    facts: facts.map((fact, index) => [3 - index * 0.1, fact]),
    isGranted,
    cashMinor,
  });
  const upgrade = (isGranted: boolean, cashMinor: number, ...facts: Story['facts'][number][]): Story => ({
    kind: 'UPGRADE',
    facts,
    isGranted,
    cashMinor,
  });
  const first = paid(a, customer);
  return {
    paid: topup(true, PRICE_MINOR, first),
    'refunded in part': topup(true, PRICE_MINOR - PART_MINOR, first, refunded(PART_MINOR)),
    'refunded twice, as a whole': topup(false, 0, first, refunded(PART_MINOR), refunded(PRICE_MINOR)),
    disputed: topup(false, 0, first, disputed),
    'dispute won': topup(true, PRICE_MINOR, first, disputed, closed(true)),
    'dispute lost': topup(false, 0, first, disputed, closed(false)),
    'too little': topup(false, 1, paid(a, customer, { amountMinor: 1 })),
    'other money': topup(false, PRICE_MINOR, paid(a, customer, { currency: 'USD' })),
    'by somebody else': topup(false, PRICE_MINOR, paid(a, 'somebody else')),
    'paid twice': topup(true, 2 * PRICE_MINOR, first, paid(b, customer)),
    renewed: upgrade(true, 2 * PRICE_MINOR, [35, first], [5, paid(b, customer)]),
    'in grace': upgrade(true, PRICE_MINOR, [33, first], [2, { type: 'renewal_failed', payment: b }]),
    'after its grace': upgrade(false, PRICE_MINOR, [60, first], [30, { type: 'renewal_failed', payment: b }]),
    'paid in its grace': upgrade(
      true,
      2 * PRICE_MINOR,
      [34, first],
      [3, { type: 'renewal_failed', payment: b }],
      [1, paid(b, customer)],
    ),
    stopped: upgrade(true, PRICE_MINOR, [10, first], [5, { type: 'renewal_stopped' }]),
    'stopped and over': upgrade(false, PRICE_MINOR, [40, first], [30, { type: 'renewal_stopped' }]),
    'stopped and resumed': upgrade(
      true,
      PRICE_MINOR,
      [10, first],
      [5, { type: 'renewal_stopped' }],
      [4, { type: 'renewal_resumed' }],
    ),
    'never paid': topup(false, 0, { type: 'canceled' }),
  };
}
