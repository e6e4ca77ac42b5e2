import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import {
  type Rollout,
  RolloutPayload,
  RolloutsService,
  TierCohortExtendInput,
  TierMigrateInput,
} from './rollouts.service.js';

@Resolver()
export class RolloutsResolver {
  constructor(private readonly service: RolloutsService) {}

  @RequirePermission('tiers:write')
  @Mutation(() => RolloutPayload, {
    name: 'tierCohortExtend',
    description: 'Lets a publication reach more of the tenants that it holds back.',
  })
  async extend(
    @Args('input', { description: 'Whom it is to reach.' }) input: TierCohortExtendInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.extend(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => RolloutPayload, {
    name: 'tierMigrate',
    description: 'Lets tenants that are on earlier versions of a tier follow it again.',
  })
  async migrate(
    @Args('input', { description: 'Who.' }) input: TierMigrateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.migrate(caller, input));
  }
}

function payload(outcome: Outcome<Rollout>) {
  return outcome.ok
    ? { ...outcome.value, userErrors: [] }
    : { tier: outcome.current?.tier ?? null, tenants: 0, userErrors: outcome.errors };
}
