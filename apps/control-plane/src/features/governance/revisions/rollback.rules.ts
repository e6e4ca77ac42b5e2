import { isDeepStrictEqual } from 'node:util';
import type { ApiRecord, Catalogue } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { CarryOver } from '../../../platform/prisma/schema.js';
import type { OriginalLimit } from './default-limits-then.js';
import { limitsOf } from './revision-diff.js';

const revision = z.int().min(1).max(2_147_483_647);

export const rollbackSchema = z.object({
  toRevision: revision,
  expectedRevision: revision,
  carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
  reason: optionalNote.refine((reason) => reason !== null, 'Say why'),
});

/** What has to be done so that nodes run a catalogue again. */
export interface RollbackPlan {
  /** Version: the one to take up again; undefined where only the weight differs. */
  tiers: { key: string; version: number | undefined; weight: number }[];
  /** APIs to bring into this form. */
  apis: ApiRecord[];
  /** Default limits to give to APIs again, by key. */
  defaults: ReadonlyMap<string, OriginalLimit[]>;
  /** APIs that nodes did not know. */
  unknownApis: string[];
  /** Tiers that nodes did not know: tenants may be on them by now. */
  unknownTiers: string[];
}

/** Compares what nodes run with what they ran: everything but default limits, of which nodes know nothing. */
export function planRollback(current: Catalogue, target: Catalogue): Omit<RollbackPlan, 'defaults'> {
  const tiersNow = new Map(current.tiers.map((tier) => [tier.key, tier]));
  const apisNow = new Map(current.apis.map((api) => [api.key, api]));
  const tiersThen = new Set(target.tiers.map(({ key }) => key));
  const apisThen = new Set(target.apis.map(({ key }) => key));
  return {
    tiers: target.tiers.flatMap((tier) => {
      const now = tiersNow.get(tier.key);
      const isSame = now !== undefined && isDeepStrictEqual(limitsOf(now), limitsOf(tier));
      const weight = tier.weight ?? 1;
      if (isSame && weight === (now.weight ?? 1)) return [];
      return [{ key: tier.key, version: isSame ? undefined : tier.currentVersion, weight }];
    }),
    apis: target.apis.filter((api) => !isDeepStrictEqual(api, apisNow.get(api.key))),
    unknownApis: current.apis.flatMap(({ key }) => (apisThen.has(key) ? [] : [key])),
    unknownTiers: current.tiers.flatMap(({ key }) => (tiersThen.has(key) ? [] : [key])),
  };
}

export function isEmpty({ tiers, apis, defaults, unknownApis }: RollbackPlan): boolean {
  return [tiers, apis, unknownApis].every((some) => some.length === 0) && defaults.size === 0;
}
