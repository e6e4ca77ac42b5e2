import { Extensions, Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { DateTime, SafeInt } from './scalars.js';
import { UserError } from './user-error.graphql.js';

/** Cost of loading names and usage of affected tenants. */
const NAMING = 20;

/** Input fields of every mutation. */
@InputType({ isAbstract: true })
export abstract class MutationInput {
  @Field(() => String, { nullable: true, description: 'Reason, for the audit log.' })
  reason?: string | null;

  @Field({
    nullable: true,
    description: 'Validate and return the result without changing anything. False by default.',
  })
  dryRun?: boolean;
}

/** The field that overrides the protection of objects managed by the configuration file. */
export const FORCE = {
  nullable: true,
  description:
    'Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it.',
};

/** Input fields of mutations on objects that the configuration file may manage. */
@InputType({ isAbstract: true })
export abstract class ManagedInput extends MutationInput {
  @Field(FORCE)
  force?: boolean;
}

@ObjectType({ description: 'A tenant affected by a policy change.' })
export class ImpactedTenant {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Name of the tenant.' })
  tenantName!: string;

  @Field({ description: 'Whether a limit increases.' })
  increased!: boolean;

  @Field({ description: 'Whether a limit decreases.' })
  decreased!: boolean;
}

@ObjectType({ description: 'A tenant whose recent usage exceeds a new limit.' })
export class ImpactOverrun {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Name of the tenant.' })
  tenantName!: string;

  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'Name of the limit.' })
  limitName!: string;

  @Field(() => SafeInt, { description: 'The new limit per window or period.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'The highest recent usage in one of them.' })
  peak!: number;

  @Field(() => DateTime, { description: 'Start of that window.' })
  at!: Date;
}

@ObjectType({
  description:
    'Tenants affected by a policy change. For one tenant, some limits may increase and others decrease.',
})
export class Impact {
  @Field(() => Int, { description: 'Number of affected tenants.' })
  tenants!: number;

  @Field(() => Int, { description: 'Number of tenants with an increased limit.' })
  increased!: number;

  @Field(() => Int, { description: 'Number of tenants with a decreased limit.' })
  decreased!: number;

  @Extensions({ usualLength: 1 })
  @Field(() => [ImpactedTenant], {
    complexity: NAMING,
    description: 'Some affected tenants, decreased limits first; at most 20.',
  })
  sample?: ImpactedTenant[];

  @Extensions({ usualLength: 1 })
  @Field(() => [ImpactOverrun], {
    nullable: true,
    complexity: NAMING,
    description:
      'Tenants whose recent usage exceeds the decreased limits, highest excess first; at most 20. Null if the calculation timed out.',
  })
  overruns?: ImpactOverrun[] | null;
}

/** Payload fields of every mutation, beside the object. */
@ObjectType({ isAbstract: true })
export abstract class MutationPayload {
  @Extensions({ usualLength: 1 })
  @Field(() => [UserError], { description: 'Why nothing changed; empty on success.' })
  userErrors!: UserError[];

  @Field(() => Impact, {
    nullable: true,
    description: 'Impact of a dry run; null otherwise and if no policy changes.',
  })
  impact?: Impact | null;
}

/** Payload of mutations whose change is propagated to nodes. */
@ObjectType({ isAbstract: true })
export abstract class PublishedPayload extends MutationPayload {
  @Field(() => ID, {
    nullable: true,
    description: 'Id of the change, for `propagation`.',
  })
  changeId!: string | null;
}
