import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller } from '../../../platform/access/current-caller.decorator.js';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/payload.js';
import { MemberPayload, MemberRemoveInput, MemberRoleChangeInput } from './members.graphql.js';
import { MembersService } from './members.service.js';

@Resolver()
export class MembersResolver {
  constructor(private readonly service: MembersService) {}

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => MemberPayload, {
    name: 'memberRoleChange',
    description: 'Gives a member another role, from the next request on. The last owner stays one.',
  })
  async changeRole(
    @Args('input', { description: 'Who, and which role.' }) input: MemberRoleChangeInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('member', await this.service.changeRole(caller, input));
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => MemberPayload, {
    name: 'memberRemove',
    description: 'Takes a member out of a tenant, from the next request on. The last owner stays.',
  })
  async remove(
    @Args('input', { description: 'Who.' }) input: MemberRemoveInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('member', await this.service.remove(caller, input));
  }
}
