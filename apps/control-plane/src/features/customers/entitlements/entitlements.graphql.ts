import { ArgsType, InputType, Int, ObjectType } from '@nestjs/graphql';
import {
  adjustmentEffectSchema,
  apiKeySchema,
  limitNameSchema,
  type AdjustmentEffect as StoredEffect,
} from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote } from '../../../platform/changes/outcome.js';
import { connectionOf, Node, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import {
  ArgsOf,
  enumOf,
  field,
  InputOf,
  idField,
  NestedInput,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import { EntitlementCause, EntitlementSource, LimitClass } from '../../../platform/prisma/schema.js';
import { upper } from '../../catalogue/index.js';
import { carryOver, seenTenant, Tenant } from '../tenants/tenants.graphql.js';

export const EffectKind = enumOf('EffectKind', 'Effect of an adjustment on a limit.', {
  ADD: 'Adds units.',
  MULTIPLY: 'Multiplies by a percentage: 200 doubles the limit.',
  SET: 'Sets the limit.',
});
export type EffectKind = keyof typeof EffectKind;
registerEnum(LimitClass, 'LimitClass', 'Kind of limits.', {
  RATE: 'Rate limits.',
  QUOTA: 'Quotas per calendar period.',
});

@ObjectType({ description: 'Effect of an adjustment on a limit. Fields of other kinds are null.' })
export class AdjustmentEffect extends ObjectOf({
  kind: field.of(() => EffectKind, 'Kind of effect.'),
  units: field.safeInt('ADD: units to add.').nullable(),
  percent: field.int('MULTIPLY: percentage of the limit.').nullable(),
  limit: field.safeInt('SET: the limit; 0 blocks.').nullable(),
  burst: field.safeInt('SET, GCRA: the burst; null: scaled with the limit.').nullable(),
  capacity: field.safeInt('SET, TOKEN_BUCKET: the capacity; null: scaled with the limit.').nullable(),
  queue: field.safeInt('SET, LEAKY_BUCKET: the queue length; null: scaled with the limit.').nullable(),
}) {}

@ObjectType({ description: 'An effective limit after a dry run.' })
export class LimitPreview extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  limit: field.safeInt('The resulting limit.'),
}) {}

/** Target limits, effect and start of an entitlement, override or boost. */
@ObjectType({ isAbstract: true })
export abstract class LimitAdjustment extends ObjectOf(Node, {
  apiKey: field.string('Key of the API; null: every API.').nullable(),
  limit: field.string('Name of the limit; null: every limit of the API.').nullable(),
  appliesTo: field.of(() => LimitClass, 'Kind of limits; null: rates and quotas.').nullable(),
  effect: field.of(() => AdjustmentEffect, 'Effect on the limits.'),
  startsAt: field.dateTime('Start.'),
}) {}

@ObjectType({ isAbstract: true })
export abstract class AdjustmentPayload extends ObjectOf(PublishedPayload, {
  tenant: field.of(() => Tenant, 'The tenant after the change; on CONFLICT as it is now.').nullable(),
  warnings: field.string('Warnings about the applied change.').list(),
  preview: field
    .of(() => LimitPreview, 'After a dry run: the resulting limits of the tenant; otherwise empty.')
    .list(),
}) {}

const number = z.number();
const integer = number.meta({ graphql: () => SafeInt });

/** An effect in its GraphQL form: `kind` determines which of the other fields apply. */
const effectFields = z.object({
  kind: z.enum(EffectKind).describe('Kind of effect.'),
  units: integer.nullish().describe('ADD: units to add.'),
  percent: number
    .meta({ graphql: () => Int })
    .nullish()
    .describe('MULTIPLY: percentage of the limit, 1 to 1,000,000.'),
  limit: integer.nullish().describe('SET: the limit; 0 blocks, in an override only.'),
  burst: integer.nullish().describe('SET, GCRA: the burst; omitted: scaled with the limit.'),
  capacity: integer.nullish().describe('SET, TOKEN_BUCKET: the capacity; omitted: scaled with the limit.'),
  queue: integer.nullish().describe('SET, LEAKY_BUCKET: the queue length; omitted: scaled with the limit.'),
});

