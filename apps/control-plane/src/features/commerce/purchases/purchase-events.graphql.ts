import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { type PurchaseEvent as StoredEvent } from '../payments/purchase-fact.js';
import { PaymentHoldReason } from './purchase-enums.graphql.js';

export enum PurchaseEventType {
  PAID = 'PAID',
  SUBSCRIBED = 'SUBSCRIBED',
  RENEWAL_FAILED = 'RENEWAL_FAILED',
  REFUNDED = 'REFUNDED',
  DISPUTED = 'DISPUTED',
  DISPUTE_WON = 'DISPUTE_WON',
  DISPUTE_LOST = 'DISPUTE_LOST',
  RENEWAL_STOPPED = 'RENEWAL_STOPPED',
  RENEWAL_RESUMED = 'RENEWAL_RESUMED',
  ENDED = 'ENDED',
  EXPIRED = 'EXPIRED',
  RELEASED = 'RELEASED',
  REJECTED = 'REJECTED',
  WITHHELD = 'WITHHELD',
}

export enum PurchaseEventSource {
  STRIPE = 'STRIPE',
  TEST = 'TEST',
  INVOICE = 'INVOICE',
  TOLLGATE = 'TOLLGATE',
}

registerEnumType(PurchaseEventType, {
  name: 'PurchaseEventType',
  description: 'What can happen to a purchase.',
  valuesMap: {
    PAID: { description: 'A payment came.' },
    SUBSCRIBED: { description: 'The provider will charge for renewals.' },
    RENEWAL_FAILED: { description: 'A renewal could not be charged.' },
    REFUNDED: { description: 'Money of a payment was given back.' },
    DISPUTED: { description: 'The bank of the payer took money back, for now.' },
    DISPUTE_WON: { description: 'The bank gave it back to us.' },
    DISPUTE_LOST: { description: 'The bank keeps it.' },
    RENEWAL_STOPPED: { description: 'It will not be paid again.' },
    RENEWAL_RESUMED: { description: 'It will be paid again after all.' },
    ENDED: { description: 'The provider will charge nothing any more.' },
    EXPIRED: { description: 'The order was given up before it was paid.' },
    RELEASED: { description: 'An operator took a payment that was held for what was ordered.' },
    REJECTED: { description: 'An operator refused a payment that was held.' },
    WITHHELD: { description: 'It was paid when it could not be had any more.' },
  },
});
registerEnumType(PurchaseEventSource, {
  name: 'PurchaseEventSource',
  description: 'Who told it.',
  valuesMap: {
    STRIPE: { description: 'Stripe.' },
    TEST: { description: 'The test provider.' },
    INVOICE: { description: 'An operator, of an invoice.' },
    TOLLGATE: { description: 'Tollgate itself, or whoever decided in it.' },
  },
});

@ObjectType({
  description: 'One thing that happened to a purchase. What it has come to follows from these alone.',
})
export class PurchaseEvent {
  @Field(() => ID, { description: 'Id of the event; unique at its source.' })
  id!: string;

  @Field(() => PurchaseEventSource, { description: 'Who told it.' })
  source!: PurchaseEventSource;

  @Field(() => PurchaseEventType, { description: 'What happened.' })
  type!: PurchaseEventType;

  @Field(() => DateTime, { description: 'When, in billing time.' })
  at!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the payment that it is about; null: of none.',
  })
  payment!: string | null;

  @Field(() => SafeInt, {
    nullable: true,
    description:
      'What was paid or disputed, in the smallest unit of the currency; of a refund: what of the payment is given back by then.',
  })
  amountMinor!: number | null;

  @Field(() => PaymentHoldReason, { nullable: true, description: 'Of WITHHELD: why.' })
  reason!: PaymentHoldReason | null;
}

/** An event as GraphQL shows it. */
export function showEvent({ id, source, at, fact }: StoredEvent): PurchaseEvent {
  return {
    id,
    at,
    source: PurchaseEventSource[source.toUpperCase() as PurchaseEventSource],
    type: typeOf(fact),
    payment: 'payment' in fact ? fact.payment : null,
    amountMinor: amountOf(fact),
    reason: fact.type === 'withheld' ? PaymentHoldReason[fact.reason] : null,
  };
}

function typeOf(fact: StoredEvent['fact']): PurchaseEventType {
  if (fact.type === 'dispute_closed')
    return fact.isWon ? PurchaseEventType.DISPUTE_WON : PurchaseEventType.DISPUTE_LOST;
  return PurchaseEventType[fact.type.toUpperCase() as PurchaseEventType];
}

function amountOf(fact: StoredEvent['fact']): number | null {
  if (fact.type === 'refunded') return fact.refundedMinor;
  return 'amountMinor' in fact ? fact.amountMinor : null;
}
