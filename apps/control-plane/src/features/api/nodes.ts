import type { Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { mayIn } from '../../platform/access/ability.js';
import { type Caller, isPermitted } from '../../platform/access/actor.js';
import type { Permission } from '../../platform/access/permissions.js';
import { CurrentCaller, RequireSignIn } from '../../platform/access/require-permission.decorator.js';
import { Node } from '../../platform/graphql/connection.js';
import { type IdKind, kindOfId } from '../../platform/ids.js';
import { ApisRepository, DefaultLimitsRepository, TiersRepository } from '../catalogue/index.js';
import { InvoicesRepository, OffersRepository, PurchasesRepository } from '../commerce/index.js';
import {
  BulkActionsRepository,
  EntitlementsRepository,
  OverridesRepository,
  QuotaRequestsRepository,
  SubjectRulesRepository,
  TenantsRepository,
} from '../customers/index.js';
import { AuditRepository, ChangeSetsRepository, GuardsRepository, guardOutput } from '../governance/index.js';
import { ApiKeysRepository, OperatorsService, ServiceTokensService } from '../identity/index.js';
import {
  NoticesRepository,
  WebhookDeliveriesRepository,
  WebhookEndpointsRepository,
} from '../notify/index.js';

/** How objects of one id prefix are loaded, and the permission to read them. */
interface NodeType {
  typename: string;
  permission: Permission;
  find(modules: ModuleRef, id: string): Promise<object | null>;
  /** Tenant in which the permission is required; absent: it is required in all tenants. */
  tenantOf?(found: object): { key: string | null } | { id: string | null };
}

interface Finder<T extends object> {
  findById(id: string): Promise<T | null>;
}

function ofOperators<R>(
  typename: string,
  permission: Permission,
  source: Type<R>,
  find: (rows: R, id: string) => Promise<object | null>,
): NodeType {
  return { typename, permission, find: (modules, id) => find(modules.get(source, { strict: false }), id) };
}

/** An object of a tenant, by default of the one in `tenantId`; members of the tenant can read it too. */
function ofTenant<T extends object>(
  typename: string,
  permission: Permission,
  source: Type<Finder<T>>,
  keyOf?: (found: T) => string | null,
): NodeType {
  return {
    ...ofOperators(typename, permission, source, (rows, id) => rows.findById(id)),
    tenantOf: (found) =>
      keyOf === undefined
        ? { id: (found as { tenantId: string | null }).tenantId }
        : { key: keyOf(found as T) },
  };
}

const byId = (rows: Finder<object>, id: string) => rows.findById(id);

const NODE_TYPES: Partial<Record<IdKind, NodeType>> = {
  api: ofOperators('Api', 'apis:read', ApisRepository, byId),
  operation: ofOperators('Operation', 'apis:read', ApisRepository, (apis, id) => apis.findOperation(id)),
  pool: ofOperators('Pool', 'apis:read', ApisRepository, (apis, id) => apis.findPool(id)),
  tier: ofOperators('Tier', 'tiers:read', TiersRepository, byId),
  tierVersion: ofOperators('TierVersion', 'tiers:read', TiersRepository, (tiers, id) =>
    tiers.findVersionById(id),
  ),
  limit: ofOperators('Limit', 'tiers:read', TiersRepository, (tiers, id) => tiers.findLimitById(id)),
  defaultLimit: ofOperators('Limit', 'tiers:read', DefaultLimitsRepository, byId),
  // Anyone who may not edit offers must not see drafts.
  offer: ofOperators('Offer', 'offers:write', OffersRepository, byId),
  changeSet: ofOperators('ChangeSet', 'change-sets:read', ChangeSetsRepository, byId),
  publicationGuard: ofOperators('PublicationGuard', 'usage:read', GuardsRepository, async (guards, id) => {
    const guard = await guards.findById(id);
    return guard === null ? null : guardOutput(guard);
  }),
  user: ofOperators('Operator', 'operators:read', OperatorsService, byId),
  serviceToken: ofOperators('ServiceToken', 'service-tokens:read', ServiceTokensService, byId),
  bulkAction: ofOperators('BulkAction', 'bulk-actions:read', BulkActionsRepository, byId),
  auditEntry: ofOperators('AuditEntry', 'audit:read', AuditRepository, byId),
  tenant: ofTenant('Tenant', 'tenants:read', TenantsRepository, ({ key }) => key),
  apiKey: ofTenant('ApiKey', 'api-keys:read', ApiKeysRepository, ({ tenant }) => tenant.key),
  entitlement: ofTenant('Entitlement', 'entitlements:read', EntitlementsRepository),
  override: ofTenant('Override', 'entitlements:read', OverridesRepository),
  subjectRule: ofTenant('SubjectRule', 'entitlements:read', SubjectRulesRepository),
  quotaRequest: ofTenant('QuotaRequest', 'quota-requests:read', QuotaRequestsRepository),
  purchase: ofTenant('Purchase', 'purchases:read', PurchasesRepository),
  invoice: ofTenant('Invoice', 'purchases:read', InvoicesRepository),
  notice: ofTenant('Notice', 'notices:read', NoticesRepository, ({ tenantKey }) => tenantKey),
  webhookEndpoint: ofTenant(
    'WebhookEndpoint',
    'webhooks:read',
    WebhookEndpointsRepository,
    ({ tenantKey }) => tenantKey,
  ),
  webhookDelivery: ofTenant(
    'WebhookDelivery',
    'webhooks:read',
    WebhookDeliveriesRepository,
    ({ endpoint }) => endpoint.tenantKey,
  ),
};

@Resolver(() => Node)
export class NodeResolver {
  constructor(
    private readonly modules: ModuleRef,
    private readonly tenants: TenantsRepository,
  ) {}

  @RequireSignIn()
  @Query(() => Node, {
    name: 'node',
    nullable: true,
    description: 'Any object by its id. Null if it does not exist or the caller may not read it.',
  })
  async find(
    @Args('id', { type: () => ID, description: 'Global id.' }) id: string,
    @CurrentCaller() { actor }: Caller,
  ): Promise<object | null> {
    const kind = kindOfId(id);
    const type = kind === undefined ? undefined : NODE_TYPES[kind];
    if (type === undefined) return null;
    const { typename, permission, tenantOf } = type;
    if (tenantOf === undefined && !isPermitted(actor, permission)) return null;
    const found = await type.find(this.modules, id);
    if (found === null) return null;
    if (tenantOf !== undefined) {
      const tenant = tenantOf(found);
      const key = 'key' in tenant ? tenant.key : await this.keyOf(tenant.id);
      if (!mayIn(actor.ability, permission, key ?? '')) return null;
    }
    return { ...found, __typename: typename };
  }

  private async keyOf(tenantId: string | null): Promise<string | undefined> {
    return tenantId === null ? undefined : (await this.tenants.findById(tenantId))?.key;
  }
}
