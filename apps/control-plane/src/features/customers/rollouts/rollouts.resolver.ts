import { Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
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
    description: 'Expands a gradual rollout to more tenants.',
  })
  async extend(@Input() input: TierCohortExtendInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.extend(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => RolloutPayload, {
    name: 'tierMigrate',
    description: 'Moves tenants on earlier versions of a tier to the published version.',
  })
  async migrate(@Input() input: TierMigrateInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.migrate(caller, input));
  }
}

function payload(outcome: Outcome<Rollout>) {
  return outcome.ok
    ? { ...outcome.value, userErrors: [] }
    : { tier: outcome.current?.tier ?? null, tenants: 0, userErrors: outcome.errors };
}
