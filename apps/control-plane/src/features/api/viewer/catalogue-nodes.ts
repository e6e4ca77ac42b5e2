import { Injectable } from '@nestjs/common';
import { ApisRepository, DefaultLimitsRepository, TiersRepository } from '../../catalogue/index.js';
import { OffersRepository } from '../../commerce/index.js';
import { ChangeSetsRepository } from '../../governance/index.js';
import { type NodeTypes, ofOperators } from './node-types.js';

/** What there is for all tenants. */
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
      // Drafts and what is off sale are for those who make them.
      offer: ofOperators('Offer', 'offers:write', (id) => offers.findById(id)),
      changeSet: ofOperators('ChangeSet', 'change-sets:read', (id) => changeSets.findById(id)),
    };
  }
}
