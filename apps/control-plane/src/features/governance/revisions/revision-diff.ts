import { isDeepStrictEqual } from 'node:util';
import {
  type ApiRecord,
  type Catalogue,
  type LimitPolicy,
  type PoolRecord,
  summarizeLimit,
  type TierRecord,
} from '@tollgate/contracts';
import { type RevisionDiff, type RevisionDifference, RevisionDifferenceKind } from './revisions.graphql.js';

/** What differs between what nodes run under two catalogues. Service tokens are no policy, and are left out. */
export function diffCatalogues(from: Catalogue, to: Catalogue): Pick<RevisionDiff, 'tiers' | 'apis'> {
  return {
    tiers: pairs(from.tiers, to.tiers, ({ key }) => key).flatMap(([key, before, after]) => {
      const limits = differences(limitsOf(before), limitsOf(after), nameOfLimit, showLimit);
      const kind = kindOf(before, after);
      const [fromWeight, toWeight] = [before?.weight ?? 1, after?.weight ?? 1];
      if (kind === RevisionDifferenceKind.CHANGED && limits.length === 0 && fromWeight === toWeight)
        return [];
      return [
        {
          key,
          kind,
          fromVersion: before?.currentVersion ?? null,
          toVersion: after?.currentVersion ?? null,
          fromWeight: before === undefined ? null : fromWeight,
          toWeight: after === undefined ? null : toWeight,
          limits,
        },
      ];
    }),
    apis: pairs(from.apis, to.apis, ({ key }) => key).flatMap(([key, before, after]) => {
      if (isDeepStrictEqual(before, after)) return [];
      return [
        {
          key,
          kind: kindOf(before, after),
          fromUnknownOperations: before?.unknownOperations.toUpperCase() ?? null,
          toUnknownOperations: after?.unknownOperations.toUpperCase() ?? null,
          operations: differences(before?.operations ?? [], after?.operations ?? [], nameOf, showOperation),
          pools: differences(before?.pools ?? [], after?.pools ?? [], nameOf, showPool),
        },
      ];
    }),
  };
}

/** Limits of the version in force. */
export function limitsOf(tier: TierRecord | undefined): readonly LimitPolicy[] {
  return tier?.versions.find(({ number }) => number === tier.currentVersion)?.limits ?? [];
}

function differences<T>(
  before: readonly T[],
  after: readonly T[],
  nameOf: (one: T) => string,
  show: (one: T) => string,
): RevisionDifference[] {
  return pairs(before, after, nameOf).flatMap(([name, from, to]) => {
    if (isDeepStrictEqual(from, to)) return [];
    const shown = (one: T | undefined) => (one === undefined ? null : show(one));
    return [{ name, kind: kindOf(from, to), from: shown(from), to: shown(to) }];
  });
}

function pairs<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (one: T) => string,
): [key: string, before: T | undefined, after: T | undefined][] {
  const from = new Map(before.map((one) => [keyOf(one), one]));
  const to = new Map(after.map((one) => [keyOf(one), one]));
  return [...new Set([...from.keys(), ...to.keys()])].sort().map((key) => [key, from.get(key), to.get(key)]);
}

function kindOf(before: unknown, after: unknown): RevisionDifferenceKind {
  if (before === undefined) return RevisionDifferenceKind.ADDED;
  return after === undefined ? RevisionDifferenceKind.REMOVED : RevisionDifferenceKind.CHANGED;
}

const nameOf = ({ name }: { name: string }) => name;
const nameOfLimit = ({ api, name }: LimitPolicy) => `${api}/${name}`;

function showLimit(limit: LimitPolicy): string {
  return summarizeLimit(limit);
}

function showOperation({ cost, priority = 'normal' }: ApiRecord['operations'][number]): string {
  return `cost ${cost}, ${priority}`;
}

function showPool({ capacity, reclaimPercent, operations }: PoolRecord): string {
  const of = operations.length === 0 ? 'every operation' : operations.join(', ');
  return `${capacity} a second, up to ${reclaimPercent} % lent, ${of}`;
}
