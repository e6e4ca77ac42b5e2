import { Injectable } from '@nestjs/common';
import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { mayIn } from '../../platform/access/ability.js';
import { type Actor, type Caller, isPermitted } from '../../platform/access/actor.js';
import type { Permission } from '../../platform/access/permissions.js';
import { CurrentCaller, RequireSignIn } from '../../platform/access/require-permission.decorator.js';
import { Node } from '../../platform/graphql/node.js';
import { type IdKind, kindOfId } from '../../platform/ids.js';
import { ApisRepository, DefaultLimitsRepository, TiersRepository } from '../catalogue/index.js';
import { InvoicesRepository, OffersRepository, PurchasesRepository } from '../commerce/index.js';
import {
  BulkActionsRepository,
  EntitlementsRepository,
  OverridesRepository,
  QuotaRequestsRepository,
  TenantsRepository,
} from '../customers/index.js';
import { AuditRepository, ChangeSetsRepository } from '../governance/index.js';
import { ApiKeysRepository, OperatorsService, ServiceTokensService } from '../identity/index.js';
import {
  NoticesRepository,
  WebhookDeliveriesRepository,
  WebhookEndpointsRepository,
} from '../notify/index.js';

/** How objects of one id prefix are loaded. */
export interface NodeType {
  typename: string;
  /** The object, if it exists and the actor may read it. */
  find(id: string, actor: Actor): Promise<object | null>;
}

export type NodeTypes = Partial<Record<IdKind, NodeType>>;

/** An object of the installation; requires a permission over all tenants. */
export function ofOperators(
  typename: string,
  permission: Permission,
  find: (id: string) => Promise<object | null>,
): NodeType {
  return { typename, find: async (id, actor) => (isPermitted(actor, permission) ? find(id) : null) };
}

/**
 * An object of a tenant, also readable by the tenant's members. @param keyOf key of that tenant; null for objects of
 * the installation
 */
export function ofTenant<T extends object>(
  typename: string,
  permission: Permission,
  find: (id: string) => Promise<T | null>,
  keyOf: (found: T) => string | null | Promise<string | null>,
): NodeType {
  return {
    typename,
    find: async (id, { ability }) => {
      const found = await find(id);
      if (found === null) return null;
      return mayIn(ability, permission, (await keyOf(found)) ?? '') ? found : null;
    },
  };
}

/** APIs, tiers and offers. */
@Injectable()
export class CatalogueNodes {
  readonly types: NodeTypes;

  constructor(
    apis: ApisRepository,
    tiers: TiersRepository,
    defaultLimits: DefaultLimitsRepository,
    offers: OffersRepository,
    changeSets: ChangeSetsRepository,
  ) {
    this.types = {
      api: ofOperators('Api', 'apis:read', (id) => apis.findById(id)),
      operation: ofOperators('Operation', 'apis:read', (id) => apis.findOperation(id)),
      pool: ofOperators('Pool', 'apis:read', (id) => apis.findPool(id)),
      tier: ofOperators('Tier', 'tiers:read', (id) => tiers.findById(id)),
      tierVersion: ofOperators('TierVersion', 'tiers:read', (id) => tiers.findVersionById(id)),
      limit: ofOperators('Limit', 'tiers:read', (id) => tiers.findLimitById(id)),
      defaultLimit: ofOperators('Limit', 'tiers:read', (id) => defaultLimits.findById(id)),
      // Anyone who may not edit offers must not see drafts.
      offer: ofOperators('Offer', 'offers:write', (id) => offers.findById(id)),
      changeSet: ofOperators('ChangeSet', 'change-sets:read', (id) => changeSets.findById(id)),
    };
  }
}

/** Purchases and invoices. */
@Injectable()
export class SaleNodes {
  readonly types: NodeTypes;

  constructor(purchases: PurchasesRepository, invoices: InvoicesRepository, tenants: TenantsRepository) {
    const keyOf = async ({ tenantId }: { tenantId: string }) =>
      (await tenants.findById(tenantId))?.key ?? null;
    this.types = {
      purchase: ofTenant('Purchase', 'purchases:read', (id) => purchases.findById(id), keyOf),
      invoice: ofTenant('Invoice', 'purchases:read', (id) => invoices.findById(id), keyOf),
    };
  }
}

/** Tenants and their objects. */
@Injectable()
export class TenantNodes {
  readonly types: NodeTypes;

  constructor(
    tenants: TenantsRepository,
    apiKeys: ApiKeysRepository,
    entitlements: EntitlementsRepository,
    overrides: OverridesRepository,
    requests: QuotaRequestsRepository,
  ) {
    const keyOf = async ({ tenantId }: { tenantId: string }) =>
      (await tenants.findById(tenantId))?.key ?? null;
    this.types = {
      tenant: ofTenant(
        'Tenant',
        'tenants:read',
        (id) => tenants.findById(id),
        ({ key }) => key,
      ),
      apiKey: ofTenant(
        'ApiKey',
        'api-keys:read',
        (id) => apiKeys.findById(id),
        ({ tenant }) => tenant.key,
      ),
      entitlement: ofTenant('Entitlement', 'entitlements:read', (id) => entitlements.findById(id), keyOf),
      override: ofTenant('Override', 'entitlements:read', (id) => overrides.findById(id), keyOf),
      quotaRequest: ofTenant('QuotaRequest', 'quota-requests:read', (id) => requests.findById(id), keyOf),
    };
  }
}

/** Webhook endpoints and deliveries. */
@Injectable()
export class WebhookNodes {
  readonly types: NodeTypes;

  constructor(endpoints: WebhookEndpointsRepository, deliveries: WebhookDeliveriesRepository) {
    this.types = {
      webhookEndpoint: ofTenant(
        'WebhookEndpoint',
        'webhooks:read',
        (id) => endpoints.findById(id),
        ({ tenantKey }) => tenantKey,
      ),
      webhookDelivery: ofTenant(
        'WebhookDelivery',
        'webhooks:read',
        (id) => deliveries.findById(id),
        ({ endpoint }) => endpoint.tenantKey,
      ),
    };
  }
}

/** Operators, service tokens, bulk actions, audit entries and notices. */
@Injectable()
export class RecordNodes {
  readonly types: NodeTypes;

  constructor(
    operators: OperatorsService,
    serviceTokens: ServiceTokensService,
    audit: AuditRepository,
    notices: NoticesRepository,
    bulkActions: BulkActionsRepository,
    webhooks: WebhookNodes,
  ) {
    this.types = {
      ...webhooks.types,
      user: ofOperators('Operator', 'operators:read', (id) => operators.findById(id)),
      serviceToken: ofOperators('ServiceToken', 'service-tokens:read', (id) => serviceTokens.findById(id)),
      bulkAction: ofOperators('BulkAction', 'bulk-actions:read', (id) => bulkActions.findById(id)),
      auditEntry: ofOperators('AuditEntry', 'audit:read', (id) => audit.findById(id)),
      notice: ofTenant(
        'Notice',
        'notices:read',
        (id) => notices.findById(id),
        ({ tenantKey }) => tenantKey,
      ),
    };
  }
}

/** Loads any object by its id. */
@Resolver(() => Node)
export class NodeResolver {
  private readonly types: NodeTypes;

  constructor(catalogue: CatalogueNodes, tenants: TenantNodes, sales: SaleNodes, records: RecordNodes) {
    this.types = { ...catalogue.types, ...tenants.types, ...sales.types, ...records.types };
  }

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
    const type = kind === undefined ? undefined : this.types[kind];
    const found = (await type?.find(id, actor)) ?? null;
    return found === null ? null : { ...found, __typename: type?.typename };
  }
}
