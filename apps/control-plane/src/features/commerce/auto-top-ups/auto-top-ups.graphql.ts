import { ID, InputType, ObjectType } from '@nestjs/graphql';
import { apiKeySchema, limitNameSchema, offerKeySchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/outcome.js';
import {
  MutationInput,
  MutationPayload,
  PublishedPayload,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { AutoTopUpStatus, AutoTopUpStop, PaymentProviderName } from '../../../platform/prisma/schema.js';
import { Offer } from '../offers/offers.graphql.js';
import type { OfferRow } from '../offers/offers.repository.js';
import { returnPath } from '../purchases/purchase-inputs.js';

registerEnum(AutoTopUpStatus, 'AutoTopUpStatus', 'Status of an auto top-up.', {
  ON: 'Orders when little is left.',
  PAUSED: 'Orders nothing until a member confirms its terms or changes it.',
  OFF: 'Turned off.',
});
registerEnum(AutoTopUpStop, 'AutoTopUpStop', 'Why an auto top-up is paused or off.', {
  CUSTOMER: 'A member turned it off.',
  OPERATOR: 'An operator turned it off.',
  PAYMENT_FAILED: 'The saved card could not be charged.',
  TERMS_CHANGED: 'The offer costs more or adds less than the customer accepted.',
  NOT_FOR_SALE: 'The offer cannot be bought, or would change nothing.',
  DISPUTED: 'A payment was disputed at the bank.',
});

const MAX_UNITS = 1_000_000_000_000;
const MAX_CAP_MINOR = 1_000_000_000_000;

const safeInt = (max: number) =>
  z
    .int()
    .min(1)
    .max(max)
    .meta({ graphql: () => SafeInt });

export const autoTopUpSetSchema = z
  .object({
    tenantKey: tenantKeySchema.describe('Key of the tenant.'),
    apiKey: apiKeySchema.describe('Key of the API.'),
    limitName: limitNameSchema.describe('Name of a quota per month or billing period.'),
    offerKey: offerKeySchema.describe('Key of a top-up that adds units to the quota.'),
    thresholdUnits: safeInt(MAX_UNITS)
      .nullish()
      .describe('Order when fewer units are left. Either this or `thresholdPercent`.'),
    thresholdPercent: z
      .int()
      .min(1, 'thresholdPercent must be 1 or more')
      .max(99, 'thresholdPercent must be 99 or less')
      .nullish()
      .describe('Order when less than this percentage of the quota is left.'),
    capMinor: safeInt(MAX_CAP_MINOR).describe(
      'Most that it orders per calendar month (UTC), in the smallest unit of the currency of the offer.',
    ),
    expectedPriceMinor: z
      .int()
      .meta({ graphql: () => SafeInt })
      .describe('Price shown to the customer, who accepts it. A higher one pauses the auto top-up.'),
    provider: z.enum(PaymentProviderName).describe('Payment method of the card.'),
    card: z.string().min(1).max(200).describe('`ref` of one of `paymentCards`.'),
    reason: optionalNote,
  })
  .refine(({ thresholdUnits, thresholdPercent }) => (thresholdUnits == null) !== (thresholdPercent == null), {
    path: ['thresholdUnits'],
    message: 'Set either thresholdUnits or thresholdPercent',
  });

@InputType({ description: 'An auto top-up of a quota.' })
export class AutoTopUpSetInput extends InputOf(autoTopUpSetSchema, MutationInput) {}

export const autoTopUpTurnOffSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  id: idField('Id of the auto top-up.').meta({ graphql: () => ID }),
  reason: optionalNote,
});

@InputType({ description: 'The auto top-up to turn off.' })
export class AutoTopUpTurnOffInput extends InputOf(autoTopUpTurnOffSchema, MutationInput) {}

export const paymentCardLinkSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  provider: z.enum(PaymentProviderName).describe('One of `paymentCards.providers`.'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'currency must be an ISO 4217 code, such as EUR')
    .describe('ISO 4217 code of later charges.'),
  returnPath,
  reason: optionalNote,
});

@InputType({ description: 'The tenant that saves a card.' })
export class PaymentCardLinkInput extends InputOf(paymentCardLinkSchema, MutationInput) {}

@ObjectType({ description: 'Buys a top-up with a saved card when little is left of a quota.' })
export class AutoTopUp extends ObjectOf({
  id: field.id('Id of the auto top-up.'),
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the quota.'),
  offer: field.as<OfferRow>(() => Offer, 'The top-up that it buys, on its current terms.'),
  status: field.of(() => AutoTopUpStatus, 'Status.'),
  stopReason: field.of(() => AutoTopUpStop, 'Why it is paused or off; null while it is on.').nullable(),
  stopDetail: field.string('Details of the reason, if any.').nullable(),
  thresholdUnits: field.safeInt('Orders when fewer units are left; null with a percentage.').nullable(),
  thresholdPercent: field
    .int('Orders when less than this percentage of the quota is left; null with units.')
    .nullable(),
  capMinor: field.safeInt('Most that it orders per calendar month (UTC), in the smallest unit.'),
  spentMinor: field.safeInt('Its orders of this month, less what was canceled or refunded.'),
  isCapReached: field.boolean('Whether another order would exceed the cap.'),
  resetsAt: field.dateTime('Start of the next month, in billing time.'),
  currency: field.string('ISO 4217 code of the amounts.'),
  agreedPriceMinor: field.safeInt('The highest price that the customer has accepted.'),
  provider: field.of(() => PaymentProviderName, 'Payment method.'),
  card: field.id('Reference of the saved card.'),
  cardLabel: field.string('Name of the saved card.'),
  hasOpenOrder: field.boolean('Whether an order is being paid.'),
  orderedAt: field.dateTime('When it last ordered; null: never.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of a change to an auto top-up.' })
export class AutoTopUpPayload extends ObjectOf(PublishedPayload, {
  autoTopUp: field.of(() => AutoTopUp, 'The auto top-up after the change.').nullable(),
}) {}

@ObjectType({ description: 'A card that a payment provider keeps for a tenant.' })
class PaymentCard extends ObjectOf({
  provider: field.of(() => PaymentProviderName, 'Payment method.'),
  ref: field.id('Reference of the card at the provider.'),
  label: field.string('Name of the card, such as "Visa ending in 4242".'),
}) {}

@ObjectType({ description: 'Saved cards of a tenant.' })
export class PaymentCards extends ObjectOf({
  providers: field
    .of(() => PaymentProviderName, 'Enabled payment methods that can charge a saved card; empty: none can.')
    .list(),
  cards: field
    .of(() => PaymentCard, 'Saved cards.')
    .list()
    .usualLength(2),
  problem: field.string('Why cards may be missing; null: all are listed.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of `paymentCardLink`.' })
export class PaymentCardLinkPayload extends ObjectOf(MutationPayload, {
  url: field.string('Page of the provider on which the customer saves a card.').nullable(),
}) {}
