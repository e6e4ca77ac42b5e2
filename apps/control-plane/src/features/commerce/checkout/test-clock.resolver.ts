import { Args, Field, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { type Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { Input, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { TestClockService } from './test-clock.service.js';

@ObjectType({ description: 'The time by which a tenant pays.' })
export class BillingTime extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  now: field.dateTime('What time it is for renewals, grace and top-ups.'),
  isTest: field.boolean('Whether it is a test clock, which stands still until it is advanced.'),
}) {}

@InputType({ description: 'To when a test clock is advanced.' })
export class TestClockAdvanceInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => DateTime, { description: 'Later than it is; at most 400 days.' })
  to!: Date;
}

@ObjectType({ description: 'Outcome of advancing a test clock.' })
export class TestClockPayload extends ObjectOf(MutationPayload, {
  clock: field.of(() => BillingTime, 'The clock after it.').nullable(),
}) {}

@Resolver(() => BillingTime)
export class TestClockResolver {
  constructor(private readonly service: TestClockService) {}

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => BillingTime, {
    name: 'billingTime',
    nullable: true,
    description: 'The time by which a tenant pays; null when there is no such tenant.',
  })
  read(@Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string) {
    return this.service.read(tenantKey);
  }

  @RequireTenantPermission('payments:write', 'input.tenantKey')
  @Mutation(() => TestClockPayload, {
    name: 'testClockAdvance',
    description:
      'Puts a tenant on a test clock and moves it forward; answers when all that is due on the way has happened.',
  })
  async advance(@Input() input: TestClockAdvanceInput, @CurrentCaller() caller: Caller) {
    return payloadOf('clock', await this.service.advance(caller, input));
  }
}
