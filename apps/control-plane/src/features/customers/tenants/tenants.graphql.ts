import { ArgsType, InputType, ObjectType } from '@nestjs/graphql';
import {
  apiKeySchema,
  childFloorsSchema,
  limitNameSchema,
  tenantKeySchema,
  tierKeySchema,
  timeZoneSchema,
} from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, orDefault, printedName, tags } from '../../../platform/changes/outcome.js';
import { connectionOf, Node, PageArgs } from '../../../platform/graphql/connection.js';
import { ManagedInput, MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import {
  ArgsOf,
  enumOf,
  field,
  InputOf,
  NestedInput,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';

import { SafeInt } from '../../../platform/graphql/scalars.js';
import { CarryOver, ManagedBy, MemberRole, TenantStatus } from '../../../platform/prisma/schema.js';
import { Limit, Tier, TierVersion } from '../../catalogue/index.js';

const timeZone = timeZoneSchema.describe('IANA name of its time zone.');

const billingAnchorDay = z
  .int()
  .min(1, 'billingAnchorDay must be 1 or more')
  .max(31, 'billingAnchorDay must be 31 or less');

export const carryOver = orDefault(z.enum(CarryOver), CarryOver.KEEP).meta({
  description: 'Carry-over of existing usage.',
  defaultValue: CarryOver.KEEP,
});

/** A tenant as the caller has read it. */
export const seenTenant = {
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  expectedVersion: z.int().describe('Version of the tenant that the caller has read.'),
  reason: optionalNote,
};

export const tenantCreateSchema = z.object({
  key: tenantKeySchema.describe('Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters.'),
  name: printedName.describe('Display name.'),
  tierKey: tierKeySchema.describe('Key of a tier with a published version.'),
  timeZone: orDefault(timeZone, 'UTC').meta({ defaultValue: 'UTC' }),
  billingAnchorDay: orDefault(billingAnchorDay, 1).meta({
    description: 'Day of the month on which its billing periods begin, 1 to 31.',
    defaultValue: 1,
  }),
  tags: orDefault(tags, []).meta({ description: 'Tags, 20 at most.', defaultValue: [] }),
  parentKey: tenantKeySchema
    .nullish()
    .describe(
      'Key of its parent, whose limits with `sharedWithChildren` its requests count on too; for good.',
    ),
  reason: optionalNote,
});

@InputType({ description: 'A new tenant and its tier.' })
export class TenantCreateInput extends InputOf(tenantCreateSchema, MutationInput) {}

export const tenantTierChangeSchema = z.object({
  ...seenTenant,
  tierKey: tierKeySchema.describe('Key of a tier with a published version.'),
  pinnedVersion: z
    .int()
    .min(1, 'pinnedVersion must be 1 or more')
    .nullish()
    .describe('Number of a published or archived version to pin; omitted: follow the current version.'),
  carryOver,
});

@InputType({ description: 'Changes the tier of a tenant.' })
export class TenantTierChangeInput extends InputOf(tenantTierChangeSchema, ManagedInput) {}

export const tenantStatusSchema = z.object(seenTenant);

@InputType({ description: 'The tenant to suspend, resume or archive.' })
export class TenantStatusInput extends InputOf(tenantStatusSchema, ManagedInput) {}

export const tenantUpdateSchema = tenantStatusSchema.extend({
  name: printedName.nullish().describe('Display name.'),
  timeZone: timeZone.nullish(),
  billingAnchorDay: billingAnchorDay.nullish().describe('Day of the month, 1 to 31.'),
  tags: tags.nullish().describe('All tags, 20 at most.'),
});

@InputType({ description: 'Changes to a tenant; omitted fields stay unchanged.' })
export class TenantUpdateInput extends InputOf(tenantUpdateSchema, ManagedInput) {}

const floorFields = z.object({
  apiKey: apiKeySchema.describe('Key of the API.'),
  limit: limitNameSchema.describe('Name of a limit that the parent shares.'),
  units: z
    .number()
    .meta({ graphql: () => SafeInt })
    .describe('Units of the limit that neither the parent nor siblings use, 1 or more.'),
});

@InputType({ description: 'A part of a limit of the parent that only one child uses.' })
class TenantFloorInput extends InputOf(floorFields) {}
NestedInput(floorFields)(TenantFloorInput);

export const tenantFloorsSetSchema = z.object({
  ...seenTenant,
  floors: z
    .array(floorFields.transform(({ apiKey: api, limit, units }) => ({ api, limit, units })))
    .pipe(childFloorsSchema)
    .describe('All floors of the tenant; others end.'),
});

@InputType({ description: 'The floors of a child tenant.' })
export class TenantFloorsSetInput extends InputOf(tenantFloorsSetSchema, ManagedInput) {}

export const LimitSource = enumOf(
  'LimitSource',
  'Source of an effective limit: the last change applied to it.',
  {
    DEFAULT: 'The default limits of the API.',
    TIER: 'The tier version of the tenant.',
    WARM_UP: 'The ramp of a new tenant, which starts at a part of the limit.',
    UPGRADE: 'A purchased or granted upgrade, which renews.',
    TOPUP: 'A purchased or granted top-up, which expires.',
    OVERRIDE: 'An override set by an admin.',
    BOOST: 'A temporary boost.',
    OWN: 'A lower limit that the tenant set itself.',
    PARENT: 'The parent tenant, which shares the limit.',
    SUBJECT_RULE: 'A rule for some of its subjects; only in `subjectLimits`.',
  },
);
export type LimitSource = keyof typeof LimitSource;

@ObjectType({ description: 'The current counter of a limit.' })
export class LiveCounter extends ObjectOf({
  used: field.safeInt('Units used.'),
  remaining: field.safeInt('Units available now.'),
  resetAt: field.dateTime('When the usage has fully reset.'),
}) {}

@ObjectType({ description: 'One step from the limit of the tier to the effective limit.' })
export class AdjustmentStage extends ObjectOf({
  source: field.of(() => LimitSource, 'Kind of change.'),
  adjustmentId: field.id('The entitlement, override, boost or subject rule.'),
  label: field.string('Display name of the offer or grant; of a subject rule, dimension and pattern.'),
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
      'The steps from the limit of the tier to the effective limit: warm-up, upgrades, override, boost, units of top-ups, own limit.',
    )
    .list(),
  clamped: field.boolean(
    'Whether the result exceeds the largest countable value, which is enforced instead.',
  ),
  live: field
    .of(() => LiveCounter, 'Null if the limit counts by more than the tenant, or Redis is unavailable.')
    .nullable(),
}) {}

@ObjectType({ description: 'A part of a limit of the parent that only one child uses.' })
export class TenantFloor extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  limit: field.string('Name of the limit.'),
  units: field.safeInt('Units that neither the parent nor siblings use.'),
}) {}

