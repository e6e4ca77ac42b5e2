import { Extensions, Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { DateTime, SafeInt } from './scalars.js';
import { UserError } from './user-error.graphql.js';

/** What it costs to find names and usage of those whom a change reaches. */
const NAMING = 20;

/** What every mutation takes. */
@InputType({ isAbstract: true })
export abstract class MutationInput {
  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;

  @Field({
    nullable: true,
    description: 'Check everything and say what would happen, but change nothing. False when left out.',
  })
  dryRun?: boolean;
}

/** The field by which somebody insists on changing what a configuration file keeps. */
export const FORCE = {
  nullable: true,
  description:
    'Change it although a configuration file keeps it; needs a reason. The next `configApply` takes it back.',
};

/** What a mutation takes that changes something which a configuration file may keep. */
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

  @Field(() => SafeInt, { description: 'What would pass in one of its windows or periods.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'The most that passed in one of them lately.' })
  peak!: number;

  @Field(() => DateTime, { description: 'Beginning of the window in which that was.' })
  at!: Date;
}

@ObjectType({
  description:
    'Whom a change of policy reaches. A tenant may be loosened in one limit and tightened in another.',
})
export class Impact {
  @Field(() => Int, { description: 'Tenants for whom something changes.' })
  tenants!: number;

  @Field(() => Int, { description: 'Tenants for whom a limit admits more than before.' })
  loosened!: number;

  @Field(() => Int, { description: 'Tenants for whom a limit admits less than before.' })
  tightened!: number;

  @Extensions({ usualLength: 1 })
  @Field(() => [ImpactedTenant], {
    complexity: NAMING,
    description: 'Some of them by name, those for whom something gets tighter first: 20 at most.',
  })
  sample?: ImpactedTenant[];

  @Extensions({ usualLength: 1 })
  @Field(() => [ImpactOverrun], {
    nullable: true,
    complexity: NAMING,
    description:
      'Who would have been refused more by limits that get tighter, by what passed lately, worst first: 20 at most. Null when that could not be found out in time.',
  })
  overruns?: ImpactOverrun[] | null;
}

/** What every mutation answers, beside the object that it is about. */
@ObjectType({ isAbstract: true })
export abstract class MutationPayload {
  @Extensions({ usualLength: 1 })
  @Field(() => [UserError], { description: 'Why nothing changed; empty on success.' })
  userErrors!: UserError[];

  @Field(() => Impact, {
    nullable: true,
    description: 'Of a dry run: whom the change would reach; null otherwise, and where no policy changes.',
  })
  impact?: Impact | null;
}

/** What a mutation answers whose change nodes have to learn of. */
@ObjectType({ isAbstract: true })
export abstract class PublishedPayload extends MutationPayload {
  @Field(() => ID, {
    nullable: true,
    description: 'Ask `propagation` with it how far the change has travelled.',
  })
  changeId!: string | null;
}
