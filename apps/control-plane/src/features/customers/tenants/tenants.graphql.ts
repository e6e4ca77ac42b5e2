import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault, tags } from '../../../platform/changes/outcome.js';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { ManagedInput, MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { CarryOver, ManagedBy, MemberRole, TenantStatus } from '../../../platform/prisma/schema.js';
import { Limit, Tier, TierVersion } from '../../catalogue/index.js';

const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'Not the IANA name of a time zone, such as Europe/Berlin');

const billingAnchorDay = z
  .int()
  .min(1, 'billingAnchorDay must be 1 or more')
  .max(31, 'billingAnchorDay must be 31 or less');

export const tenantCreateSchema = z.object({
  key: tenantKeySchema,
  name: displayName,
  tierKey: tierKeySchema,
  timeZone: orDefault(timeZone, 'UTC'),
  billingAnchorDay: orDefault(billingAnchorDay, 1),
  tags: orDefault(tags, []),
  reason: optionalNote,
});

export const tenantTierChangeSchema = z.object({
  tenantKey: tenantKeySchema,
  tierKey: tierKeySchema,
  pinnedVersion: z.int().min(1, 'pinnedVersion must be 1 or more').nullish(),
  carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const tenantStatusSchema = tenantTierChangeSchema.pick({
  tenantKey: true,
  expectedVersion: true,
  reason: true,
});

export const tenantUpdateSchema = tenantStatusSchema.extend({
  name: displayName.nullish(),
  timeZone: timeZone.nullish(),
  billingAnchorDay: billingAnchorDay.nullish(),
  tags: tags.nullish(),
});

function isTimeZone(name: string): boolean {
  // Offsets such as "+02:00" are accepted by Intl too, but they know no daylight saving.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export enum LimitSource {
  DEFAULT = 'DEFAULT',
  TIER = 'TIER',
  UPGRADE = 'UPGRADE',
  TOPUP = 'TOPUP',
  OVERRIDE = 'OVERRIDE',
  BOOST = 'BOOST',
}

registerEnumType(LimitSource, {
  name: 'LimitSource',
  description: 'Where the number of an effective limit comes from: the last that changed it.',
  valuesMap: {
    DEFAULT: { description: 'The API, for tenants whose tier says nothing.' },
    TIER: { description: 'The tier version that the tenant is on.' },
    UPGRADE: { description: 'Something bought or given that renews.' },
    TOPUP: { description: 'Something bought or given once.' },
    OVERRIDE: { description: 'An exception that an admin made.' },
    BOOST: { description: 'An exception for a while.' },
  },
});

@ObjectType({ description: 'What a limit has counted up to now.' })
export class LiveCounter {
  @Field(() => SafeInt, { description: 'What is used.' })
  used!: number;

  @Field(() => SafeInt, { description: 'What would pass right now, at cost 1.' })
  remaining!: number;

  @Field(() => DateTime, { description: 'When nothing of it is used any more.' })
  resetAt!: Date;
}

@ObjectType({ description: 'One step from the number of the tier to the one in force.' })
export class AdjustmentStage {
  @Field(() => LimitSource, { description: 'What kind of thing changed it.' })
  source!: LimitSource;

  @Field(() => ID, { description: 'The entitlement, override or boost.' })
  adjustmentId!: string;

  @Field({ description: 'What was sold or given, for people.' })
  label!: string;

  @Field(() => SafeInt, { description: 'The number before it.' })
  from!: number;

  @Field(() => SafeInt, { description: 'The number that it makes of that.' })
  to!: number;

  @Field(() => DateTime, { nullable: true, description: 'When it ends by itself; null: somebody ends it.' })
  until!: Date | null;
}

@ObjectType({ description: 'A limit that applies to a tenant now.' })
export class EffectiveLimit {
  @Field(() => Limit, { description: 'The limit, with the numbers that are enforced.' })
  limit!: Limit;

  @Field(() => SafeInt, { description: 'What the tier says that `limit` is.' })
  tierLimit!: number;

  @Field(() => LimitSource, { description: 'Where its number comes from: the last that changed it.' })
  source!: LimitSource;

  @Field(() => [AdjustmentStage], {
    description: 'What changed the number of the tier, step by step: upgrades, top-ups, override, boost.',
  })
  provenance!: AdjustmentStage[];

  @Field({
    description:
      'Whether they come to more than can be counted exactly; the most that can be is enforced then.',
  })
  clamped!: boolean;

  @Field(() => LiveCounter, {
    nullable: true,
    description: 'Null when the limit counts by more than the tenant, or Redis cannot be asked.',
  })
  live!: LiveCounter | null;
}

registerEnumType(TenantStatus, {
  name: 'TenantStatus',
  description: 'Whether a tenant is served.',
  valuesMap: {
    ACTIVE: { description: 'Its limits apply.' },
    SUSPENDED: { description: 'Every request of it is refused, marked BLOCKED.' },
    ARCHIVED: {
      description: 'Gone for good: nodes do not know it, its keys are dead, its name is not used again.',
    },
  },
});
registerEnumType(MemberRole, {
  name: 'MemberRole',
  description: 'What a member may do in their own tenant.',
  valuesMap: {
    OWNER: { description: 'Everything.' },
    BUYER: { description: 'Buys and sees invoices.' },
    DEVELOPER: { description: 'Manages keys and sees usage.' },
    VIEWER: { description: 'Sees, changes nothing.' },
  },
});

/** In GraphQL by another name: `Subscription` is the root of streams there. */
@ObjectType('TenantSubscription', { description: 'What a tenant is on.' })
export class Subscription {
  @Field(() => Tier, { description: 'The tier.' })
  tier!: Tier;

  @Field(() => TierVersion, { description: 'The version whose limits apply now.' })
  tierVersion!: TierVersion;

  @Field({ description: 'Whether the tenant stays on this version when a later one is published.' })
  pinned!: boolean;

  @Field({
    description:
      'Whether a publication pinned it that was not for this tenant, or not yet; false: somebody did.',
  })
  heldBack!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When a tenant that is held back follows its tier again by itself, in billing time: its billing period ends.',
  })
  followsAt!: Date | null;

  @Field(() => DateTime, { description: 'Since when the tenant has been on the tier.' })
  since!: Date;
}

