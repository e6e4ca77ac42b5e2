import { isDeepStrictEqual } from 'node:util';
import { LimitOrigin } from '../../../platform/prisma/schema.js';
import { type LimitRecord } from '../../catalogue/index.js';

/** Of a limit, what says which it is and where it came from. */
export type OriginalLimit = Pick<LimitRecord, 'apiId' | 'policy' | 'origin'>;

/**
 * Default limits that an API had while these versions were the tiers' published ones: each of them holds those that it has
 * none of its own for. One that every tier had of its own left no trace: such a one stays as it is now.
 * @param versions limits of each tier's version
 * @param now the API's default limits
 * @returns null where they are the same as now, or no version can tell
 */
export function defaultLimitsThen(
  apiId: string,
  versions: readonly (readonly OriginalLimit[])[],
  now: readonly Omit<OriginalLimit, 'origin'>[],
): OriginalLimit[] | null {
  if (versions.length === 0) return null;
  const ofApi = versions.map((limits) => limits.filter((limit) => limit.apiId === apiId));
  const seen = new Map<string, OriginalLimit>();
  for (const limit of ofApi.flat())
    if (limit.origin === LimitOrigin.DEFAULT) seen.set(limit.policy.name, limit);
  const isHidden = (name: string) =>
    ofApi.every((limits) =>
      limits.some(({ origin, policy }) => origin === LimitOrigin.TIER && policy.name === name),
    );
  const unseen = now.filter(({ policy }) => !seen.has(policy.name) && isHidden(policy.name));
  const then = [...seen.values(), ...unseen.map((limit) => ({ ...limit, origin: LimitOrigin.DEFAULT }))];
  return isDeepStrictEqual(byName(then), byName(now)) ? null : then;
}

function byName(limits: readonly Pick<OriginalLimit, 'policy'>[]) {
  return new Map(limits.map(({ policy }) => [policy.name, policy]));
}
