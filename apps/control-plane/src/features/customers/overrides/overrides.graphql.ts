import { ArgsType, Field, ID, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import {
  FORCE,
  ManagedInput,
  MutationInput,
  PublishedPayload,
} from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { ManagedBy, OverrideKind } from '../../../platform/prisma/schema.js';
import { AdjustmentInput, LimitPreview, PlacedAdjustment } from '../entitlements/adjustment-input.graphql.js';
import { Tenant } from '../tenants/tenants.graphql.js';

export enum OverrideStatus {
  SCHEDULED = 'SCHEDULED',
  ACTIVE = 'ACTIVE',
  ENDED = 'ENDED',
  REMOVED = 'REMOVED',
}

registerEnumType(OverrideKind, {
  name: 'OverrideKind',
  description: 'What kind of exception it is.',
  valuesMap: {
    OVERRIDE: { description: 'Takes the place of what the tenant has, or changes it.' },
    BOOST: { description: 'Raises what the tenant has, for a while.' },
  },
});
registerEnumType(OverrideStatus, {
  name: 'OverrideStatus',
  description: 'Whether an override or boost is in force.',
  valuesMap: {
    SCHEDULED: { description: 'It will be.' },
    ACTIVE: { description: 'It is.' },
    ENDED: { description: 'It has ended by itself.' },
    REMOVED: { description: 'Somebody ended it.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'An exception for one tenant, made by an operator.' })
export class Override extends PlacedAdjustment {
  @Field(() => OverrideKind, { description: 'What kind of exception it is.' })
  kind!: OverrideKind;

  @Field(() => OverrideStatus, { description: 'Whether it is in force.' })
  status!: OverrideStatus;

  @Field(() => String, { nullable: true, description: 'Why it was made; null to the tenant’s own people.' })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ends by itself; null: when it is removed.' })
  endsAt!: Date | null;

  @Field({ description: 'Who made it.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When somebody ended it; null: nobody did.' })
  removedAt!: Date | null;

  @Field(() => ManagedBy, { description: 'Where it is kept.' })
  managedBy!: ManagedBy;

  @Field(() => Tenant, { description: 'Whose limits it changes.' })
  tenant!: Tenant;
}

export const OverrideConnection = connectionOf(Override, 'Override', 'overrides and boosts');

@ArgsType()
export class OverridesArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Only of the tenant of this key; left out: of all that the caller may see.',
  })
  tenantKey?: string | null;

  @Field(() => OverrideKind, { nullable: true, description: 'Only of this kind.' })
  kind?: OverrideKind | null;

  @Field(() => Boolean, { nullable: true, description: 'Only what is in force now or will be.' })
  live?: boolean | null;
}

@InputType({
  description: 'An exception for one tenant. It takes the place of another one for the same limits.',
})
export class OverrideSetInput extends AdjustmentInput {
  @Field(() => DateTime, { nullable: true, description: 'From when on; left out: now.' })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it ends by itself; left out: in 30 days; null: when it is removed.',
  })
  expiresAt?: Date | null;

  @Field(FORCE)
  force?: boolean;
}

@InputType({
  description: 'More of what a tenant has, for a while: ADD, or MULTIPLY by more than 100 percent.',
})
export class BoostStartInput extends AdjustmentInput {
  @Field(() => DateTime, {
    description: 'When it ends by itself: 72 hours from now at most for support, 30 days for others.',
  })
  endsAt!: Date;
}

@InputType({ description: 'An override that is removed.' })
export class OverrideRemoveInput extends ManagedInput {
  @Field(() => ID, { description: 'The override.' })
  overrideId!: string;
}

@InputType({ description: 'A boost that is ended before its time.' })
export class BoostEndInput extends MutationInput {
  @Field(() => ID, { description: 'The boost.' })
  boostId!: string;
}

@ObjectType({ description: 'Outcome of a change to an override or boost.' })
export class OverridePayload extends PublishedPayload {
  @Field(() => Override, { nullable: true, description: 'The override or boost.' })
  override!: Override | null;

  @Field(() => Tenant, {
    nullable: true,
    description: 'The tenant after the change; on CONFLICT as it is now.',
  })
  tenant!: Tenant | null;

  @Field(() => [String], { description: 'What is done all the same, and should be known.' })
  warnings!: string[];

  @Field(() => [LimitPreview], {
    description: "Of a dry run: what the tenant's limits would be; else empty.",
  })
  preview!: LimitPreview[];
}
