import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { BillingTime, TestClockAdvanceInput, TestClockPayload } from './test-clock.graphql.js';
import { TestClockService } from './test-clock.service.js';

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
  async advance(
    @Args('input', { description: 'Whose clock, and to when.' }) input: TestClockAdvanceInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('clock', await this.service.advance(caller, input));
  }
}
