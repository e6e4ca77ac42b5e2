import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { ConfigApplyInput, ConfigApplyPayload } from './config.graphql.js';
import { ConfigService } from './config.service.js';

@Resolver()
export class ConfigResolver {
  constructor(private readonly service: ConfigService) {}

  @RequirePermission('config:read')
  @Query(() => String, {
    name: 'configDocument',
    description:
      'APIs, tiers, offers and tenants with their overrides and thresholds as one configuration: JSON text that `configApply` takes.',
  })
  read(
    @Args('tenants', { type: () => Boolean, defaultValue: true, description: 'Whether to include tenants.' })
    tenants: boolean,
  ): Promise<string> {
    return this.service.read(tenants);
  }

  @RequirePermission('config:write')
  @Mutation(() => ConfigApplyPayload, {
    name: 'configApply',
    description:
      'Applies a configuration in one change; the objects it names are managed by it from then on. A dry run returns the difference.',
  })
  async apply(@Input() input: ConfigApplyInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.apply(caller, input);
    return outcome.ok
      ? { changes: outcome.value, changeId: outcome.changeId, userErrors: [] }
      : { changes: [], changeId: null, userErrors: outcome.errors };
  }
}
