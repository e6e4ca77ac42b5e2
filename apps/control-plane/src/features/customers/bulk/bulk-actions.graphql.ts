import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { type Permission } from '../../../platform/access/permissions.js';
import { orDefault } from '../../../platform/changes/outcome.js';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, JsonObject } from '../../../platform/graphql/scalars.js';
import {
  BulkActionKind,
  BulkActionStatus,
  BulkItemStatus,
  CarryOver,
  LimitClass,
  TenantStatus,
} from '../../../platform/prisma/schema.js';
import { AdjustmentEffectInput } from '../entitlements/adjustment-input.graphql.js';
import { mandatoryReason, targetSchema } from '../entitlements/adjustment-input.rules.js';

/** Tenants that can be named one by one. */
const MAX_NAMED = 1000;

/** Tenants that one action is for at most. */
export const MAX_TENANTS = 100_000;

/** Tenants for which a dry run tries it: one transaction, in which all of them are locked. */
export const MAX_TRIED = 200;

/** What an action of a kind needs besides the permission for bulk actions; an undo needs what its action did. */
export const PERMISSION_OF_KIND: Record<Exclude<BulkActionKind, 'UNDO'>, Permission> = {
  TIER_CHANGE: 'subscriptions:write',
  OVERRIDE: 'overrides:write',
  BOOST: 'boosts:write',
  SUSPEND: 'tenants:write',
  RESUME: 'tenants:write',
};

const adjustment = z
  .object({ endsAt: z.date().nullish() })
  .loose()
  .transform(({ endsAt, ...target }, context) => {
    const parsed = targetSchema.safeParse(target);
    if (parsed.success) return { ...target, endsAt: endsAt ?? null };
    for (const { path, message } of parsed.error.issues)
      context.issues.push({ code: 'custom', path, message, input: target });
    return z.NEVER;
  });

const common = {
  carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
  reason: mandatoryReason,
  tenantKeys: z
    .array(tenantKeySchema)
    .min(1, 'Name at least one tenant')
    .max(MAX_NAMED, `Name ${MAX_NAMED} tenants at most; for more, use filter`)
    .transform((keys) => [...new Set(keys)])
    .nullish(),
  filter: z
    .object({
      search: z.string().nullish(),
      tier: tierKeySchema.nullish(),
      status: z
        .enum(TenantStatus)
        .refine((status) => status !== TenantStatus.ARCHIVED, 'Archived tenants cannot be changed')
        .nullish(),
      expectedCount: z.int().min(0).nullish(),
    })
    .nullish(),
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
    const message = 'Say which tenants: by tenantKeys or by filter, one of them';
    context.addIssue({ code: 'custom', path: ['tenantKeys'], message });
  }
});

export const undoSchema = z.object({ id: z.string(), reason: mandatoryReason });

export type StartFacts = z.output<typeof startSchema>;

/** What is kept of it: what the mutation for one tenant takes, without the tenant. */
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

registerEnumType(BulkActionKind, {
  name: 'BulkActionKind',
  description: 'What is done to many tenants.',
  valuesMap: {
    TIER_CHANGE: { description: 'They move to another tier, as by `tenantTierChange`.' },
    OVERRIDE: { description: 'They get an override, as by `overrideSet`.' },
    BOOST: { description: 'They get a boost, as by `boostStart`.' },
    SUSPEND: { description: 'They are suspended, as by `tenantSuspend`.' },
    RESUME: { description: 'They are resumed, as by `tenantResume`.' },
    UNDO: { description: 'What another action did to them is taken back. Started by `bulkActionUndo` only.' },
  },
});
registerEnumType(BulkActionStatus, {
  name: 'BulkActionStatus',
  description: 'How far a bulk action has come.',
  valuesMap: {
    QUEUED: { description: 'It begins within seconds.' },
    RUNNING: { description: 'It goes from tenant to tenant.' },
    DONE: { description: 'Every tenant was tried.' },
    CANCELLED: { description: 'It was stopped; what was done until then stays done.' },
  },
});
registerEnumType(BulkItemStatus, {
  name: 'BulkItemStatus',
  description: 'What became of one tenant of a bulk action.',
  valuesMap: {
    PENDING: { description: 'Its turn has not come.' },
    DONE: { description: 'It is done.' },
    FAILED: { description: 'It was refused; nothing was changed in this tenant.' },
    CANCELLED: { description: 'The action was stopped before.' },
  },
});

@ObjectType({ description: 'One tenant of a bulk action.' })
export class BulkActionItem {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => BulkItemStatus, { description: 'What became of it.' })
  status!: BulkItemStatus;

  @Field(() => String, { nullable: true, description: 'Why it was refused.' })
  error!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The change that did it: ask `propagation` with it, or look for it in the audit trail.',
  })
  changeId!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When its turn came.' })
  at!: Date | null;
}

export const BulkActionItemConnection = connectionOf(
  BulkActionItem,
  'BulkActionItem',
  'tenants of a bulk action',
);

@ArgsType()
export class BulkActionItemsArgs extends PageArgs {
  @Field(() => BulkItemStatus, { nullable: true, description: 'Only those of whom this became.' })
  status?: BulkItemStatus | null;
}

