import { registerEnumType } from '@nestjs/graphql';
import {
  InvoiceStatus,
  MoneyAccount,
  PaymentProviderName,
  PurchaseStatus,
} from '../../../platform/prisma/schema.js';

export enum PaymentStanding {
  ACCEPTED = 'ACCEPTED',
  HELD = 'HELD',
  REJECTED = 'REJECTED',
}

export enum PaymentHoldReason {
  WRONG_AMOUNT = 'WRONG_AMOUNT',
  WRONG_CURRENCY = 'WRONG_CURRENCY',
  WRONG_CUSTOMER = 'WRONG_CUSTOMER',
  PAID_TWICE = 'PAID_TWICE',
  SOLD_OUT = 'SOLD_OUT',
  TOO_MANY = 'TOO_MANY',
}

registerEnumType(PaymentProviderName, {
  name: 'PaymentProvider',
  description: 'How something is paid.',
  valuesMap: {
    STRIPE: { description: 'On a page of Stripe.' },
    TEST: { description: 'With a test card, on a page of our own. No money moves.' },
    INVOICE: { description: 'By bank transfer; an operator says when the money has come.' },
  },
});
registerEnumType(PurchaseStatus, {
  name: 'PurchaseStatus',
  description: 'How a purchase stands.',
  valuesMap: {
    PENDING: { description: 'Ordered, not paid.' },
    HELD: { description: 'A payment came that does not match the order: an operator decides.' },
    ACTIVE: { description: 'Paid and in force.' },
    GRACE: { description: 'The renewal failed; in force until `graceEndsAt`.' },
    ENDED: { description: 'Over: used up, stopped, or its renewal was never paid.' },
    REFUNDED: { description: 'The money was given back.' },
    DISPUTED: { description: 'The bank of the payer took the money back.' },
    EXPIRED: { description: 'Nobody paid in time.' },
    REJECTED: { description: 'The payment that came was not accepted.' },
  },
});
registerEnumType(MoneyAccount, {
  name: 'MoneyAccount',
  description: 'Where money is, or whose it is.',
  valuesMap: {
    CASH: { description: 'With us: what came in less what went back.' },
    REVENUE: { description: 'Ours; negative, as the other side of cash.' },
    HELD: { description: 'Not ours yet: a payment that does not match its order.' },
    DISPUTED: { description: 'With the bank that looks into a dispute.' },
  },
});
registerEnumType(InvoiceStatus, {
  name: 'InvoiceStatus',
  description: 'How an invoice stands.',
  valuesMap: {
    OPEN: { description: 'To be paid.' },
    PAID: { description: 'The money has come.' },
    VOID: { description: 'Not to be paid any more; its number stays.' },
  },
});
registerEnumType(PaymentStanding, {
  name: 'PaymentStanding',
  description: 'Whether a payment counts.',
  valuesMap: {
    ACCEPTED: { description: 'For what was ordered.' },
    HELD: { description: 'An operator has to decide.' },
    REJECTED: { description: 'An operator has decided that it does not.' },
  },
});
registerEnumType(PaymentHoldReason, {
  name: 'PaymentHoldReason',
  description: 'Why a payment is not taken for what was ordered.',
  valuesMap: {
    WRONG_AMOUNT: { description: 'It is more or less than was ordered.' },
    WRONG_CURRENCY: { description: 'It is in another currency.' },
    WRONG_CUSTOMER: { description: 'Somebody else has paid.' },
    PAID_TWICE: { description: 'What is paid once was paid already.' },
    SOLD_OUT: { description: 'It came after the order was given up, and the stock is sold.' },
    TOO_MANY: { description: 'The tenant has as many entitlements as it can have.' },
  },
});
