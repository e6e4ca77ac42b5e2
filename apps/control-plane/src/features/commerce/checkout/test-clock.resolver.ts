import { Args, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { type Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { Input, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { BillingTime, TestClockAdvanceInput, TestClockService } from './test-clock.service.js';

@ObjectType({ description: 'Outcome of advancing a test clock.' })
export class TestClockPayload extends ObjectOf(MutationPayload, {
  clock: field.of(() => BillingTime, 'The clock after the change.').nullable(),
}) {}

@Resolver(() => BillingTime)
export class TestClockResolver {
  constructor(private readonly service: TestClockService) {}

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => BillingTime, {
    name: 'billingTime',
    nullable: true,
    description: 'Billing time of a tenant; null if there is no such tenant.',
  })
  read(@Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string) {
    return this.service.read(tenantKey);
  }

  @RequireTenantPermission('payments:write', 'input.tenantKey')
  @Mutation(() => TestClockPayload, {
    name: 'testClockAdvance',
    description:
      'Puts a tenant on a test clock and advances it. Returns when everything due until then is processed.',
  })
  async advance(@Input() input: TestClockAdvanceInput, @CurrentCaller() caller: Caller) {
    return payloadOf('clock', await this.service.advance(caller, input));
  }
}
