import { ArgsType, Field, InputType, ObjectType } from '@nestjs/graphql';
import { tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Permission } from '../../../platform/access/permissions.js';
import { connectionOf, Node, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import {
  ArgsOf,
  field,
  InputOf,
  idField,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';
import { JsonObject } from '../../../platform/graphql/scalars.js';
import {
  BulkActionKind,
  BulkActionStatus,
  BulkItemStatus,
  CarryOver,
  TenantStatus,
} from '../../../platform/prisma/schema.js';
import { mandatoryReason, targetSchema } from '../entitlements/entitlements.graphql.js';
import { carryOver } from '../tenants/tenants.graphql.js';

/** Tenants listed by key, at most. */
const MAX_NAMED = 1000;

/** Tenants per action, at most. */
export const MAX_TENANTS = 100_000;

/** Tenants tried by a dry run, all locked in one transaction. */
export const MAX_TRIED = 200;

/** Permission required in addition to the one for bulk actions. An undo requires that of the action. */
export const PERMISSION_OF_KIND: Record<Exclude<BulkActionKind, 'UNDO'>, Permission> = {
  TIER_CHANGE: 'subscriptions:write',
  OVERRIDE: 'overrides:write',
  BOOST: 'boosts:write',
  SUSPEND: 'tenants:write',
  RESUME: 'tenants:write',
};

const adjustmentFields = targetSchema({
  endsAt: z
    .date()
    .nullish()
    .describe('End; required for a boost; null or omitted, an override ends when it is removed.'),
});

@InputType({ description: 'Target limits and the effect on them.' })
export class BulkAdjustmentInput extends InputOf(adjustmentFields) {}

/** Validates the target and returns it in the form of the single-tenant mutation. */
const adjustment = z
  .object({ endsAt: z.date().nullish() })
  .loose()
  .transform(({ endsAt, ...target }, context) => {
    const parsed = targetSchema({}).safeParse(target);
    if (parsed.success) return { ...target, endsAt: endsAt ?? null };
    for (const { path, message } of parsed.error.issues)
      context.issues.push({ code: 'custom', path, message, input: target });
    return z.NEVER;
  });

const filter = z.object({
  search: z.string().nullish().describe('Part of a key or name, case-insensitive.'),
  tier: tierKeySchema.nullish().describe('Only tenants on the tier of this key.'),
  status: z
    .enum(TenantStatus)
    .refine((status) => status !== TenantStatus.ARCHIVED, 'Archived tenants cannot be changed')
    .nullish()
    .describe('Only tenants of this status; never archived ones.'),
  minPercent: z
    .int()
    .min(0)
    .max(100)
    .nullish()
    .describe('Only tenants with at least this utilization, percent.'),
  denied: z.boolean().nullish().describe('Only tenants with denied requests in the last 24 hours.'),
  expectedCount: z
    .int()
    .min(0)
    .nullish()
    .describe('Expected number of matches; a different number is an error.'),
});

@InputType({ description: 'A filter, as of the query `tenantUtilization`.' })
export class BulkFilterInput extends InputOf(filter) {}

const common = {
  carryOver,
  reason: mandatoryReason,
  tenantKeys: z
    .array(tenantKeySchema)
    .min(1, 'Name at least one tenant')
    .max(MAX_NAMED, `At most ${MAX_NAMED} tenants; for more, use filter`)
    .transform((keys) => [...new Set(keys)])
    .nullish(),
  filter: filter.nullish(),
};

const { TIER_CHANGE, OVERRIDE, BOOST, SUSPEND, RESUME } = BulkActionKind;

const ofKind = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal(TIER_CHANGE), tierKey: tierKeySchema }),
  z.object({ ...common, kind: z.literal(OVERRIDE), adjustment }),
  z.object({ ...common, kind: z.literal(BOOST), adjustment }),
  z.object({ ...common, kind: z.literal(SUSPEND) }),
  z.object({ ...common, kind: z.literal(RESUME) }),
]);

export const startSchema = ofKind.superRefine(({ tenantKeys, filter }, context) => {
  if ((tenantKeys == null) === (filter == null)) {
    const message = 'Set either tenantKeys or filter';
    context.addIssue({ code: 'custom', path: ['tenantKeys'], message });
  }
});

const bulkActionSchema = z.object({ id: idField('The bulk action.') });

export const undoSchema = bulkActionSchema.extend({ reason: mandatoryReason });

export type StartFacts = z.output<typeof startSchema>;

/** The stored input: that of the single-tenant mutation, without the tenant. */
export function inputOf(facts: StartFacts): Record<string, unknown> {
  switch (facts.kind) {
    case TIER_CHANGE:
      return { tierKey: facts.tierKey, carryOver: facts.carryOver };
    case OVERRIDE:
    case BOOST: {
      const { endsAt, ...target } = facts.adjustment;
      return { ...target, endsAt: endsAt?.toISOString() ?? null, carryOver: facts.carryOver };
    }
    default:
      return {};
  }
}