@ObjectType({ description: 'How many tenants of a bulk action are where.' })
export class BulkActionProgress {
  @Field(() => Int, { description: 'All of them.' })
  total!: number;

  @Field(() => Int, { description: 'Those whose turn has not come.' })
  pending!: number;

  @Field(() => Int, { description: 'Those for whom it is done.' })
  done!: number;

  @Field(() => Int, { description: 'Those that were refused.' })
  failed!: number;

  @Field(() => Int, { description: 'Those that were left out when it was stopped.' })
  cancelled!: number;
}

@ObjectType({
  implements: () => [Node],
  description: 'One thing that is done to many tenants, to each in a change of its own.',
})
export class BulkAction extends Node {
  @Field(() => BulkActionKind, { description: 'What is done.' })
  kind!: BulkActionKind;

  @Field(() => JsonObject, { description: 'With which values, as the mutation for one tenant takes them.' })
  input!: Record<string, unknown>;

  @Field({ description: 'Why, as the audit trail of each tenant says.' })
  reason!: string;

  @Field(() => BulkActionStatus, { description: 'How far it has come.' })
  status!: BulkActionStatus;

  @Field(() => BulkActionProgress, { description: 'How many tenants are where.' })
  progress!: BulkActionProgress;

  @Field({ description: 'Who started it.' })
  startedBy!: string;

  @Field(() => ID, { nullable: true, description: 'The action that this one takes back.' })
  revertsId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The action that takes this one back; null: there is none.',
  })
  revertedById!: string | null;

  @Field(() => String, { nullable: true, description: 'Why it ended before all was done; null: it did not.' })
  stoppedBecause!: string | null;

  @Field(() => DateTime, { description: 'When it was asked for.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it began.' })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ended.' })
  finishedAt!: Date | null;

  @Field(() => BulkActionItemConnection, { description: 'Its tenants, by key.' })
  items!: object;
}

export const BulkActionConnection = connectionOf(BulkAction, 'BulkAction', 'bulk actions');

@InputType({ description: 'Tenants by what they have in common, as `tenants` finds them.' })
export class BulkFilterInput {
  @Field(() => String, { nullable: true, description: 'Part of a key or name; case does not matter.' })
  search?: string | null;

  @Field(() => String, { nullable: true, description: 'Only tenants on the tier of this key.' })
  tier?: string | null;

  @Field(() => TenantStatus, {
    nullable: true,
    description: 'Only tenants of this status; never archived ones.',
  })
  status?: TenantStatus | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How many the caller has seen: it is refused when there are more or fewer by now.',
  })
  expectedCount?: number | null;
}

@InputType({ description: 'Which limits, and what is done to them.' })
export class BulkAdjustmentInput {
  @Field(() => String, { nullable: true, description: 'Key of the API; left out: every API.' })
  apiKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the limit; left out: every limit of the API.',
  })
  limit?: string | null;

  @Field(() => LimitClass, { nullable: true, description: 'Left out: rates and quotas.' })
  appliesTo?: LimitClass | null;

  @Field(() => AdjustmentEffectInput, { description: 'What is done to them.' })
  effect!: AdjustmentEffectInput;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it ends by itself; a boost needs it, an override ends in 30 days when it is left out.',
  })
  endsAt?: Date | null;
}

@InputType({
  description: 'What is done to which tenants. `tenantKeys` or `filter`, one of them. It needs a reason.',
})
export class BulkActionStartInput extends MutationInput {
  @Field(() => BulkActionKind, { description: 'What is done; its own permission is needed too.' })
  kind!: BulkActionKind;

  @Field(() => [String], { nullable: true, description: 'The tenants by key, 1,000 at most.' })
  tenantKeys?: string[] | null;

  @Field(() => BulkFilterInput, { nullable: true, description: 'The tenants by what they have in common.' })
  filter?: BulkFilterInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'TIER_CHANGE: key of a tier with a published version.',
  })
  tierKey?: string | null;

  @Field(() => BulkAdjustmentInput, { nullable: true, description: 'OVERRIDE and BOOST: what they get.' })
  adjustment?: BulkAdjustmentInput | null;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'Carry-over of existing usage.',
  })
  carryOver?: CarryOver | null;
}

@InputType({ description: 'Which bulk action.' })
export class BulkActionInput extends MutationInput {
  @Field(() => ID, { description: 'The bulk action.' })
  id!: string;
}

@ObjectType({ description: 'A tenant in which it would be refused.' })
export class BulkRefusal {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Why.' })
  message!: string;
}

@ObjectType({ description: 'Outcome of a step of a bulk action.' })
export class BulkActionPayload extends MutationPayload {
  @Field(() => BulkAction, { nullable: true, description: 'The bulk action; null after a dry run.' })
  bulkAction!: BulkAction | null;

  @Field(() => Int, { description: 'Tenants that it is for.' })
  tenants!: number;

  @Field(() => Int, {
    description: 'Tenants for which a dry run tried it, the first 200: impact and refusals are of these.',
  })
  tried!: number;

  @Field(() => [BulkRefusal], { description: 'Of a dry run: tenants in which it would be refused.' })
  refusals!: BulkRefusal[];
}
