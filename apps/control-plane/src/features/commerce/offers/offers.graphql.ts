import { ArgsType, ObjectType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { ArgsOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import {
  BillingInterval,
  CarryOver,
  ManagedBy,
  OfferKind,
  OfferStatus,
} from '../../../platform/prisma/schema.js';
import { OfferEffect } from './offer-effects.js';

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