registerEnum(BulkActionKind, 'BulkActionKind', 'Kind of bulk action.', {
  TIER_CHANGE: 'Changes the tier, like `tenantTierChange`.',
  OVERRIDE: 'Sets an override, like `overrideSet`.',
  BOOST: 'Starts a boost, like `boostStart`.',
  SUSPEND: 'Suspends, like `tenantSuspend`.',
  RESUME: 'Resumes, like `tenantResume`.',
  UNDO: 'Undoes another bulk action. Started by `bulkActionUndo` only.',
});
registerEnum(BulkActionStatus, 'BulkActionStatus', 'Status of a bulk action.', {
  QUEUED: 'Starts within seconds.',
  RUNNING: 'In progress.',
  DONE: 'Finished for every tenant.',
  CANCELED: 'Canceled; completed tenants stay changed.',
});
registerEnum(BulkItemStatus, 'BulkItemStatus', 'Status of one tenant of a bulk action.', {
  PENDING: 'Not processed yet.',
  DONE: 'Changed.',
  FAILED: 'Failed; the tenant is unchanged.',
  CANCELED: 'Not processed: the action was canceled.',
});

@ObjectType({ description: 'One tenant of a bulk action.' })
export class BulkActionItem extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  status: field.of(() => BulkItemStatus, 'Status.'),
  error: field.string('Reason of the failure.').nullable(),
  changeId: field.id('The change, for `propagation` and the audit trail.').nullable(),
  at: field.dateTime('When it was processed.').nullable(),
}) {}

export const BulkActionItemConnection = connectionOf(
  BulkActionItem,
  'BulkActionItem',
  'tenants of a bulk action',
);

@ArgsType()
export class BulkActionItemsArgs extends ArgsOf(PageArgs, {
  status: field.of(() => BulkItemStatus, 'Only tenants with this status.').optional(),
}) {}

@ObjectType({ description: 'Progress of a bulk action.' })
export class BulkActionProgress extends ObjectOf({
  total: field.int('All tenants.'),
  pending: field.int('Tenants not processed yet.'),
  done: field.int('Changed tenants.'),
  failed: field.int('Failed tenants.'),
  canceled: field.int('Tenants skipped by cancellation.'),
}) {}

@ObjectType({
  implements: () => [Node],
  description: 'An operation on many tenants, one change per tenant.',
})
export class BulkAction extends ObjectOf(Node, {
  kind: field.of(() => BulkActionKind, 'Kind.'),
  input: field.as<Record<string, unknown>>(() => JsonObject, 'Input, as of the single-tenant mutation.'),
  reason: field.string('Reason, recorded in the audit trail of each tenant.'),
  status: field.of(() => BulkActionStatus, 'Status.'),
  progress: field.of(() => BulkActionProgress, 'Progress.'),
  startedBy: field.string('Author.'),
  revertsId: field.id('The action that this one undoes.').nullable(),
  revertedById: field.id('The undo of this action; null: none.').nullable(),
  stoppedBecause: field.string('Why it was canceled; null: it was not.').nullable(),
  createdAt: field.dateTime('When it was created.'),
  startedAt: field.dateTime('When it started.').nullable(),
  finishedAt: field.dateTime('When it ended.').nullable(),
  items: field.as<object>(() => BulkActionItemConnection, 'Tenants, by key.'),
}) {}

export const BulkActionConnection = connectionOf(BulkAction, 'BulkAction', 'bulk actions');

@InputType({
  description: 'A bulk action on the tenants of either `tenantKeys` or `filter`. Requires a reason.',
})
export class BulkActionStartInput extends MutationInput {
  @Field(() => BulkActionKind, {
    description: 'Kind; the permission of the single-tenant mutation is required too.',
  })
  kind!: BulkActionKind;

  @Field(() => [String], { nullable: true, description: 'The tenants by key, 1,000 at most.' })
  tenantKeys?: string[] | null;

  @Field(() => BulkFilterInput, { nullable: true, description: 'The tenants by filter.' })
  filter?: BulkFilterInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'TIER_CHANGE: key of a tier with a published version.',
  })
  tierKey?: string | null;

  @Field(() => BulkAdjustmentInput, { nullable: true, description: 'OVERRIDE and BOOST: target and effect.' })
  adjustment?: BulkAdjustmentInput | null;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'Carry-over of existing usage.',
  })
  carryOver?: CarryOver | null;
}

@InputType({ description: 'The bulk action.' })
export class BulkActionInput extends InputOf(bulkActionSchema, MutationInput) {}

@ObjectType({ description: 'A tenant for which the action would fail.' })
export class BulkRefusal extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  message: field.string('Why.'),
}) {}

@ObjectType({ description: 'Outcome of a mutation of a bulk action.' })
export class BulkActionPayload extends ObjectOf(MutationPayload, {
  bulkAction: field.of(() => BulkAction, 'The bulk action; null after a dry run.').nullable(),
  tenants: field.int('Number of tenants.'),
  tried: field.int('Number of tenants that a dry run covers, at most 200, with impact and refusals.'),
  refusals: field.of(() => BulkRefusal, 'After a dry run: tenants for which the action would fail.').list(),
}) {}
