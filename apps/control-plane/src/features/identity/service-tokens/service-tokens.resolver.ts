import { Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { permissionsOfScopes } from '../../../platform/access/token-scopes.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import {
  ServiceToken,
  ServiceTokenCreateInput,
  ServiceTokenCreatePayload,
  ServiceTokenPayload,
  ServiceTokenRevokeInput,
  ServiceTokenRotateInput,
} from './service-tokens.graphql.js';
import type { ServiceTokenRow } from './service-tokens.repository.js';
import { ServiceTokensService } from './service-tokens.service.js';

@Resolver(() => ServiceToken)
export class ServiceTokensResolver {
  constructor(private readonly service: ServiceTokensService) {}

  @RequirePermission('service-tokens:read')
  @Query(() => [ServiceToken], { name: 'serviceTokens', description: 'All service tokens, newest first.' })
  list(): Promise<ServiceTokenRow[]> {
    return this.service.list();
  }

  @RequirePermission('service-tokens:write')
  @Mutation(() => ServiceTokenCreatePayload, {
    name: 'serviceTokenCreate',
    description: 'Issues a service token. The token is returned only once.',
  })
  async create(@Input() input: ServiceTokenCreateInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.create(caller, input);
    return outcome.ok
      ? { ...outcome.value, userErrors: [] }
      : { serviceToken: null, token: null, userErrors: outcome.errors };
  }

  @RequirePermission('service-tokens:write')
  @Mutation(() => ServiceTokenCreatePayload, {
    name: 'serviceTokenRotate',
    description:
      'Issues a token with the same scopes, returned only once. The old token expires after the overlap.',
  })
  async rotate(@Input() input: ServiceTokenRotateInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.rotate(caller, input);
    return outcome.ok
      ? { ...outcome.value, userErrors: [] }
      : { serviceToken: outcome.current?.serviceToken ?? null, token: null, userErrors: outcome.errors };
  }

  @ResolveField()
  permissions(@Parent() { scopes }: ServiceTokenRow): string[] {
    return permissionsOfScopes(scopes);
  }

  @RequirePermission('service-tokens:write')
  @Mutation(() => ServiceTokenPayload, {
    name: 'serviceTokenRevoke',
    description: 'Revokes a service token permanently.',
  })
  async revoke(@Input() input: ServiceTokenRevokeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('serviceToken', await this.service.revoke(caller, input));
  }
}
