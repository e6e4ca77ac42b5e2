import { isDeepStrictEqual } from 'node:util';
import {
  type ApiRecord,
  type Catalogue,
  type LimitPolicy,
  type PlatformRule,
  type PoolRecord,
  summarizeLimit,
  type TierRecord,
} from '@tollgate/contracts';
import { LimitOrigin } from '../../../platform/prisma/schema.js';
import { type LimitRecord } from '../../catalogue/index.js';
import { type RevisionDiff, type RevisionDifference, RevisionDifferenceKind } from './revisions.graphql.js';

/** The differences between two catalogues, without service tokens. */
export function diffCatalogues(from: Catalogue, to: Catalogue): Omit<RevisionDiff, 'from' | 'to'> {
  return {
    subjectRules: differences(
      newestOfEach(from.subjectRules),
      newestOfEach(to.subjectRules),
      nameOfRule,
      showRule,
      termsOf,
    ),
    tiers: pairs(from.tiers, to.tiers, ({ key }) => key).flatMap(([key, before, after]) => {
      const limits = differences(limitsOf(before), limitsOf(after), nameOfLimit, summarizeLimit);
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

/** Limits of the published version. */
export function limitsOf(tier: TierRecord | undefined): readonly LimitPolicy[] {
  return tier?.versions.find(({ number }) => number === tier.currentVersion)?.limits ?? [];
}

/** @param partOf the part to compare */
function differences<T>(
  before: readonly T[],
  after: readonly T[],
  nameOf: (one: T) => string,
  show: (one: T) => string,
  partOf: (one: T) => unknown = (one) => one,
): RevisionDifference[] {
  return pairs(before, after, nameOf).flatMap(([name, from, to]) => {
    if (from !== undefined && to !== undefined && isDeepStrictEqual(partOf(from), partOf(to))) return [];
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

function showOperation({ cost, priority = 'normal' }: ApiRecord['operations'][number]): string {
  return `cost ${cost}, ${priority}`;
}

function showPool({ capacity, reclaimPercent, operations, warmUp }: PoolRecord): string {
  const of = operations.length === 0 ? 'every operation' : operations.join(', ');
  const ramp = warmUp === undefined ? '' : `, warm-up from ${warmUp.startPercent} % in ${warmUp.ms / 1000} s`;
  return `${capacity} a second, up to ${reclaimPercent} % lent, ${of}${ramp}`;
}

/** The target of a platform rule; of rules with the same one, the newest applies. */
export function nameOfRule({ dimension, pattern, api }: Pick<PlatformRule, 'dimension' | 'pattern' | 'api'>) {
  return `${dimension} ${pattern}${api === undefined ? '' : ` on ${api}`}`;
}

/** Without the start: a rule that is set again starts later and has the same effect. */
const termsOf = ({ effect, untilMs }: PlatformRule) => ({ effect, untilMs });

const newestOfEach = (rules: readonly PlatformRule[] = []): PlatformRule[] => [
  ...new Map(rules.map((rule) => [nameOfRule(rule), rule])).values(),
];

function showRule({ effect, untilMs }: PlatformRule): string {
  const message = effect.kind === 'deny' && effect.message !== undefined ? ` “${effect.message}”` : '';
  const end = untilMs === undefined ? '' : `, until ${new Date(untilMs).toISOString()}`;
  return `${effect.kind}${message}${end}`;
}

/** Platform rules to set and to remove, so that those of `target` that have not ended apply. */
export function planRules(
  current: readonly PlatformRule[] = [],
  target: readonly PlatformRule[] = [],
  nowMs: number,
): { set: PlatformRule[]; remove: PlatformRule[] } {
  const now = new Map(newestOfEach(current).map((rule) => [nameOfRule(rule), rule]));
  const then = newestOfEach(target).filter(({ untilMs }) => untilMs === undefined || untilMs > nowMs);
  const named = new Set(then.map(nameOfRule));
  return {
    set: then.filter((rule) => {
      const present = now.get(nameOfRule(rule));
      return present === undefined || !isDeepStrictEqual(termsOf(present), termsOf(rule));
    }),
    remove: [...now.values()].filter((rule) => !named.has(nameOfRule(rule))),
  };
}

export type OriginalLimit = Pick<LimitRecord, 'apiId' | 'policy' | 'origin'>;

/**
 * Infers the default limits of an API at the time of these tier versions, which contain every default limit that they do not
 * replace. A default limit that all tiers replaced cannot be inferred: its current form is used.
 * @param versions limits of each tier's version
 * @param now current default limits of the API
 * @returns null if nothing changed or there are no versions
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

/** The steps of a rollback. */
export interface RollbackPlan {
  /** `version`: the one to restore; undefined if only the weight differs. */
  tiers: { key: string; version: number | undefined; weight: number }[];
  /** APIs to change to this form. */
  apis: ApiRecord[];
  /** Default limits to restore, by API key. */
  defaults: ReadonlyMap<string, OriginalLimit[]>;
  /** Rules for subjects of all tenants to set and to remove. */
  rules: ReturnType<typeof planRules>;
  /** APIs that the target does not have. */
  unknownApis: string[];
  /** Tiers that the target does not have; tenants may be on them. */
  unknownTiers: string[];
}

/** Compares the tiers and APIs of the current and the target catalogue; default limits are not part of catalogues. */
export function planRollback(
  current: Catalogue,
  target: Catalogue,
): Omit<RollbackPlan, 'defaults' | 'rules'> {
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

export function isEmpty({ tiers, apis, defaults, rules, unknownApis }: RollbackPlan): boolean {
  const lists = [tiers, apis, unknownApis, rules.set, rules.remove];
  return lists.every((some) => some.length === 0) && defaults.size === 0;
}
