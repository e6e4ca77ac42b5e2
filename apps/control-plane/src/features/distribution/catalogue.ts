import type { Catalogue } from '@tollgate/contracts';
import type { UnknownOperations } from '../../platform/prisma/schema.js';
import { policyOf } from '../tiers/index.js';
import type { DistributedApi, DistributedTier, DistributedToken } from './policy.repository.js';

/** Compiles rows into the catalogue that nodes hold. Pure: the same rows give the same text, whatever their order was. */
export function compileCatalogue(
  revision: number,
  rows: { apis: DistributedApi[]; tiers: DistributedTier[]; serviceTokens: DistributedToken[] },
): Catalogue {
  return {
    kind: 'catalogue',
    revision,
    apis: rows.apis.map((api) => ({
      key: api.key,
      unknownOperations: api.unknownOperations.toLowerCase() as Lowercase<UnknownOperations>,
      operations: api.operations.map(({ name, cost }) => ({ name, cost: Number(cost) })),
    })),
    tiers: rows.tiers.flatMap(compileTier),
    serviceTokens: rows.serviceTokens.map(({ publicId, hash, scopes, expiresAt }) => ({
      publicId,
      hash,
      scopes,
      expiresAtMs: expiresAt?.getTime() ?? null,
    })),
  };
}

/** A tier that was never published is of no concern to nodes: nobody can be on it. */
function compileTier(tier: DistributedTier): Catalogue['tiers'] {
  const current = tier.versions.find((version) => version.published);
  if (current === undefined) return [];
  const versions = tier.versions.map(({ number, limits }) => ({ number, limits: limits.map(policyOf) }));
  return [{ key: tier.key, currentVersion: current.number, versions }];
}
