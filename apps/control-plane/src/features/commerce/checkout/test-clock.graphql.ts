import { Field, InputType, ObjectType } from '@nestjs/graphql';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../../platform/graphql/scalars.js';

@ObjectType({ description: 'The time by which a tenant pays.' })
export class BillingTime {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => DateTime, { description: 'What time it is for renewals, grace and top-ups.' })
  now!: Date;

  @Field({ description: 'Whether it is a test clock, which stands still until it is advanced.' })
  isTest!: boolean;
}

@InputType({ description: 'To when a test clock is advanced.' })
export class TestClockAdvanceInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => DateTime, { description: 'Later than it is; at most 400 days.' })
  to!: Date;
}

@ObjectType({ description: 'Outcome of advancing a test clock.' })
export class TestClockPayload extends MutationPayload {
  @Field(() => BillingTime, { nullable: true, description: 'The clock after it.' })
  clock!: BillingTime | null;
}
