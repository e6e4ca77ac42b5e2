import { Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { TestRequestSendInput, TestRequestSendPayload } from './test-requests.graphql.js';
import { TestRequestsService } from './test-requests.service.js';

@Resolver()
export class TestRequestsResolver {
  constructor(private readonly service: TestRequestsService) {}

  @RequireTenantPermission('test-requests:write', 'input.tenantKey')
  @Mutation(() => TestRequestSendPayload, {
    name: 'testRequestSend',
    description:
      'Sends requests to the decision API as a service would. They count against the limits of the tenant.',
  })
  async send(@Input() input: TestRequestSendInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.send(caller, input);
    return outcome.ok
      ? { results: outcome.value, userErrors: [] }
      : { results: [], userErrors: outcome.errors };
  }
}
