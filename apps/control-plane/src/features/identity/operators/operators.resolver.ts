import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller } from '../../../platform/access/current-caller.decorator.js';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/payload.js';
import {
  Operator,
  OperatorPayload,
  OperatorRoleChangeInput,
  OperatorStatusInput,
} from './operators.graphql.js';
import type { OperatorRow } from './operators.repository.js';
import { OperatorsService } from './operators.service.js';

@Resolver(() => Operator)
export class OperatorsResolver {
  constructor(private readonly service: OperatorsService) {}

  @RequirePermission('operators:read')
  @Query(() => [Operator], {
    name: 'operators',
    description: 'Everybody who runs this installation, by address.',
  })
  list(): Promise<OperatorRow[]> {
    return this.service.list();
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorRoleChange',
    description: 'Gives an operator another role, at once. Nobody changes their own.',
  })
  async changeRole(
    @Args('input', { description: 'Who gets which role.' }) input: OperatorRoleChangeInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('operator', await this.service.changeRole(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorRemove',
    description: "Takes an operator's role away and ends all their sessions; places in tenants stay.",
  })
  async remove(
    @Args('input', { description: 'Which operator.' }) input: OperatorStatusInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('operator', await this.service.remove(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorSuspend',
    description: 'Ends all sessions of an operator at once, live streams included, and lets them in no more.',
  })
  async suspend(
    @Args('input', { description: 'Which operator.' }) input: OperatorStatusInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('operator', await this.service.suspend(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorResume',
    description: 'Lets a suspended operator sign in again.',
  })
  async resume(
    @Args('input', { description: 'Which operator.' }) input: OperatorStatusInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('operator', await this.service.resume(caller, input));
  }
}
