import { Extensions, Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { DateTime, SafeInt } from './scalars.js';
import { UserError } from './user-error.graphql.js';

/** Price of examples and usage in an impact. */
const NAMING = 20;

/** Fields of every mutation input. */
@InputType({ isAbstract: true })
export abstract class MutationInput {
  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;

  @Field({
    nullable: true,
    description: 'Validate and return the outcome and impact, but change nothing. Default: false.',
  })
  dryRun?: boolean;
}

/** The field that permits changing managed objects. */
export const FORCE = {
  nullable: true,
  description:
    'Change it although a configuration file keeps it; needs a reason. The next `configApply` takes it back.',
};

/** Input fields of mutations on objects that a configuration file can manage. */
@InputType({ isAbstract: true })
export abstract class ManagedInput extends MutationInput {
  @Field(FORCE)
  force?: boolean;
}

@ObjectType({ description: 'A tenant that a change of policy reaches.' })
export class ImpactedTenant {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Name of the tenant.' })
  tenantName!: string;

  @Field({ description: 'Whether a limit admits more than before.' })
  loosened!: boolean;

  @Field({ description: 'Whether a limit admits less than before.' })
  tightened!: boolean;
}

@ObjectType({ description: 'A tenant that lately used more than a limit would let pass.' })
export class ImpactOverrun {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Name of the tenant.' })
  tenantName!: string;

  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'Name of the limit.' })
  limitName!: string;

  @Field(() => SafeInt, { description: 'Requests allowed per window or period.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'The most that passed in one of them lately.' })
  peak!: number;

  @Field(() => DateTime, { description: 'Beginning of the window in which that was.' })
  at!: Date;
}

@ObjectType({
  description: 'Tenants affected by a policy change. A tenant can have increased and decreased limits.',
})
export class Impact {
  @Field(() => Int, { description: 'Tenants with any changed limit.' })
  tenants!: number;

  @Field(() => Int, { description: 'Tenants with an increased limit.' })
  loosened!: number;

  @Field(() => Int, { description: 'Tenants with a decreased limit.' })
  tightened!: number;

  @Extensions({ usualLength: 1 })
  @Field(() => [ImpactedTenant], {
    complexity: NAMING,
    description: 'Examples of affected tenants, those with decreased limits first: 20 at most.',
  })
  sample?: ImpactedTenant[];

  @Extensions({ usualLength: 1 })
  @Field(() => [ImpactOverrun], {
    nullable: true,
    complexity: NAMING,
    description:
      'Tenants whose recent usage exceeds the decreased limits, highest excess first: 20 at most. Null when it could not be computed in time.',
  })
  overruns?: ImpactOverrun[] | null;
}

/** Fields of every mutation payload, besides its object. */
@ObjectType({ isAbstract: true })
export abstract class MutationPayload {
  @Extensions({ usualLength: 1 })
  @Field(() => [UserError], { description: 'Why nothing changed; empty on success.' })
  userErrors!: UserError[];

  @Field(() => Impact, {
    nullable: true,
    description: 'Affected tenants, for a dry run that changes policy; otherwise null.',
  })
  impact?: Impact | null;
}

/** Payload of a mutation that changes published policy. */
@ObjectType({ isAbstract: true })
export abstract class PublishedPayload extends MutationPayload {
  @Field(() => ID, {
    nullable: true,
    description: 'Ask `propagation` with it how far the change has travelled.',
  })
  changeId!: string | null;
}
