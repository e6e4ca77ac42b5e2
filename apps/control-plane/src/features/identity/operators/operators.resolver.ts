import { Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
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
    description: 'Operators of this installation, by email address.',
  })
  list(): Promise<OperatorRow[]> {
    return this.service.list();
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorRoleChange',
    description:
      'Changes the role of an operator, effective immediately. Operators cannot change their own role.',
  })
  async changeRole(@Input() input: OperatorRoleChangeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('operator', await this.service.changeRole(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorRemove',
    description: 'Removes the role of an operator and ends all of their sessions. Tenant memberships remain.',
  })
  async remove(@Input() input: OperatorStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('operator', await this.service.remove(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorSuspend',
    description: 'Suspends an operator: ends all of their sessions and streams, and blocks sign-in.',
  })
  async suspend(@Input() input: OperatorStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('operator', await this.service.suspend(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorResume',
    description: 'Resumes a suspended operator.',
  })
  async resume(@Input() input: OperatorStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('operator', await this.service.resume(caller, input));
  }
}
