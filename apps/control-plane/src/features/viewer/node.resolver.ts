import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../platform/access/actor.js';
import { CurrentCaller } from '../../platform/access/current-caller.decorator.js';
import type { Permission } from '../../platform/access/permissions.js';
import { RequireSignIn } from '../../platform/access/require-permission.decorator.js';
import { Node } from '../../platform/graphql/node.js';
import { type IdKind, kindOfId } from '../../platform/ids/new-id.js';
import { ApisRepository } from '../apis/index.js';
import { AuditRepository } from '../audit/index.js';
import { ServiceTokensService } from '../service-tokens/index.js';
import { TenantsRepository } from '../tenants/index.js';
import { TiersRepository } from '../tiers/index.js';

interface NodeType {
  typename: string;
  permission: Permission;
  find(id: string): Promise<object | null>;
}

/** Finds anything by its id alone. */
@Resolver(() => Node)
export class NodeResolver {
  private readonly types: Partial<Record<IdKind, NodeType>>;

  constructor(
    apis: ApisRepository,
    tiers: TiersRepository,
    tenants: TenantsRepository,
    serviceTokens: ServiceTokensService,
    audit: AuditRepository,
  ) {
    const type = (typename: string, permission: Permission, find: NodeType['find']) => ({
      typename,
      permission,
      find,
    });
    this.types = {
      api: type('Api', 'apis:read', (id) => apis.findById(id)),
      operation: type('Operation', 'apis:read', (id) => apis.findOperation(id)),
      tier: type('Tier', 'tiers:read', (id) => tiers.findById(id)),
      tierVersion: type('TierVersion', 'tiers:read', (id) => tiers.findVersionById(id)),
      limit: type('Limit', 'tiers:read', (id) => tiers.findLimitById(id)),
      tenant: type('Tenant', 'tenants:read', (id) => tenants.findById(id)),
      serviceToken: type('ServiceToken', 'service-tokens:read', (id) => serviceTokens.findById(id)),
      auditEntry: type('AuditEntry', 'audit:read', (id) => audit.findById(id)),
    };
  }

  @RequireSignIn()
  @Query(() => Node, {
    name: 'node',
    nullable: true,
    description:
      'Anything by its id. Null when it does not exist or the caller may not read it: the two look alike.',
  })
  async find(
    @Args('id', { type: () => ID, description: 'Global id.' }) id: string,
    @CurrentCaller() { actor }: Caller,
  ): Promise<object | null> {
    const kind = kindOfId(id);
    const type = kind === undefined ? undefined : this.types[kind];
    if (type === undefined || !actor.permissions.has(type.permission)) return null;
    const found = await type.find(id);
    return found === null ? null : { ...found, __typename: type.typename };
  }
}