@InputType({ description: 'Effect of an adjustment. Set only the fields of its kind.' })
class AdjustmentEffectInput extends InputOf(effectFields) {}
NestedInput(effectFields)(AdjustmentEffectInput);

const effect = effectFields
  .transform(({ kind, ...fields }, context): StoredEffect => {
    const given = Object.entries(fields).filter(([, value]) => value != null);
    const parsed = adjustmentEffectSchema.safeParse({
      kind: kind.toLowerCase(),
      ...Object.fromEntries(given),
    });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const foreign = issue.code === 'unrecognized_keys' ? issue.keys : [];
      for (const name of foreign) {
        const message = `${kind} does not accept ${name}`;
        context.issues.push({ code: 'custom', path: [name], message, input: fields });
      }
      if (foreign.length > 0) continue;
      context.issues.push({ code: 'custom', path: issue.path, message: issue.message, input: fields });
    }
    return z.NEVER;
  })
  .describe('Effect.');

const targetFields = {
  apiKey: apiKeySchema
    .nullish()
    .transform((key) => key ?? undefined)
    .describe('Key of the API; omitted: every API.'),
  limit: limitNameSchema
    .nullish()
    .transform((name) => name ?? undefined)
    .describe('Name of the limit; omitted: every limit of the API.'),
  appliesTo: z
    .enum(LimitClass)
    .nullish()
    .transform((appliesTo) => appliesTo?.toLowerCase() as Lowercase<LimitClass> | undefined)
    .describe('Kind of limits; omitted: rates and quotas.'),
  effect,
};

type Target = { apiKey: string | undefined; limit: string | undefined; effect: StoredEffect };

/** A limit needs its API; SET needs a limit. */
function refineTarget({ apiKey, limit, effect: { kind } }: Target, context: z.RefinementCtx): void {
  if (limit !== undefined && apiKey === undefined) {
    context.addIssue({ code: 'custom', path: ['apiKey'], message: 'limit requires apiKey' });
  }
  if (kind === 'set' && limit === undefined) {
    context.addIssue({ code: 'custom', path: ['limit'], message: 'SET requires limit' });
  }
}

/** A parsed target in its stored form. */
export function toTarget({ apiKey, limit, appliesTo, effect }: z.output<z.ZodObject<typeof targetFields>>) {
  return {
    effect,
    ...(apiKey === undefined ? {} : { api: apiKey }),
    ...(limit === undefined ? {} : { limit }),
    ...(appliesTo === undefined ? {} : { appliesTo }),
  };
}

/** Target limits and the effect on them, with further fields. */
export function targetSchema<S extends z.ZodRawShape>(more: S) {
  return z
    .object({ ...targetFields, ...more })
    .superRefine((value, context) => refineTarget(value as unknown as Target, context));
}

/** As `targetSchema`, for one tenant as the caller has read it. */
export const adjustmentSchema = <S extends z.ZodRawShape>(more: S) =>
  targetSchema({ ...seenTenant, carryOver, ...more });

export const mandatoryReason = optionalNote.refine(
  (reason) => reason !== null,
  'Enter a reason, for the audit log',
);

/** A stored effect in its GraphQL form. */
export function showEffect(column: unknown): AdjustmentEffect {
  const { kind, ...numbers } = adjustmentEffectSchema.parse(column);
  const none = { units: null, percent: null, limit: null, burst: null, capacity: null, queue: null };
  return { ...none, ...numbers, kind: upper(kind) } as AdjustmentEffect;
}

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
  ROLLOVER: 'Unused units of a quota were left at the end of its period.',
  CARRIED: 'Unused units of a top-up moved to the next period of the quota.',
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
  unitsExpireAt: field
    .dateTime(
      'Top-up of a monthly quota: when unused units expire. `endsAt` is the end of the period; null: others.',
    )
    .nullable(),
  remaining: field
    .safeInt('Top-up of a monthly quota in effect: unused units; null: others, or counters unavailable.')
    .nullable(),
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
