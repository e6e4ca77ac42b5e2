import { Injectable } from '@nestjs/common';
import {
  EntitlementsRepository,
  OverridesRepository,
  QuotaRequestsRepository,
  TenantsRepository,
} from '../../customers/index.js';
import { ApiKeysRepository } from '../../identity/index.js';
import { type NodeTypes, ofTenant } from './node-types.js';

/** Tenants, and what they have. */
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
