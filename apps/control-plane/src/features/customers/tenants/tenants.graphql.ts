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
  description: 'Source of an effective limit: the last change applied to it.',
  valuesMap: {
    DEFAULT: { description: 'The default limits of the API.' },
    TIER: { description: 'The tier version of the tenant.' },
    UPGRADE: { description: 'A purchased or granted upgrade, which renews.' },
    TOPUP: { description: 'A purchased or granted top-up, which expires.' },
    OVERRIDE: { description: 'An override set by an admin.' },
    BOOST: { description: 'A temporary boost.' },
  },
});

@ObjectType({ description: 'The current counter of a limit.' })
export class LiveCounter {
  @Field(() => SafeInt, { description: 'Units used.' })
  used!: number;

  @Field(() => SafeInt, { description: 'Units available now.' })
  remaining!: number;

  @Field(() => DateTime, { description: 'When the usage has fully reset.' })
  resetAt!: Date;
}

@ObjectType({ description: 'One step from the limit of the tier to the effective limit.' })
export class AdjustmentStage {
  @Field(() => LimitSource, { description: 'Kind of change.' })
  source!: LimitSource;

  @Field(() => ID, { description: 'The entitlement, override or boost.' })
  adjustmentId!: string;

  @Field({ description: 'Display name of the offer or grant.' })
  label!: string;

  @Field(() => SafeInt, { description: 'The limit before this step.' })
  from!: number;

  @Field(() => SafeInt, { description: 'The limit after this step.' })
  to!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it ends automatically; null: when it is ended manually.',
  })
  until!: Date | null;
}

@ObjectType({ description: 'A limit in effect for a tenant.' })
export class EffectiveLimit {
  @Field(() => Limit, { description: 'The limit with the enforced values.' })
  limit!: Limit;

  @Field(() => SafeInt, { description: 'The value of `limit` in the tier.' })
  tierLimit!: number;

  @Field(() => LimitSource, { description: 'Source of the value: the last change applied to it.' })
  source!: LimitSource;

  @Field(() => [AdjustmentStage], {
    description:
      'The steps from the limit of the tier to the effective limit: upgrades, top-ups, override, boost.',
  })
  provenance!: AdjustmentStage[];

  @Field({
    description: 'Whether the result exceeds the largest countable value, which is enforced instead.',
  })
  clamped!: boolean;

  @Field(() => LiveCounter, {
    nullable: true,
    description: 'Null if the limit counts by more than the tenant, or Redis is unavailable.',
  })
  live!: LiveCounter | null;
}

registerEnumType(TenantStatus, {
  name: 'TenantStatus',
  description: 'Status of a tenant.',
  valuesMap: {
    ACTIVE: { description: 'Requests are decided by its limits.' },
    SUSPENDED: { description: 'Every request is denied with reason BLOCKED.' },
    ARCHIVED: {
      description: 'Deleted for good: nodes drop it, its API keys stop working, its key is never reused.',
    },
  },
});
registerEnumType(MemberRole, {
  name: 'MemberRole',
  description: 'Role of a member in their tenant.',
  valuesMap: {
    OWNER: { description: 'Everything.' },
    BUYER: { description: 'Buys and sees invoices.' },
    DEVELOPER: { description: 'Manages keys and sees usage.' },
    VIEWER: { description: 'Read-only access.' },
  },
});

/** Named `TenantSubscription` in GraphQL: `Subscription` is the root type there. */
@ObjectType('TenantSubscription', { description: 'Tier of a tenant.' })
export class Subscription {
  @Field(() => Tier, { description: 'The tier.' })
  tier!: Tier;

  @Field(() => TierVersion, { description: 'The version in effect.' })
  tierVersion!: TierVersion;

  @Field({ description: 'Whether the tenant keeps this version when a later one is published.' })
  pinned!: boolean;

  @Field({
    description:
      'Whether a gradual rollout pinned it, because the tenant is not in the audience yet; false: it was pinned manually.',
  })
  pinnedByRollout!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When a held-back tenant moves to the current version: at the end of its billing period, in billing time.',
  })
  followsAt!: Date | null;

  @Field(() => DateTime, { description: 'When the tenant joined the tier.' })
  since!: Date;
}

@ObjectType({ description: 'A member of a tenant.' })
export class Member {
  @Field(() => ID, { description: 'Id of the membership.' })
  id!: string;

