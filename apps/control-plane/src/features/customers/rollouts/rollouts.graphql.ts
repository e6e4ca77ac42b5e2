import { Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import { FORCE, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { CarryOver } from '../../../platform/prisma/schema.js';
import { CohortInput, Tier } from '../../catalogue/index.js';

/** Whom to let follow their tier again. */
@InputType({ isAbstract: true })
abstract class RolloutInput extends MutationInput {
  @Field({ description: 'Key of the tier.' })
  tierKey!: string;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what the tenants have used.',
  })
  carryOver?: CarryOver | null;
}

@InputType({ description: 'Tenants that a publication holds back and that it is to reach now.' })
export class TierCohortExtendInput extends RolloutInput {
  @Field(() => CohortInput, {
    description: 'Who; a percentage counts those whom a smaller one reached before.',
  })
  cohort!: CohortInput;
}

@InputType({ description: 'Tenants that are on earlier versions of a tier and are to follow it again.' })
export class TierMigrateInput extends RolloutInput {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of the version that they are on; left out: whichever earlier one.',
  })
  fromVersion?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Also those whom somebody pinned by hand, not only those whom a publication held back.',
  })
  includePinned?: boolean | null;

  @Field({
    ...FORCE,
    description:
      'With includePinned: also those whom a configuration file pins; needs a reason. The next `configApply` takes it back.',
  })
  force?: boolean;
}

@ObjectType({ description: 'Outcome of letting tenants follow their tier again.' })
export class RolloutPayload extends MutationPayload {
  @Field(() => Tier, { nullable: true, description: 'The tier.' })
  tier!: Tier | null;

  @Field(() => Int, {
    description: 'How many tenants a job moves now, in steps of some hundred a second; 0 when refused.',
  })
  tenants!: number;
}
