import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { ArgsOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import {
  CarryOver,
  EntitlementCause,
  EntitlementSource,
  LimitClass,
} from '../../../platform/prisma/schema.js';
import { Tenant } from '../tenants/tenants.graphql.js';
import {
  AdjustmentEffectInput,
  LimitPreview,
  mandatoryReason,
  PlacedAdjustment,
  targetSchema,
} from './adjustment-inputs.js';

/** A little late is not the past: the request took a moment to get here. */
const LATENESS_MS = 60_000;

export const isPast = (date: Date, now: Date) => date.getTime() < now.getTime() - LATENESS_MS;

const raising = targetSchema.superRefine(({ effect }, context) => {
  const message =
    effect.kind === 'set'
      ? 'An entitlement adds or multiplies; to set a number, make an override'
      : 'An entitlement raises limits; to lower one, make an override';
  const isLower = effect.kind === 'multiply' && effect.percent <= 100;
  if (effect.kind === 'set') context.addIssue({ code: 'custom', path: ['effect', 'kind'], message });
  if (isLower) context.addIssue({ code: 'custom', path: ['effect', 'percent'], message });
});

export const entitlementGrantSchema = z
  .object({
    tenantKey: tenantKeySchema,
    expectedVersion: z.int(),
    source: z.enum(EntitlementSource),
    label: displayName,
    effects: z
      .array(raising)
      .min(1, 'A grant has an effect at least')
      .max(10, 'A grant has at most 10 effects'),
    startsAt: z.date().nullish(),
    endsAt: z.date().nullish(),
    carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
    reason: optionalNote,
  })
  .refine(({ startsAt, endsAt }) => startsAt == null || endsAt == null || endsAt > startsAt, {
    path: ['endsAt'],
    message: 'It ends before it begins; choose a later end',
  });

export const entitlementRevokeSchema = z.object({
  entitlementId: z.string().refine((id) => kindOfId(id) === 'entitlement', 'Not the id of an entitlement'),
  at: z.date().nullish(),
  reason: mandatoryReason,
});

registerEnumType(EntitlementSource, {
  name: 'EntitlementSource',
  description: 'What kind of thing was sold or given.',
  valuesMap: {
    UPGRADE: { description: 'Something that renews.' },
    TOPUP: { description: 'Something that is used once.' },
  },
});
registerEnumType(EntitlementCause, {
  name: 'EntitlementCause',
  description: 'Why an entitlement began or ended.',
  valuesMap: {
    PURCHASE: { description: 'It was bought.' },
    RENEWAL: { description: 'It was paid for again.' },
    GRANT: { description: 'An operator gave it.' },
    REVOKED: { description: 'An operator took it back.' },
    CANCELED: { description: 'The tenant canceled it.' },
    REPLACED: { description: 'Another one took its place.' },
    PAYMENT_FAILED: { description: 'It was not paid for.' },
    REFUNDED: { description: 'The money was given back.' },
    DISPUTED: { description: 'The payment is disputed.' },
  },
});

@ObjectType({ description: 'A row of the ledger that ends a grant.' })
export class EntitlementEnd extends ObjectOf({
  id: field.id('Id of the row.'),
  cause: field.of(() => EntitlementCause, 'Why.'),
  at: field.dateTime('When it ends by this row.'),
  createdAt: field.dateTime('When the row was written.'),
  actor: field.string('Who wrote it.'),
}) {}

@ObjectType({
  implements: () => [Node],
  description: 'A grant in the ledger of what raises limits: never changed, ended by further rows.',
})
export class Entitlement extends ObjectOf(PlacedAdjustment, {
  source: field.of(() => EntitlementSource, 'What kind of thing it is.'),
  cause: field.of(() => EntitlementCause, 'Why it was granted.'),
  purchaseId: field.id('The purchase; null: it was given.').nullable(),
  label: field.string('Display name of the offer or grant.'),
  endsAt: field.dateTime('Until when, all rows together; null: until it is ended.').nullable(),
  inForce: field.boolean('Whether it is in force now.'),
  actor: field.string('Who granted it.'),
  createdAt: field.dateTime('When it was granted.'),
  ends: field.of(() => EntitlementEnd, 'What ended it, or will.').list(),
}) {}

export const EntitlementConnection = connectionOf(Entitlement, 'Entitlement', 'entitlements');

@ArgsType()
export class EntitlementsArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Only of this tenant; omitted: all tenants visible to the caller.').optional(),
  live: field.boolean('Only active and scheduled ones.').optional(),
}) {}

@InputType({ description: 'What one part of a grant does, and to which limits.' })
export class EntitlementEffectInput {
  @Field(() => String, { nullable: true, description: 'Key of the API; left out: every API.' })
  apiKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the limit; left out: every limit of the API.',
  })
  limit?: string | null;

  @Field(() => LimitClass, { nullable: true, description: 'Left out: rates and quotas.' })
  appliesTo?: LimitClass | null;

  @Field(() => AdjustmentEffectInput, { description: 'ADD, or MULTIPLY by more than 100 percent.' })
  effect!: AdjustmentEffectInput;
}

@InputType({ description: 'Something that is given to a tenant.' })
export class EntitlementGrantInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => Int, { description: 'Version of the tenant that the caller has read.' })
  expectedVersion!: number;

  @Field(() => EntitlementSource, { description: 'What kind of thing it counts as.' })
  source!: EntitlementSource;

  @Field({ description: 'What it is, for people.' })
  label!: string;

  @Field(() => [EntitlementEffectInput], { description: 'What it does, 1 to 10 parts.' })
  effects!: EntitlementEffectInput[];

  @Field(() => DateTime, { nullable: true, description: 'Start; omitted: now.' })
  startsAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when; left out: until it is revoked.' })
  endsAt?: Date | null;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what is used, when it begins.',
  })
  carryOver?: CarryOver | null;
}

@InputType({ description: 'An entitlement that is taken back.' })
export class EntitlementRevokeInput extends MutationInput {
  @Field(() => ID, { description: 'The entitlement.' })
  entitlementId!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it ends; left out: now.' })
  at?: Date | null;
}

@ObjectType({ description: 'Outcome of a change to the ledger.' })
export class EntitlementPayload extends ObjectOf(PublishedPayload, {
  entitlements: field.of(() => Entitlement, 'The grants that were added or ended.').list(),
  tenant: field.of(() => Tenant, 'The tenant after the change; on CONFLICT as it is now.').nullable(),
  warnings: field.string('Warnings about the applied change.').list(),
  preview: field
    .of(() => LimitPreview, 'After a dry run: the resulting limits of the tenant; otherwise empty.')
    .list(),
}) {}