@ObjectType({ description: 'A person of a tenant.' })
export class Member {
  @Field(() => ID, { description: 'Id of the membership.' })
  id!: string;

  @Field({ description: 'Address.' })
  email!: string;

  @Field({ description: 'Name.' })
  name!: string;

  @Field(() => MemberRole, { description: 'What they may do in their own tenant.' })
  role!: MemberRole;
}

@ObjectType({ implements: () => [Node], description: 'A customer organisation.' })
export class Tenant extends Node {
  @Field({ description: 'Permanent name, as requests send it.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field(() => TenantStatus, { description: 'Whether it is served.' })
  status!: TenantStatus;

  @Field({ description: 'IANA name of its time zone.' })
  timeZone!: string;

  @Field(() => Int, {
    description: 'Day of the month on which its billing periods begin; the last day in shorter months.',
  })
  billingAnchorDay!: number;

  @Field(() => [String], { description: 'Labels to choose it by, such as for a cohort.' })
  tags!: string[];

  @Field(() => ManagedBy, { description: 'Where it is kept.' })
  managedBy!: ManagedBy;

  @Field(() => Int, { description: 'Row version, for `expectedVersion`.' })
  version!: number;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => Subscription, { description: 'What it is on.' })
  subscription?: Subscription;

  @Field(() => [EffectiveLimit], {
    description:
      'What applies to the tenant now, with its source and, for limits counted by tenant alone, the live counter.',
  })
  effectiveLimits?: EffectiveLimit[];

  @Field(() => [Member], { description: 'Its people, by address.' })
  members?: Member[];
}

export const TenantConnection = connectionOf(Tenant, 'Tenant', 'tenants');

@ArgsType()
export class TenantsArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Part of a key or name; case does not matter.' })
  search?: string | null;

