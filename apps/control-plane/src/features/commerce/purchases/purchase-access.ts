import { Injectable } from '@nestjs/common';
import { mayIn } from '../../../platform/access/ability.js';
import type { Actor } from '../../../platform/access/actor.js';
import type { Permission } from '../../../platform/access/permissions.js';
import { kindOfId } from '../../../platform/ids.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';

/** Finds purchases that are named by their id alone. */
@Injectable()
export class PurchaseAccess {
  constructor(private readonly purchases: PurchasesRepository) {}

  /** Null when there is none, and when the actor has not got `permission` in its tenant: the two look alike. */
  async find(actor: Actor, id: string, permission: Permission): Promise<PurchaseOfTenant | null> {
    const purchase = kindOfId(id) === 'purchase' ? await this.purchases.findById(id) : null;
    return purchase !== null && mayIn(actor.ability, permission, purchase.tenant.key) ? purchase : null;
  }
}
