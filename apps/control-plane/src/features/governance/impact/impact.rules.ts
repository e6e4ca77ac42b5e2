import {
  type Adjustment,
  type ApiRecord,
  type Catalogue,
  compareLimits,
  type LimitPolicy,
  nominalWindowMs,
  resolveLimit,
  type TenantRecord,
} from '@tollgate/contracts';
import { type Impact } from '../../../platform/graphql/mutation.graphql.js';

/** The part of a tenant's state that determines its limits; many tenants have equal profiles. */
export interface LimitProfile {
  status: TenantRecord['status'];
  tier: string;
  /** Null: the tier's current version. */
  pinnedVersion: number | null;
  adjustments: readonly Adjustment[];
}

/** Key of a profile; equal profiles have equal keys. */
export function profileKey({ status, tier, pinnedVersion, adjustments }: LimitProfile): string {
  return JSON.stringify([status, tier, pinnedVersion, adjustments]);
}

export function profileOf({
  status,
  tier,
  pinnedVersion,
  adjustments,
  adjusted,
}: TenantRecord): LimitProfile {
  const inForce = (adjusted ?? []).flatMap((place) => adjustments?.[place] ?? []);
  return { status, tier, pinnedVersion, adjustments: inForce };
}

/** The policy at one moment, as far as a change affects it. */
export interface PolicyView {
  catalogue: Pick<Catalogue, 'apis' | 'tiers'>;
  /** By profile key. */
  profiles: Map<string, LimitProfile>;
  /** Profile key of each tenant that is compared individually. */
  tenants: Map<string, string>;
  /** Number of all other tenants by profile key; empty unless the catalogue changes. */
  others: Map<string, number>;
}

/** Direction of a change; both for a mixed change. */
export interface Direction {
  increased: boolean;
  decreased: boolean;
}

export const UNCHANGED: Direction = { increased: false, decreased: false };

export function either(directions: readonly Direction[]): Direction {
  return {
    increased: directions.some(({ increased }) => increased),
    decreased: directions.some(({ decreased }) => decreased),
  };
}

/** Direction of a value where more admits more. */
export function moreIncreases(before: number, after: number): Direction {
  return { increased: after > before, decreased: after < before };
}

/** Direction of a value where more admits less. */
export function moreDecreases(before: number, after: number): Direction {
  return moreIncreases(after, before);
}

/** Direction of each API's change for tenants with limits on it: costs of operations and capacity of pools. */
export function apiChanges(
  before: readonly ApiRecord[],
  after: readonly ApiRecord[],
): Map<string, Direction> {
  const old = new Map(before.map((api) => [api.key, api]));
  const next = new Map(after.map((api) => [api.key, api]));
  return new Map(
    [...new Set([...old.keys(), ...next.keys()])].map((key) => [key, apiChange(old.get(key), next.get(key))]),
  );
}

function apiChange(before: ApiRecord | undefined, after: ApiRecord | undefined): Direction {
  // New and deleted APIs have no limits.
  if (before === undefined || after === undefined) return UNCHANGED;
  const names = new Set([...before.operations, ...after.operations].map(({ name }) => name));
  return either([
    moreDecreases(priceOf(before, undefined), priceOf(after, undefined)),
    ...[...names].map((name) => moreDecreases(priceOf(before, name), priceOf(after, name))),
    ...poolChanges(before, after),
  ]);
}

const UNREGISTERED_PRICES = { count: 1, allow: 0, refuse: Number.POSITIVE_INFINITY } as const;

/** Cost of one call; an unregistered operation costs 1, 0, or more than any limit admits. */
function priceOf({ operations, unknownOperations }: ApiRecord, name: string | undefined): number {
  const known = operations.find((operation) => operation.name === name);
  return known?.cost ?? UNREGISTERED_PRICES[unknownOperations];
}

function poolChanges({ pools: before = [] }: ApiRecord, { pools: after = [] }: ApiRecord): Direction[] {
  const names = new Set([...before, ...after].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const old = before.find((pool) => pool.name === name);
    const next = after.find((pool) => pool.name === name);
    // Without a pool, capacity is unlimited and nothing can be borrowed.
    return [
      moreIncreases(old?.capacity ?? Number.POSITIVE_INFINITY, next?.capacity ?? Number.POSITIVE_INFINITY),
      moreIncreases(old?.reclaimPercent ?? 0, next?.reclaimPercent ?? 0),
      moreIncreases(old?.warmUp?.startPercent ?? 100, next?.warmUp?.startPercent ?? 100),
      moreDecreases(old?.warmUp?.ms ?? 0, next?.warmUp?.ms ?? 0),
    ];
  });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A query for recent usage above a limit. */
export interface OverrunProbe {
  policy: LimitPolicy;
  table: 'minute' | 'hour' | 'day';
  lookBackMs: number;
  /** Interval that usage is summed over; `month`: calendar month in UTC. */
  bucket: { seconds: number } | 'month';
  /** Units allowed per interval. */
  limit: number;
}

/**
 * Undefined for limits that usage cannot be compared with: limits with dimensions, limits that never deny, and concurrency
 * limits. Windows shorter than a minute are compared per minute.
 */