@ObjectType({ description: 'The floor of a tenant in a limit of its parent.' })
export class FloorInEffect extends ObjectOf({
  units: field.safeInt('Units in effect; fewer than set if all floors exceed the limit together.'),
  live: field.of(() => LiveCounter, 'Null if Redis is unavailable.').nullable(),
}) {}

@ObjectType({ description: 'A limit that a parent tenant shares with its children.' })
export class SharedLimit extends ObjectOf({
  apiKey: field.string('Key of its API.'),
  name: field.string('Its name within the API.'),
  limit: field.safeInt('The effective limit of the parent.'),
  summary: field.string('One sentence in plain words, generated from the configuration.'),
  live: field
    .of(() => LiveCounter, 'Usage of the parent and all children together; null if Redis is unavailable.')
    .nullable(),
  common: field.safeInt('Units without the floors of all children.'),
  floor: field.of(() => FloorInEffect, 'The floor of this tenant; null: it has none in effect.').nullable(),
}) {}

registerEnum(TenantStatus, 'TenantStatus', 'Status of a tenant.', {
  ACTIVE: 'Requests are decided by its limits.',
  SUSPENDED: 'Every request of it and of its children is denied with reason BLOCKED.',
  ARCHIVED: 'Deleted for good: nodes drop it, its API keys stop working, its key is never reused.',
});
registerEnum(MemberRole, 'MemberRole', 'Role of a member in their tenant.', {
  OWNER: 'Everything.',
  BUYER: 'Buys and sees invoices.',
  DEVELOPER: 'Manages keys and sees usage.',
  VIEWER: 'Read-only access.',
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
      'When a tenant pinned by a rollout moves to the current version: at the end of its billing period, in billing time.',
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

@ObjectType({ implements: () => [Node], description: 'A customer organization.' })
export class Tenant extends ObjectOf(Node, {
  key: field.string('Permanent key, as sent in requests.'),
  name: field.string('Display name.'),
  status: field.of(() => TenantStatus, 'Status.'),
  timeZone: field.string(
    'IANA name of its time zone, in canonical form: `Asia/Kolkata`, not `Asia/Calcutta`.',
  ),
  billingAnchorDay: field.int(
    'Day of the month on which its billing periods begin; the last day in shorter months.',
  ),
  tags: field.string('Tags, for example to define a cohort.').list(),
  parentKey: field.string('Key of its parent; null: it has none.').nullable(),
  floors: field
    .of(() => TenantFloor, 'Parts of limits of its parent that only it uses.')
    .list()
    .resolved(),
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
  sharedLimits: field
    .of(
      () => SharedLimit,
      'Of a child: the limits of its parent that its requests count on too. Of a parent: those that it shares.',
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
  parent: field.string('Only children of the tenant with this key.').optional(),
  skip: field
    .int('Number of tenants to skip, 0 to 10,000, to jump into a long list; not with `after`.')
    .optional(),
}) {}

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
