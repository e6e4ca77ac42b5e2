import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../platform/graphql/mutation.graphql.js';
import { Node } from '../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../platform/graphql/scalars.js';
import { MemberRole, TenantStatus } from '../../platform/prisma/schema.js';
import { Limit, Tier, TierVersion } from '../tiers/index.js';

export enum LimitSource {
  TIER = 'TIER',
}

registerEnumType(TenantStatus, {
  name: 'TenantStatus',
  description: 'Whether a tenant is served.',
  valuesMap: {
    ACTIVE: { description: 'Its limits apply.' },
    SUSPENDED: { description: 'Every request of it is refused, marked BLOCKED.' },
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
registerEnumType(LimitSource, {
  name: 'LimitSource',
  description: 'Where an effective limit comes from.',
  valuesMap: { TIER: { description: 'The tier version that the tenant is on.' } },
});

@ObjectType({ description: 'What a tenant is on.' })
export class Subscription {
  @Field(() => Tier, { description: 'The tier.' })
  tier!: Tier;

  @Field(() => TierVersion, { description: 'The version whose limits apply now.' })
  tierVersion!: TierVersion;

  @Field({ description: 'Whether the tenant stays on this version when a later one is published.' })
  pinned!: boolean;

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

@ObjectType({ description: 'What a limit has counted up to now.' })
export class LiveCounter {
  @Field(() => SafeInt, { description: 'What is used.' })
  used!: number;

  @Field(() => SafeInt, { description: 'What would pass right now, at cost 1.' })
  remaining!: number;

  @Field(() => DateTime, { description: 'When nothing of it is used any more.' })
  resetAt!: Date;
}

@ObjectType({ description: 'A limit that applies to a tenant now.' })
export class EffectiveLimit {
  @Field(() => Limit, { description: 'The limit.' })
  limit!: Limit;

  @Field(() => LimitSource, { description: 'Where it comes from.' })
  source!: LimitSource;

  @Field(() => LiveCounter, {
    nullable: true,
    description: 'Null when the limit counts by more than the tenant, or Redis cannot be asked.',
  })
  live!: LiveCounter | null;
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
}

/** Which tenant a change is to, as its caller has seen it. */
@InputType({ isAbstract: true })
abstract class TenantChangeInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => Int, { description: 'Version of the tenant that the caller has seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A move of a tenant to another tier.' })
export class TenantTierChangeInput extends TenantChangeInput {
  @Field({ description: 'Key of a tier with a published version.' })
  tierKey!: string;
}

@InputType({ description: 'Which tenant to suspend or resume.' })
export class TenantStatusInput extends TenantChangeInput {}

@ObjectType({ description: 'Outcome of creating a tenant.' })
export class TenantPayload extends PublishedPayload {
  @Field(() => Tenant, { nullable: true, description: 'The new tenant.' })
  tenant!: Tenant | null;
}

@ObjectType({ description: 'Outcome of a change to a tenant.' })
export class TenantChangePayload extends PublishedPayload {
  @Field(() => Tenant, {
    nullable: true,
    description: 'The tenant after the change; on CONFLICT as it is now.',
  })
  tenant!: Tenant | null;
}