  @Field(() => String, { nullable: true, description: 'Only tenants on the tier of this key.' })
  tier?: string | null;

  @Field(() => TenantStatus, { nullable: true, description: 'Only tenants of this status.' })
  status?: TenantStatus | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How many to leave out first, to jump to a place in a long list; not with `after`.',
  })
  skip?: number | null;
}

@InputType({ description: 'A new tenant and the tier that it starts on.' })
export class TenantCreateInput extends MutationInput {
  @Field({ description: 'Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field({ description: 'Key of a tier with a published version.' })
  tierKey!: string;

  @Field(() => String, { nullable: true, defaultValue: 'UTC', description: 'IANA name of its time zone.' })
  timeZone?: string | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 1,
    description: 'Day of the month on which its billing periods begin, 1 to 31.',
  })
  billingAnchorDay?: number | null;

  @Field(() => [String], {
    nullable: true,
    defaultValue: [],
    description: 'Labels to choose it by, 20 at most.',
  })
  tags?: string[] | null;
}

/** Which tenant a change is to, as its caller has seen it. */
@InputType({ isAbstract: true })
abstract class TenantChangeInput extends ManagedInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => Int, { description: 'Version of the tenant that the caller has seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A move of a tenant to another tier.' })
export class TenantTierChangeInput extends TenantChangeInput {
  @Field({ description: 'Key of a tier with a published version.' })
  tierKey!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of a published or archived version to stay on; left out: whichever is in force.',
  })
  pinnedVersion?: number | null;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what the tenant has used.',
  })
  carryOver?: CarryOver | null;
}

@InputType({ description: 'A change of a tenant; what is left out stays as it is.' })
export class TenantUpdateInput extends TenantChangeInput {
  @Field(() => String, { nullable: true, description: 'Name for people.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'IANA name of its time zone.' })
  timeZone?: string | null;

  @Field(() => Int, { nullable: true, description: 'Day of the month, 1 to 31.' })
  billingAnchorDay?: number | null;

  @Field(() => [String], { nullable: true, description: 'All of its labels, 20 at most.' })
  tags?: string[] | null;
}

@InputType({ description: 'Which tenant to suspend or resume.' })
export class TenantStatusInput extends TenantChangeInput {}

@ObjectType({ description: 'Outcome of creating a tenant.' })
export class TenantPayload extends PublishedPayload {
  @Field(() => Tenant, { nullable: true, description: 'The new tenant.' })
  tenant!: Tenant | null;
}

@ObjectType({ description: 'A limit of which a tenant has used more already than it would have.' })
export class LimitOveruse {
  @Field({ description: 'Key of its API.' })
  apiKey!: string;

  @Field({ description: 'Its name within the API.' })
  name!: string;

  @Field(() => SafeInt, { description: 'What is used, after the carry-over rule.' })
  used!: number;

  @Field(() => SafeInt, { description: 'What would be allowed.' })
  limit!: number;

  @Field(() => DateTime, { description: 'When nothing of it is used any more.' })
  resetAt!: Date;

  @Field({ description: 'The same in words.' })
  message!: string;
}

@ObjectType({ description: 'Outcome of moving a tenant.' })
export class TenantTierChangePayload extends PublishedPayload {
  @Field(() => Tenant, {
    nullable: true,
    description: 'The tenant after the change; on CONFLICT as it is now.',
  })
  tenant!: Tenant | null;

  @Field(() => [LimitOveruse], {
    description: 'Limits of which more is used than the tenant has from now on: a dry run tells before.',
  })
  warnings!: LimitOveruse[];
}

@ObjectType({ description: 'Outcome of a change to a tenant.' })
export class TenantChangePayload extends PublishedPayload {
  @Field(() => Tenant, {
    nullable: true,
    description: 'The tenant after the change; on CONFLICT as it is now.',
  })
  tenant!: Tenant | null;
}