export function probeOf(policy: LimitPolicy): OverrunProbe | undefined {
  const { per, algorithm, enforcement, charge = 'always' } = policy;
  if (per.length > 0 || algorithm === 'concurrency') return undefined;
  if (enforcement?.mode === 'shadow' || charge !== 'always') return undefined;
  const most = withBand(policy);
  if (algorithm === 'quota') {
    const days = { day: 1, week: 7 };
    const bucket =
      policy.period === 'day' || policy.period === 'week'
        ? { seconds: (days[policy.period] * DAY_MS) / 1000 }
        : 'month';
    return { policy, table: 'day', lookBackMs: 31 * DAY_MS, bucket, limit: most };
  }
  const windowMs = nominalWindowMs(policy);
  const span = Math.max(MINUTE_MS, windowMs);
  const limit = Math.floor((most * span) / windowMs);
  const bucket = { seconds: Math.ceil(span / 1000) };
  if (windowMs < HOUR_MS) return { policy, table: 'minute', lookBackMs: DAY_MS, bucket, limit };
  if (windowMs < DAY_MS) return { policy, table: 'hour', lookBackMs: 7 * DAY_MS, bucket, limit };
  return { policy, table: 'day', lookBackMs: 31 * DAY_MS, bucket, limit };
}

/** The limit with its soft band. Borrowed capacity is not guaranteed. */
function withBand({ limit, throttle }: LimitPolicy): number {
  return throttle?.mode === 'soft' ? Math.floor((limit * (100 + throttle.percent)) / 100) : limit;
}

/** Tenants with the same effect of a change. */
export interface AffectedGroup extends Direction {
  /** Profile after the change; null if deleted. */
  profile: LimitProfile | null;
  /** Key of the only tenant; null: all tenants of this profile that have no group of their own. */
  tenant: string | null;
  /** Limits that admit less than before. */
  decreasedLimits: readonly LimitPolicy[];
}

/** Tenants that a change affects. */
export interface AffectedTenants {
  counts: Impact;
  groups: readonly AffectedGroup[];
}

/**
 * Compares two views: tenants with increased and with decreased limits. Tenants with equal profiles are compared once.
 */
export function findAffected(before: PolicyView, after: PolicyView): AffectedTenants {
  const comparison = new Comparison(before, after);
  const counts: Impact = { tenants: 0, increased: 0, decreased: 0 };
  const groups: AffectedGroup[] = [];
  const add = (
    tenants: number,
    tenant: string | null,
    was: string | undefined,
    is: string | undefined,
  ): void => {
    const { changes, increased, decreased, decreasedLimits } = comparison.of(was, is);
    if (!changes) return;
    counts.tenants += tenants;
    if (increased) counts.increased += tenants;
    if (decreased) counts.decreased += tenants;
    const profile = (is === undefined ? undefined : after.profiles.get(is)) ?? null;
    groups.push({ profile, tenant, increased, decreased, decreasedLimits });
  };
  for (const tenant of new Set([...before.tenants.keys(), ...after.tenants.keys()])) {
    add(1, tenant, before.tenants.get(tenant), after.tenants.get(tenant));
  }
  for (const [profile, tenants] of after.others) add(tenants, null, profile, profile);
  return { counts, groups };
}

interface ProfileComparison extends Direction {
  changes: boolean;
  decreasedLimits: readonly LimitPolicy[];
}

class Comparison {
  private readonly apis: ReadonlyMap<string, Direction>;
  private readonly compared = new Map<string, ProfileComparison>();

  constructor(
    private readonly before: PolicyView,
    private readonly after: PolicyView,
  ) {
    this.apis = apiChanges(before.catalogue.apis, after.catalogue.apis);
  }

  of(was: string | undefined, is: string | undefined): ProfileComparison {
    const key = `${was ?? ''}\n${is ?? ''}`;
    let comparison = this.compared.get(key);
    if (comparison === undefined) {
      comparison = this.compare(
        was === undefined ? undefined : this.before.profiles.get(was),
        is === undefined ? undefined : this.after.profiles.get(is),
      );
      this.compared.set(key, comparison);
    }
    return comparison;
  }

  private compare(was: LimitProfile | undefined, is: LimitProfile | undefined): ProfileComparison {
    // Created and deleted tenants have no limits to compare.
    if (was === undefined || is === undefined)
      return { ...UNCHANGED, changes: was !== is, decreasedLimits: [] };
    const old = limitsOf(this.before.catalogue, was);
    const next = limitsOf(this.after.catalogue, is);
    const { increased, decreased } = compareLimits(old, next);
    const concerned = new Set(next.map(({ api }) => api));
    const direction = either([
      { increased: increased.length > 0, decreased: decreased.length > 0 },
      moreIncreases(Number(was.status === 'active'), Number(is.status === 'active')),
      ...[...concerned].map((api) => this.apis.get(api) ?? UNCHANGED),
      this.ofWeight(was, is, next),
    ]);
    const isDecreased = new Set(decreased);
    return {
      ...direction,
      changes: direction.increased || direction.decreased,
      decreasedLimits: next.filter(({ api, name }) => isDecreased.has(`${api}/${name}`)),
    };
  }

  /** Spare capacity is divided by weight. */
  private ofWeight(was: LimitProfile, is: LimitProfile, limits: readonly LimitPolicy[]): Direction {
    if (!limits.some(({ throttle }) => throttle?.mode === 'elastic')) return UNCHANGED;
    return moreIncreases(weightOf(this.before.catalogue, was), weightOf(this.after.catalogue, is));
  }
}

type Tiers = Pick<Catalogue, 'tiers'>;

function limitsOf({ tiers }: Tiers, { tier, pinnedVersion, adjustments }: LimitProfile): LimitPolicy[] {
  const record = tiers.find(({ key }) => key === tier);
  const number = pinnedVersion ?? record?.currentVersion;
  const version = record?.versions.find((one) => one.number === number);
  return (version?.limits ?? []).map((limit) => resolveLimit(limit, adjustments).policy);
}

function weightOf({ tiers }: Tiers, { tier }: LimitProfile): number {
  return tiers.find(({ key }) => key === tier)?.weight ?? 1;
}
