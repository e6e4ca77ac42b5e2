import { Context, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { requestLoader } from '../../../platform/graphql/request-loader.js';
import { Api, ApiChangePayload } from '../apis/apis.graphql.js';
import { type ApiRow } from '../apis/apis.repository.js';
import { ApiDefaultLimitsSetInput } from '../tiers/tier.inputs.js';
import { DefaultLimitsRepository } from './default-limits.repository.js';
import { DefaultLimitsService } from './default-limits.service.js';
import type { DefaultLimitRecord } from './limit-record.js';
import { Limit } from './limits.graphql.js';

const DEFAULT_LIMITS = Symbol('default limits by API id');

@Resolver(() => Api)
export class DefaultLimitsResolver {
  constructor(
    private readonly service: DefaultLimitsService,
    private readonly defaults: DefaultLimitsRepository,
  ) {}

  @RequirePermission('tiers:write')
  @Mutation(() => ApiChangePayload, {
    name: 'apiDefaultLimitsSet',
    description:
      'Replaces the default limits of an API, which apply to every tier without a limit of the same name. Publishes a new version of each tier that changes.',
  })
  async set(@Input() input: ApiDefaultLimitsSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.set(caller, input));
  }

  @ResolveField(() => [Limit], {
    description: 'Default limits: they apply to every tier without a limit of the same name.',
  })
  defaultLimits(@Parent() api: ApiRow, @Context() context: GraphqlContext): Promise<DefaultLimitRecord[]> {
    return requestLoader<DefaultLimitRecord[]>(context, DEFAULT_LIMITS, [], (ids) =>
      this.defaults.list(ids),
    ).load(api.id);
  }
}
