import type { Catalogue, PlatformRule } from '@tollgate/contracts';
import type { Priority, UnknownOperations } from '../../platform/prisma/schema.js';
import { isDefaultStyles, toPoolRecord, toVersionRecord, toWireStyles } from '../catalogue/index.js';
import type { DistributedApi, DistributedTier, DistributedToken } from './policy.repository.js';

/** The result does not depend on the order of the rows. */
export function compileCatalogue(
  revision: number,
  rows: {
    apis: DistributedApi[];
    tiers: DistributedTier[];
    serviceTokens: DistributedToken[];
    subjectRules?: PlatformRule[];
  },
): Catalogue {
  return {
    kind: 'catalogue',
    revision,
    apis: rows.apis.map(compileApi),
    tiers: rows.tiers.flatMap(compileTier),
    serviceTokens: rows.serviceTokens.map(({ publicId, hash, pepperVersion, scopes, expiresAt }) => ({
      publicId,
      hash,
      ...(pepperVersion === 1 ? {} : { pepper: pepperVersion }),
      scopes,
      expiresAtMs: expiresAt?.getTime() ?? null,
    })),
    ...(rows.subjectRules?.length ? { subjectRules: rows.subjectRules } : {}),
  };
}

function compileApi({
  key,
  unknownOperations,
  headerStyles,
  operations,
  pools,
}: DistributedApi): Catalogue['apis'][number] {
  return {
    key,
    unknownOperations: unknownOperations.toLowerCase() as Lowercase<UnknownOperations>,
    operations: operations.map(({ name, cost, priority }) => ({
      name,
      cost: Number(cost),
      ...(priority === 'NORMAL' ? {} : { priority: priority.toLowerCase() as Lowercase<Priority> }),
    })),
    ...(pools.length === 0 ? {} : { pools: pools.map(toPoolRecord) }),
    ...(isDefaultStyles(headerStyles) ? {} : { headerStyles: toWireStyles(headerStyles) }),
  };
}

/** Unpublished tiers have no tenants. */
function compileTier({ key, weight, versions }: DistributedTier): Catalogue['tiers'] {
  const current = versions.find((version) => version.published);
  if (current === undefined) return [];
  const numbers = new Set(versions.map(({ number }) => number));
  return [
    {
      key,
      currentVersion: current.number,
      ...(weight === 1 ? {} : { weight }),
      versions: versions.map((version) => toVersionRecord(version, numbers)),
    },
  ];
}
