import { ArgsType, Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault, tags } from '../../../platform/changes/outcome.js';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { ManagedInput, MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { ArgsOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';

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
export class LiveCounter extends ObjectOf({
  used: field.safeInt('Units used.'),
  remaining: field.safeInt('Units available now.'),
  resetAt: field.dateTime('When the usage has fully reset.'),
}) {}

@ObjectType({ description: 'One step from the limit of the tier to the effective limit.' })
export class AdjustmentStage extends ObjectOf({
  source: field.of(() => LimitSource, 'Kind of change.'),
  adjustmentId: field.id('The entitlement, override or boost.'),
  label: field.string('Display name of the offer or grant.'),
  from: field.safeInt('The limit before this step.'),
  to: field.safeInt('The limit after this step.'),
  until: field.dateTime('When it ends automatically; null: when it is ended manually.').nullable(),
}) {}

@ObjectType({ description: 'A limit in effect for a tenant.' })
export class EffectiveLimit extends ObjectOf({
  limit: field.of(() => Limit, 'The limit with the enforced values.'),
  tierLimit: field.safeInt('The value of `limit` in the tier.'),
  source: field.of(() => LimitSource, 'Source of the value: the last change applied to it.'),
  provenance: field
    .of(
      () => AdjustmentStage,
      'The steps from the limit of the tier to the effective limit: upgrades, top-ups, override, boost.',
    )
    .list(),
  clamped: field.boolean(
    'Whether the result exceeds the largest countable value, which is enforced instead.',
  ),
  live: field
    .of(() => LiveCounter, 'Null if the limit counts by more than the tenant, or Redis is unavailable.')
    .nullable(),
}) {}

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
export class Subscription extends ObjectOf({
  tier: field.of(() => Tier, 'The tier.'),
  tierVersion: field.of(() => TierVersion, 'The version in effect.'),
  pinned: field.boolean('Whether the tenant keeps this version when a later one is published.'),
  pinnedByRollout: field.boolean(
    'Whether a gradual rollout pinned it, because the tenant is not in the audience yet; false: it was pinned manually.',
  ),
  followsAt: field
    .dateTime(
      'When a held-back tenant moves to the current version: at the end of its billing period, in billing time.',
    )
    .nullable(),
  since: field.dateTime('When the tenant joined the tier.'),
}) {}

@ObjectType({ description: 'A member of a tenant.' })
export class Member extends ObjectOf({
  id: field.id('Id of the membership.'),
  email: field.string('Address.'),
  name: field.string('Name.'),
  role: field.of(() => MemberRole, 'Role in the tenant.'),
}) {}

@ObjectType({ implements: () => [Node], description: 'A customer organisation.' })
export class Tenant extends ObjectOf(Node, {
  key: field.string('Permanent key, as sent in requests.'),
  name: field.string('Name for people.'),
  status: field.of(() => TenantStatus, 'Status.'),
  timeZone: field.string('IANA name of its time zone.'),
  billingAnchorDay: field.int(
    'Day of the month on which its billing periods begin; the last day in shorter months.',
  ),
  tags: field.string('Tags, for example to define a cohort.').list(),
  managedBy: field.of(() => ManagedBy, 'Whether the console or a configuration manages it.'),
  version: field.int('Row version, for `expectedVersion`.'),
  createdAt: field.dateTime('When it was created.'),
  subscription: field.of(() => Subscription, 'Tier of the tenant.').resolved(),
  effectiveLimits: field
    .of(
      () => EffectiveLimit,
      'The effective limits with their sources and, for limits counted per tenant, the live counters.',
    )
    .list()
    .resolved(),
  members: field
    .of(() => Member, 'Members, by email address.')
    .list()
    .resolved(),
}) {}

export const TenantConnection = connectionOf(Tenant, 'Tenant', 'tenants');

@ArgsType()
export class TenantsArgs extends ArgsOf(PageArgs, {
  search: field.string('Part of a key or name; case does not matter.').optional(),
  tier: field.string('Only tenants on the tier of this key.').optional(),
  status: field.of(() => TenantStatus, 'Only tenants of this status.').optional(),
  skip: field.int('Number of tenants to skip, to jump into a long list; not with `after`.').optional(),
}) {}

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
export class TenantPayload extends ObjectOf(PublishedPayload, {
  tenant: field.of(() => Tenant, 'The new tenant.').nullable(),
}) {}

@ObjectType({ description: 'A limit that existing usage exceeds after the change.' })
export class LimitOveruse extends ObjectOf({
  apiKey: field.string('Key of its API.'),
  name: field.string('Its name within the API.'),
  used: field.safeInt('Units used, after carry-over.'),
  limit: field.safeInt('The new limit.'),
  resetAt: field.dateTime('When the usage has fully reset.'),
  message: field.string('Explanation.'),
}) {}

@ObjectType({ description: 'Outcome of a tier change.' })
export class TenantTierChangePayload extends ObjectOf(PublishedPayload, {
  tenant: field.of(() => Tenant, 'The tenant after the change; on CONFLICT as it is now.').nullable(),
  warnings: field
    .of(
      () => LimitOveruse,
      'Limits that current usage exceeds after the change. A dry run reports them in advance.',
    )
    .list(),
}) {}

@ObjectType({ description: 'Outcome of a change to a tenant.' })
export class TenantChangePayload extends ObjectOf(PublishedPayload, {
  tenant: field.of(() => Tenant, 'The tenant after the change; on CONFLICT as it is now.').nullable(),
}) {}
