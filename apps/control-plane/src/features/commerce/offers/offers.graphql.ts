import { ArgsType, InputType, ObjectType } from '@nestjs/graphql';
import { findChargeProblem, isCurrency, offerKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import {
  description,
  optionalDescription,
  optionalNote,
  orDefault,
  printedName,
} from '../../../platform/changes/outcome.js';
import { connectionOf, Node, PageArgs } from '../../../platform/graphql/connection.js';
import { ManagedInput, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import {
  ArgsOf,
  field,
  InputOf,
  NestedInput,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import {
  BillingInterval,
  CarryOver,
  ManagedBy,
  OfferKind,
  OfferStatus,
} from '../../../platform/prisma/schema.js';
import { OfferEffect, OfferEffectKind, OfferEffectTarget, offerEffectsSchema } from './offer-effects.js';

registerEnum(OfferKind, 'OfferKind', 'Kind of an offer.', {
  UPGRADE: 'Renews until it is canceled.',
  TOPUP: 'Bought once; expires.',
});
registerEnum(OfferStatus, 'OfferStatus', 'Status of an offer.', {
  DRAFT: 'Not on sale yet; visible to operators only.',
  ACTIVE: 'On sale.',
  ARCHIVED: 'No longer on sale; existing purchases are unaffected.',
});
registerEnum(BillingInterval, 'BillingInterval', 'Billing interval of an upgrade.', {
  MONTH: 'On the same day of each month, or on its last day if it is shorter.',
  YEAR: 'On the same day of each year.',
});

@ObjectType({ implements: () => [Node], description: 'A product that raises limits.' })
export class Offer extends ObjectOf(
  ObjectOf(Node, {
    key: field.string('Permanent key.'),
    name: field.string('Display name.'),
    description: field.string('Description.'),
    kind: field.of(() => OfferKind, 'Whether it renews or expires.'),
    status: field.of(() => OfferStatus, 'Status of the offer.'),
    isPriceConfirmed: field.boolean(
      'Whether the price is certain. False after the digits of its currency changed: not for sale until the price is changed or `offerPriceConfirm` confirms it.',
    ),
    priceMinor: field.as<bigint>(
      () => SafeInt,
      'Price per unit and period, in the smallest unit of the currency.',
    ),
    currency: field.string('ISO 4217 code of the currency.'),
    interval: field
      .of(() => BillingInterval, 'Billing interval of an upgrade; null for a top-up.')
      .nullable(),
    validDays: field.int('Days until a top-up expires; null for an upgrade.').nullable(),
    graceDays: field.int('Days that an upgrade stays active after a failed renewal.'),
    maxQuantity: field.int('Maximum quantity per purchase.'),
    stock: field.int('Total stock; null: unlimited.').nullable(),
    stockLeft: field.int('Stock left; null: unlimited.').nullable().resolved(),
    carryOver: field.of(() => CarryOver, 'How used quota carries over when limits change.'),
    managedBy: field.of(() => ManagedBy, 'Where it is managed.'),
    version: field.int('Row version, for `expectedVersion`.'),
    createdAt: field.dateTime('When it was created.'),
  }),
  {
    effects: field
      .of(() => OfferEffect, 'Effects on limits.')
      .list()
      .usualLength(4),
    tierKeys: field.string('Keys of the tiers that can buy it; empty: every tier.').list().usualLength(4),
  },
) {}

export const OfferConnection = connectionOf(Offer, 'Offer', 'offers');

@ArgsType()
export class OffersArgs extends ArgsOf(PageArgs, {
  status: field.of(() => OfferStatus, 'Only offers in this status.').optional(),
  kind: field.of(() => OfferKind, 'Only offers of this kind.').optional(),
}) {}

@ObjectType({ description: 'Outcome of a change to an offer.' })
export class OfferPayload extends ObjectOf(MutationPayload, {
  offer: field.of(() => Offer, 'The offer after the change; on CONFLICT, its current state.').nullable(),
}) {}

/** Higher prices are more likely a typing error. */
const MAX_PRICE_MINOR = 100_000_000_000;
const MAX_STOCK = 1_000_000_000;

const whole = (name: string, min: number, max: number) =>
  z
    .int(`${name} must be a whole number`)
    .min(min, `${name} must be ${min} or more`)
    .max(max, `${name} must be ${max} or less`);

/** An effect in its GraphQL form: `kind` determines which of the other fields apply. */
const effectFields = z
  .object({
    apiKey: z.string().nullish().describe('Key of the API; defaults to every API.'),
    limitName: z.string().nullish().describe('Name of a limit of the API; defaults to every limit.'),
    appliesTo: z.enum(OfferEffectTarget).nullish().describe('Kind of limits; defaults to both.'),
    kind: z.enum(OfferEffectKind).describe('Kind of the effect.'),
    units: z
      .number()
      .meta({ graphql: () => SafeInt })
      .nullish()
      .describe('For ADD: units to add, 1 or more.'),
    percent: z.int().nullish().describe('For MULTIPLY: percentage of the limit, above 100.'),
  })
  .superRefine(({ kind, units, percent }, context) => {
    const [wanted, other] = kind === 'ADD' ? ['units', percent] : ['percent', units];
    if ((kind === 'ADD' ? units : percent) == null) {
      context.addIssue({ code: 'custom', path: [String(wanted)], message: `${kind} requires ${wanted}` });
    }
    if (other != null) {
      const path = [kind === 'ADD' ? 'percent' : 'units'];
      context.addIssue({ code: 'custom', path, message: `${kind} accepts only ${wanted}` });
    }
  });

@InputType({ description: 'Effect of a purchase on limits.' })
class OfferEffectInput extends InputOf(effectFields) {}
NestedInput(effectFields)(OfferEffectInput);

const effectInput = effectFields.transform(
  ({ apiKey, limitName, appliesTo, kind, units, percent }): z.input<typeof offerEffectsSchema>[number] => ({
    ...(apiKey == null ? {} : { api: apiKey }),
    ...(limitName == null ? {} : { limit: limitName }),
    ...(appliesTo == null
      ? {}
      : { appliesTo: appliesTo === 'RATE' ? ('rate' as const) : ('quota' as const) }),
    effect:
      kind === 'ADD'
        ? { kind: 'add' as const, units: units as number }
        : { kind: 'multiply' as const, percent: percent as number },
  }),
);

const effects = z.array(effectInput).pipe(offerEffectsSchema).describe('Effects on limits.');
const tierKeys = z.array(tierKeySchema).max(50, 'At most 50 tiers');
const stock = whole('stock', 0, MAX_STOCK);

const terms = {
  priceMinor: whole('priceMinor', 1, MAX_PRICE_MINOR).meta({ graphql: () => SafeInt }),
  validDays: whole('validDays', 1, 3650),
  graceDays: whole('graceDays', 0, 60),
  maxQuantity: whole('maxQuantity', 1, 1000),
};

export const offerCreateSchema = z
  .object({
    key: offerKeySchema.describe('Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters.'),
    name: printedName.describe('Display name.'),
    description: description.describe('Description.'),
    kind: z.enum(OfferKind).describe('Whether it renews or expires.'),
    priceMinor: terms.priceMinor.describe('Price per unit and period, in the smallest unit of the currency.'),
    currency: z
      .string()
      .refine(isCurrency, 'Not an ISO 4217 currency code, such as EUR')
      .describe('ISO 4217 code of the currency, such as EUR.'),
    interval: z.enum(BillingInterval).nullish().describe('Billing interval of an upgrade.'),
    validDays: terms.validDays.nullish().describe('Days until a top-up expires.'),
    graceDays: terms.graceDays
      .nullish()
      .describe('Days that an upgrade stays active after a failed renewal; defaults to 7.'),
    effects,
    tierKeys: orDefault(tierKeys, []).describe('Keys of the tiers that can buy it; empty: every tier.'),
    maxQuantity: orDefault(terms.maxQuantity, 1).describe('Maximum quantity per purchase; defaults to 1.'),
    stock: stock.nullish().describe('Total stock; defaults to unlimited.'),
    carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP).meta({
      description: 'How used quota carries over when limits change.',
      defaultValue: CarryOver.KEEP,
    }),
    reason: optionalNote,
  })
  .superRefine(({ kind, interval, validDays, graceDays, priceMinor, currency }, context) => {
    const reject = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const problem = findChargeProblem(priceMinor, currency);
    if (problem !== undefined) reject('priceMinor', problem);
    if (kind === 'UPGRADE') {
      if (interval == null) reject('interval', 'An upgrade requires a billing interval');
      if (validDays != null) reject('validDays', 'Only a top-up can have validDays');
    } else {
      if (validDays == null) reject('validDays', 'A top-up expires: set validDays');
      if (interval != null) reject('interval', 'Only an upgrade can have a billing interval');
      if (graceDays != null) reject('graceDays', 'Only an upgrade can have graceDays');
    }
  });

@InputType({ description: 'A new offer, created as a draft.' })
export class OfferCreateInput extends InputOf(offerCreateSchema, MutationInput) {}

export const offerChangeSchema = z.object({
  offerKey: offerKeySchema.describe('Key of the offer.'),
  expectedVersion: z.int().describe('Version of the offer on which the change is based.'),
  reason: optionalNote,
});

@InputType({ description: 'The offer to change.' })
export class OfferChangeInput extends InputOf(offerChangeSchema, ManagedInput) {}

export const offerUpdateSchema = offerChangeSchema.extend({
  name: printedName.nullish().describe('Display name.'),
  description: optionalDescription.describe('Description.'),
  priceMinor: terms.priceMinor.nullish().describe('Price per unit, in the smallest unit of the currency.'),
  validDays: terms.validDays.nullish().describe('Days until a top-up expires.'),
  graceDays: terms.graceDays.nullish().describe('Days that an upgrade stays active after a failed renewal.'),
  effects: effects.nullish(),
  tierKeys: tierKeys.nullish().describe('Keys of the tiers that can buy it; empty: every tier.'),
  maxQuantity: terms.maxQuantity.nullish().describe('Maximum quantity per purchase.'),
  stock: stock.nullish().describe('Total stock, including units already sold.'),
  isUnlimited: z.boolean().nullish().describe('True removes the stock limit.'),
});

@InputType({ description: 'Changes of an offer for future purchases. Omitted fields stay unchanged.' })
export class OfferUpdateInput extends InputOf(offerUpdateSchema, ManagedInput) {}

/** Whether an offer can be bought in quantities above 1: a percentage cannot be multiplied. */
export function canHaveQuantity(effects: readonly { effect: { kind: string } }[]): boolean {
  return effects.every(({ effect }) => effect.kind === 'add');
}
