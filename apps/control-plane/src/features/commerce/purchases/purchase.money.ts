import type { MoneyAccount } from '../../../platform/prisma/schema.js';
import type { Payment } from './purchase.payments.js';

/** One side of a movement. */
export interface MoneyMove {
  account: MoneyAccount;
  currency: string;
  /** Signed, in the smallest unit of the currency. */
  amountMinor: number;
}

/**
 * What the accounts of a purchase have to show. Cash is what was paid less what went back; revenue, held and disputed say
 * whose it is, with the other sign, so that all of them sum to zero in each currency.
 */
export function balancesOf(payments: readonly Payment[]): MoneyMove[] {
  const sums = new Map<string, MoneyMove>();
  const book = (account: MoneyAccount, currency: string, amountMinor: number) => {
    const key = `${account} ${currency}`;
    const sum = sums.get(key) ?? { account, currency, amountMinor: 0 };
    sums.set(key, { ...sum, amountMinor: sum.amountMinor + amountMinor });
  };
  for (const payment of payments) {
    const { currency, amountMinor, refundedMinor, disputedMinor, isDisputeLost } = payment;
    const owner = payment.standing === 'ACCEPTED' ? 'REVENUE' : 'HELD';
    book('CASH', currency, amountMinor - refundedMinor - disputedMinor);
    book(owner, currency, refundedMinor - amountMinor);
    // Until it is decided, the bank has the money and we claim it; what is lost was no revenue.
    book(isDisputeLost ? owner : 'DISPUTED', currency, disputedMinor);
  }
  return [...sums.values()];
}

/** The movements that lead from what is booked to what has to be. */
export function movesBetween(booked: readonly MoneyMove[], wanted: readonly MoneyMove[]): MoneyMove[] {
  const keyOf = ({ account, currency }: MoneyMove) => `${account} ${currency}`;
  const left = new Map(booked.map((one) => [keyOf(one), { ...one, amountMinor: -one.amountMinor }]));
  for (const one of wanted) {
    const amountMinor = one.amountMinor + (left.get(keyOf(one))?.amountMinor ?? 0);
    left.set(keyOf(one), { ...one, amountMinor });
  }
  return [...left.values()].filter(({ amountMinor }) => amountMinor !== 0);
}
