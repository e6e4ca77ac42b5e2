import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermission,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { endingOf, type Outcome, payloadOf } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import {
  type Connection,
  cursorCodec,
  idOf,
  PageArgs,
  readPage,
} from '../../../platform/graphql/connection.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { Tenant, type TenantRow, TenantsRepository } from '../../customers/index.js';
import {
  ApiKey,
  ApiKeyConnection,
  ApiKeyCreateInput,
  ApiKeyPayload,
  ApiKeyRevokeInput,
  ApiKeyRotateInput,
  ApiKeySecret,
  ApiKeySecretPayload,
} from './api-keys.graphql.js';
import { type ApiKeyRow, ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService, type IssuedApiKey } from './api-keys.service.js';

const cursors = cursorCodec('apiKeys', idOf('apiKey'));

@Resolver(() => ApiKey)
export class ApiKeysResolver {
  constructor(
    private readonly service: ApiKeysService,
    private readonly keys: ApiKeysRepository,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  @RequireTenantPermission('api-keys:read', 'tenantKey')
  @Query(() => ApiKeyConnection, { name: 'apiKeys', description: 'API keys of a tenant, newest first.' })
  async list(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
    @Args() args: PageArgs,
  ): Promise<Connection<ApiKeyRow>> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) throw badInput('Tenant not found');
    return readPage(args, cursors, ({ id }) => id, this.keys, tenant.id);
  }

  @RequirePermission('tenants:read')
  @Query(() => Tenant, {
    name: 'tenantOfApiKey',
    nullable: true,
    description:
      'The tenant of an API key, also of a revoked or expired one; null if no tenant has such a key.',
  })
  findTenant(
    @Args('publicId', { description: 'Public part of the key: the twelve characters after its prefix.' })
    publicId: string,
  ): Promise<TenantRow | null> {
    return this.keys.findTenant(publicId);
  }

  @RequireTenantPermission('api-keys:write', 'input.tenantKey')
  @Mutation(() => ApiKeySecretPayload, {
    name: 'apiKeyCreate',
    description: 'Issues an API key. The key is returned only once.',
  })
  async create(@Input() input: ApiKeyCreateInput, @CurrentCaller() caller: Caller) {
    return secretPayload(await this.service.create(caller, input), caller);
  }

  @RequireTenantPermission('api-keys:write', 'input.tenantKey')
  @Mutation(() => ApiKeySecretPayload, {
    name: 'apiKeyRotate',
    description:
      'Issues a new secret for an API key, returned only once. The previous secret stays valid for the overlap.',
  })
  async rotate(@Input() input: ApiKeyRotateInput, @CurrentCaller() caller: Caller) {
    return secretPayload(await this.service.rotate(caller, input), caller);
  }

  @RequireTenantPermission('api-keys:write', 'input.tenantKey')
  @Mutation(() => ApiKeyPayload, { name: 'apiKeyRevoke', description: 'Revokes an API key permanently.' })
  async revoke(@Input() input: ApiKeyRevokeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('apiKey', await this.service.revoke(caller, input));
  }

  @ResolveField(() => [ApiKeySecret])
  secrets(@Parent() { secrets }: ApiKeyRow) {
    const now = this.clock.now();
    return secrets.filter(({ endsAt }) => endsAt === null || endsAt > now);
  }
}

function secretPayload(outcome: Outcome<IssuedApiKey>, { dryRun }: Caller) {
  const { apiKey = null, key = null } = outcome.ok ? outcome.value : {};
  // A dry run is rolled back: the key does not exist.
  const shown = dryRun === true ? null : key;
  return { apiKey, key: shown, ...endingOf(outcome) };
}
