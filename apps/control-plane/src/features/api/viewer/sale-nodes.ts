import { Injectable } from '@nestjs/common';
import { InvoicesRepository, PurchasesRepository } from '../../commerce/index.js';
import { TenantsRepository } from '../../customers/index.js';
import { type NodeTypes, ofTenant } from './node-types.js';

/** What was bought, and what is asked for it. */
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
