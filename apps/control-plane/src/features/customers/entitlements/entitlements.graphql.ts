import { ArgsType, InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { displayName } from '../../../platform/changes/outcome.js';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { InputOf, idField, NestedInput } from '../../../platform/graphql/input-of.js';
import { MutationInput } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { ArgsOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { kindOfId } from '../../../platform/ids.js';
import { EntitlementCause, EntitlementSource } from '../../../platform/prisma/schema.js';
import { carryOver, seenTenant } from '../tenants/tenants.graphql.js';
import { AdjustmentPayload, LimitAdjustment, mandatoryReason, targetSchema } from './adjustment-inputs.js';

/** Tolerance for the time that a request takes to arrive. */
const LATENESS_MS = 60_000;

export const isPast = (date: Date, now: Date) => date.getTime() < now.getTime() - LATENESS_MS;

registerEnum(EntitlementSource, 'EntitlementSource', 'Kind of a purchase or grant.', {
  UPGRADE: 'Renews.',
  TOPUP: 'Expires.',
});
registerEnum(EntitlementCause, 'EntitlementCause', 'Why an entitlement started or ended.', {
  PURCHASE: 'It was purchased.',
  RENEWAL: 'The purchase was renewed.',
  GRANT: 'An operator granted it.',
  REVOKED: 'An operator revoked it.',
  CANCELED: 'The tenant canceled the purchase.',
  REPLACED: 'Another entitlement replaced it.',
  PAYMENT_FAILED: 'The renewal was not paid.',
  REFUNDED: 'The payment was refunded.',
  DISPUTED: 'The payment is disputed.',
});

@ObjectType({ description: 'A ledger entry that ends a grant.' })
export class EntitlementEnd extends ObjectOf({
  id: field.id('Id of the entry.'),
  cause: field.of(() => EntitlementCause, 'Why it ends.'),
  at: field.dateTime('When it ends.'),
  createdAt: field.dateTime('When the entry was added.'),
  actor: field.string('Author.'),
}) {}

@ObjectType({
  implements: () => [Node],
  description: 'A grant of higher limits in the ledger. Grants never change; further entries end them.',
})
export class Entitlement extends ObjectOf(LimitAdjustment, {
  source: field.of(() => EntitlementSource, 'Kind of the purchase or grant.'),
  cause: field.of(() => EntitlementCause, 'Why it was granted.'),
  purchaseId: field.id('The purchase; null: an operator granted it.').nullable(),
  label: field.string('Display name of the offer or grant.'),
  endsAt: field.dateTime('End, including the entries that end it; null: none yet.').nullable(),
  inForce: field.boolean('Whether it is in effect now.'),
  actor: field.string('Author.'),
  createdAt: field.dateTime('When it was granted.'),
  ends: field.of(() => EntitlementEnd, 'The entries that end it.').list(),
}) {}

export const EntitlementConnection = connectionOf(Entitlement, 'Entitlement', 'entitlements');

@ArgsType()
export class EntitlementsArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Only of this tenant; omitted: all tenants visible to the caller.').optional(),
  live: field.boolean('Only active and scheduled ones.').optional(),
}) {}

@ObjectType({ description: 'Outcome of a change to entitlements.' })
export class EntitlementPayload extends ObjectOf(AdjustmentPayload, {
  entitlements: field.of(() => Entitlement, 'The grants that were added or ended.').list(),
}) {}

const increase = targetSchema({}).superRefine(({ effect }, context) => {
  if (effect.kind === 'set') {
    const message = 'An entitlement adds or multiplies. To set a limit, use an override.';
    context.addIssue({ code: 'custom', path: ['effect', 'kind'], message });
  } else if (effect.kind === 'multiply' && effect.percent <= 100) {
    const message = 'An entitlement raises limits. To lower a limit, use an override.';
    context.addIssue({ code: 'custom', path: ['effect', 'percent'], message });
  }
});

@InputType({ description: 'Effect of a grant: ADD, or MULTIPLY by more than 100 percent.' })
class EntitlementEffectInput extends InputOf(increase) {}
NestedInput(increase)(EntitlementEffectInput);

export const entitlementGrantSchema = z
  .object({
    ...seenTenant,
    source: z.enum(EntitlementSource).describe('Kind of the grant.'),
    label: displayName.describe('Display name.'),
    effects: z
      .array(increase)
      .min(1, 'A grant has at least one effect')
      .max(10, 'A grant has at most 10 effects')
      .describe('Effects, 1 to 10.'),
    startsAt: z.date().nullish().describe('Start; omitted: now.'),
    endsAt: z.date().nullish().describe('End; omitted: when it is revoked.'),
    carryOver,
  })
  .refine(({ startsAt, endsAt }) => startsAt == null || endsAt == null || endsAt > startsAt, {
    path: ['endsAt'],
    message: 'The entitlement ends before it starts. Choose a later end.',
  });

@InputType({ description: 'An entitlement to grant.' })
export class EntitlementGrantInput extends InputOf(entitlementGrantSchema, MutationInput) {}

export const entitlementRevokeSchema = z.object({
  entitlementId: idField('The entitlement.').refine(
    (id) => kindOfId(id) === 'entitlement',
    'Not the id of an entitlement',
  ),
  at: z.date().nullish().describe('End; omitted: now.'),
  reason: mandatoryReason,
});

@InputType({ description: 'The entitlement to revoke.' })
export class EntitlementRevokeInput extends InputOf(entitlementRevokeSchema, MutationInput) {}