  @Field({ description: 'Address.' })
  email!: string;

  @Field({ description: 'Name.' })
  name!: string;

  @Field(() => MemberRole, { description: 'Role in the tenant.' })
  role!: MemberRole;
}

@ObjectType({ implements: () => [Node], description: 'A customer organisation.' })
export class Tenant extends Node {
  @Field({ description: 'Permanent key, as sent in requests.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field(() => TenantStatus, { description: 'Status.' })
  status!: TenantStatus;

  @Field({ description: 'IANA name of its time zone.' })
  timeZone!: string;

  @Field(() => Int, {
    description: 'Day of the month on which its billing periods begin; the last day in shorter months.',
  })
  billingAnchorDay!: number;

  @Field(() => [String], { description: 'Tags, for example to define a cohort.' })
  tags!: string[];

  @Field(() => ManagedBy, { description: 'Whether the console or a configuration manages it.' })
  managedBy!: ManagedBy;

  @Field(() => Int, { description: 'Row version, for `expectedVersion`.' })
  version!: number;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => Subscription, { description: 'Tier of the tenant.' })
  subscription?: Subscription;

  @Field(() => [EffectiveLimit], {
    description:
      'The effective limits with their sources and, for limits counted per tenant, the live counters.',
  })
  effectiveLimits?: EffectiveLimit[];

  @Field(() => [Member], { description: 'Members, by email address.' })
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
    description: 'Number of tenants to skip, to jump into a long list; not with `after`.',
  })
  skip?: number | null;
}

@InputType({ description: 'A new tenant and its tier.' })
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
    description: 'Tags, 20 at most.',
  })
  tags?: string[] | null;
}

/** A change to a tenant, with the version that the caller has read. */
@InputType({ isAbstract: true })
abstract class TenantChangeInput extends ManagedInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => Int, { description: 'Version of the tenant that the caller has read.' })
  expectedVersion!: number;
}

@InputType({ description: 'Changes the tier of a tenant.' })
export class TenantTierChangeInput extends TenantChangeInput {
  @Field({ description: 'Key of a tier with a published version.' })
  tierKey!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of a published or archived version to pin; omitted: follow the current version.',
  })
  pinnedVersion?: number | null;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'Carry-over of existing usage.',
  })
  carryOver?: CarryOver | null;
}

@InputType({ description: 'Changes to a tenant; omitted fields stay unchanged.' })
export class TenantUpdateInput extends TenantChangeInput {
  @Field(() => String, { nullable: true, description: 'Name for people.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'IANA name of its time zone.' })
  timeZone?: string | null;

  @Field(() => Int, { nullable: true, description: 'Day of the month, 1 to 31.' })
  billingAnchorDay?: number | null;

  @Field(() => [String], { nullable: true, description: 'All tags, 20 at most.' })
  tags?: string[] | null;
}

@InputType({ description: 'The tenant to suspend, resume or archive.' })
export class TenantStatusInput extends TenantChangeInput {}

@ObjectType({ description: 'Outcome of creating a tenant.' })
export class TenantPayload extends PublishedPayload {
  @Field(() => Tenant, { nullable: true, description: 'The new tenant.' })
  tenant!: Tenant | null;
}

@ObjectType({ description: 'A limit that existing usage exceeds after the change.' })
export class LimitOveruse {
  @Field({ description: 'Key of its API.' })
  apiKey!: string;

  @Field({ description: 'Its name within the API.' })
  name!: string;

  @Field(() => SafeInt, { description: 'Units used, after carry-over.' })
  used!: number;

  @Field(() => SafeInt, { description: 'The new limit.' })
  limit!: number;

  @Field(() => DateTime, { description: 'When the usage has fully reset.' })
  resetAt!: Date;

  @Field({ description: 'Explanation.' })
  message!: string;
}

@ObjectType({ description: 'Outcome of a tier change.' })
export class TenantTierChangePayload extends PublishedPayload {
  @Field(() => Tenant, {
    nullable: true,
    description: 'The tenant after the change; on CONFLICT as it is now.',
  })
  tenant!: Tenant | null;

  @Field(() => [LimitOveruse], {
    description: 'Limits that current usage exceeds after the change. A dry run reports them in advance.',
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
