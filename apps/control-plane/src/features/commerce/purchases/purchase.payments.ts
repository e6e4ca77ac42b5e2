import { type PurchaseEvent, type PurchaseFact } from '../payments/purchase-fact.js';

/** Why a payment is not taken for what was ordered. */
export type HoldReason =
  | 'WRONG_AMOUNT'
  | 'WRONG_CURRENCY'
  | 'WRONG_CUSTOMER'
  | 'PAID_TWICE'
  | 'SOLD_OUT'
  | 'TOO_MANY';

/** What was ordered, as far as payments are compared with it. */
export interface OrderTerms {
  amountMinor: number;
  currency: string;
  /** Null: nobody in particular. */
  customer: string | null;
}

/** One charge and all that is known of it. */
export interface Payment {
  ref: string;
  at: Date;
  amountMinor: number;
  currency: string;
  /** `HELD`: an operator has to decide. */
  standing: 'ACCEPTED' | 'HELD' | 'REJECTED';
  /** Also of what was released or rejected since. */
  holdReason: HoldReason | null;
  refundedMinor: number;
  /** Part of the amount that its bank has taken back, for now or for good. */
  disputedMinor: number;
  isDisputeLost: boolean;
}

type Fact<T extends PurchaseFact['type']> = Extract<PurchaseFact, { type: T }>;

/** Events in the order of their occurrence, whatever order they came in; of one instant, by id. */
export function inOrder(events: readonly PurchaseEvent[]): PurchaseEvent[] {
  const unique = new Map(events.map((event) => [`${event.source} ${event.id}`, event]));
  return [...unique.entries()]
    .sort(([a, x], [b, y]) => x.at.getTime() - y.at.getTime() || (a < b ? -1 : 1))
    .map(([, event]) => event);
}

/** The payments of a purchase by time. @param events as `inOrder` gives them */
export function collectPayments(terms: OrderTerms, events: readonly PurchaseEvent[]): Payment[] {
  const refs = new Set(events.flatMap(({ fact }) => (fact.type === 'paid' ? [fact.payment] : [])));
  return [...refs].map((ref) => readPayment(terms, ref, events));
}

function readPayment(terms: OrderTerms, ref: string, events: readonly PurchaseEvent[]): Payment {
  const own = events.filter(({ fact }) => 'payment' in fact && fact.payment === ref);
  const of = <T extends PurchaseFact['type']>(type: T) =>
    own.flatMap(({ fact }) => (fact.type === type ? [fact as Fact<T>] : []));
  const told = of('paid');
  const [first] = told as [Fact<'paid'>, ...Fact<'paid'>[]];
  const holdReason =
    told.map((paid) => compare(terms, paid)).find((reason) => reason !== null) ??
    of('withheld')[0]?.reason ??
    null;
  const decision = own.find(({ fact }) => fact.type === 'released' || fact.type === 'rejected')?.fact.type;
  const refundedMinor = Math.min(
    first.amountMinor,
    Math.max(0, ...of('refunded').map((fact) => fact.refundedMinor)),
  );
  return {
    ref,
    at: (own.find(({ fact }) => fact.type === 'paid') as PurchaseEvent).at,
    amountMinor: first.amountMinor,
    currency: first.currency,
    standing: standingOf(holdReason, decision),
    holdReason,
    refundedMinor,
    ...readDisputes(of('disputed'), of('dispute_closed'), first.amountMinor - refundedMinor),
  };
}

function standingOf(hold: HoldReason | null, decision: PurchaseFact['type'] | undefined) {
  if (decision === 'released') return 'ACCEPTED';
  if (decision === 'rejected') return 'REJECTED';
  return hold === null ? 'ACCEPTED' : 'HELD';
}

function compare({ amountMinor, currency, customer }: OrderTerms, paid: Fact<'paid'>): HoldReason | null {
  if (paid.currency !== currency) return 'WRONG_CURRENCY';
  if (paid.amountMinor !== amountMinor) return 'WRONG_AMOUNT';
  return customer !== null && paid.customer !== customer ? 'WRONG_CUSTOMER' : null;
}

/** A dispute that was won is as if it had never been; one whose end came before its beginning is known by its end. */
function readDisputes(opened: Fact<'disputed'>[], closed: Fact<'dispute_closed'>[], mostMinor: number) {
  const amounts = new Map([...opened, ...closed].map(({ dispute, amountMinor }) => [dispute, amountMinor]));
  const won = new Set(closed.filter(({ isWon }) => isWon).map(({ dispute }) => dispute));
  const lost = new Set(closed.filter(({ isWon }) => !isWon).map(({ dispute }) => dispute));
  let disputedMinor = 0;
  for (const [dispute, amountMinor] of amounts) if (!won.has(dispute)) disputedMinor += amountMinor;
  const standing = [...amounts.keys()].filter((dispute) => !won.has(dispute));
  return {
    disputedMinor: Math.min(mostMinor, disputedMinor),
    isDisputeLost: standing.length > 0 && standing.every((dispute) => lost.has(dispute)),
  };
}
