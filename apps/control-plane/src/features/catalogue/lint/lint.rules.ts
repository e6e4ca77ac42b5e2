import { type LimitPolicy, nominalWindowMs } from '@tollgate/contracts';
import { type UserError } from '../../../platform/graphql/user-error.graphql.js';
import { LimitOrigin } from '../../../platform/prisma/schema.js';
import { coversOperation } from '../apis/api.rules.js';
import {
  type CheckedLimit,
  findUnaffordable,
  findUnknownOperations,
  findUnknownPool,
  type KnownApi,
  neverReached,
} from '../limits/limit.rules.js';
import { findNeverReached } from '../limits/unreachable-limits.js';
import { type LintCode, type LintFinding, type LintSeverity } from './lint.graphql.js';

/** A tier version to look at: a draft as it would be published. */
export interface LintedVersion {
  tierKey: string;
  number: number;
  /** Its own ones first. */
  limits: readonly CheckedLimit[];
}

/** Recent requests for one operation. */
export interface SentDimensions {
  readonly api: string;
  readonly operation: string;
  readonly requests: number;
  /** How many of them had a value, by dimension. */
  readonly withValue: ReadonlyMap<string, number>;
}

/**
 * Errors and warnings of a tier version.
 * @param apis all there are, by key
 * @param sent identifiers that recent requests had values for
 */
export function lintVersion(
  version: LintedVersion,
  apis: ReadonlyMap<string, KnownApi>,
  sent: readonly SentDimensions[],
): LintFinding[] {
  const policies = version.limits.map(({ policy }) => policy);
  const unreached = findNeverReached(policies);
  const useless = new Set(unreached.map(({ index }) => index));
  const find = finder(version);
  return [
    ...version.limits.flatMap((limit, index) => lintReferences(limit, index, apis, find)),
    ...unreached.map(({ index, by }) => {
      const isOwn = [index, policies.indexOf(by)].every(
        (i) => version.limits[i]?.origin === LimitOrigin.TIER,
      );
      const path = ['limits', String(index), 'limit'];
      const message = neverReached(policies[index] as LimitPolicy, by);
      return find(isOwn ? 'ERROR' : 'WARNING', 'NEVER_REACHED', path, message, 'Lower it, or leave it out.');
    }),
    ...policies.flatMap((policy, index) =>
      useless.has(index) ? [] : lintPair(policy, index, policies, useless, find),
    ),
    ...policies.flatMap((policy, index) =>
      lintDimensions(policy, ['limits', String(index), 'per'], sent, find),
    ),
    ...lintUnlimited(policies, apis, find),
  ];
}

type Finder = (
  severity: LintSeverity,
  code: LintCode,
  path: string[],
  message: string,
  advice: string,
) => LintFinding;

function finder({ tierKey, number }: LintedVersion): Finder {
  return (severity, code, path, message, advice) => ({
    severity,
    code,
    tierKey,
    version: number,
    path,
    message,
    advice,
  });
}

function lintReferences(
  { policy }: CheckedLimit,
  index: number,
  apis: ReadonlyMap<string, KnownApi>,
  find: Finder,
): LintFinding[] {
  const path = ['limits', String(index)];
  const api = apis.get(policy.api);
  if (api === undefined) {
    const message = `"${policy.name}" is on API "${policy.api}", which is gone.`;
    return [find('ERROR', 'UNKNOWN_API', [...path, 'apiKey'], message, 'Take the limit out.')];
  }
  const told = (code: LintCode, problems: UserError[], advice: string) =>
    problems.map(({ field, message }) =>
      find('ERROR', code, field ?? path, `"${policy.name}": ${message}`, advice),
    );
  return [
    ...told(
      'UNKNOWN_OPERATION',
      findUnknownOperations(policy, api, path),
      'Take the name out, or create it.',
    ),
    ...told('UNKNOWN_POOL', findUnknownPool(policy, api, path), 'Create the pool, or throttle otherwise.'),
    ...told('COST_ABOVE_BURST', findUnaffordable(policy, api, path), 'Raise it, or lower the cost.'),
    ...lintPool(policy, api, [...path, 'throttle', 'pool'], find),
  ];
}

/** An operation draws on the oldest pool that has it: a limit borrows in vain from one that none of its operations draws on. */
function lintPool(policy: LimitPolicy, api: KnownApi, path: string[], find: Finder): LintFinding[] {
  const { throttle } = policy;
  if (throttle?.mode !== 'elastic' || !api.pools.has(throttle.pool)) return [];
  const operations = policy.operations.length > 0 ? policy.operations : [...api.operations.keys()];
  const isDrawnOn = operations.some((name) => {
    const drawn = [...api.pools].find(([, pool]) => coversOperation(pool, name));
    return drawn?.[0] === throttle.pool;
  });
  if (isDrawnOn || operations.length === 0) return [];
  const message = `"${policy.name}" borrows from pool "${throttle.pool}", but none of its operations draws on it: it never gets any.`;
  const advice = 'Name the pool that its operations draw on, or add them to this one.';
  return [find('WARNING', 'POOL_NOT_DRAWN_ON', path, message, advice)];
}

/** Fewer recent requests than this say nothing about callers. */
const LEAST_REQUESTS = 20;

/** Requests without a value that are not worth a warning, percent. */
const USUAL_MISSING_PERCENT = 5;

const WITHOUT_VALUE = {
  shared: 'They share one counter: let callers send it, or set onMissing to skip.',
  skip: 'The limit does not apply to them: let callers send it, or set onMissing to shared.',
  refuse: 'They would be rejected with 400: let callers send it, or set onMissing to shared.',
};

/** Dimensions that callers did not send lately, with the operation that lacks them most. */
function lintDimensions(
  policy: LimitPolicy,
  path: string[],
  sent: readonly SentDimensions[],
  find: Finder,
): LintFinding[] {
  const covered = sent.filter(
    ({ api, operation, requests }) =>
      api === policy.api && requests >= LEAST_REQUESTS && coversOperation(policy, operation),
  );
  return policy.per.flatMap((dimension) => {
    if (dimension === 'global') return [];
    const missing = covered
      .map(({ operation, requests, withValue }) => ({
        operation,
        percent: Math.floor(100 - ((withValue.get(dimension) ?? 0) * 100) / requests),
      }))
      .sort((a, b) => b.percent - a.percent);
    const worst = missing[0];
    if (worst === undefined || worst.percent < USUAL_MISSING_PERCENT) return [];
    const message = `Limit "${policy.name}" counts by ${dimension}; ${worst.percent} % of recent requests to ${worst.operation} had no ${dimension}.`;
    const advice = WITHOUT_VALUE[policy.onMissing ?? 'shared'];
    return [find('WARNING', 'MISSING_DIMENSION', path, message, advice)];
  });
}

/** Beside which others a limit has no use, or not all of it. Each pair is told once, at the later one. */
function lintPair(
  policy: LimitPolicy,
  index: number,
  policies: readonly LimitPolicy[],
  useless: ReadonlySet<number>,
  find: Finder,
): LintFinding[] {
  const path = ['limits', String(index)];
  return policies.flatMap((other, place) => {
    if (place === index || useless.has(place) || scopeOf(other) !== scopeOf(policy)) return [];
    const [top, otherTop] = [topOf(policy), topOf(other)];
    if (bandOf(policy) > 0 && otherTop > policy.limit && otherTop < top) {
      const message = `"${policy.name}" lets up to ${top} pass, but "${other.name}" refuses past ${otherTop}: ${top - otherTop} of its band are never used.`;
      const advice = `Narrow the band of "${policy.name}" or widen "${other.name}".`;
      return [find('WARNING', 'BAND_NEVER_USED', [...path, 'throttle'], message, advice)];
    }
    if (place > index || bandOf(policy) > 0 || bandOf(other) > 0) return [];
    const message = `"${policy.name}" and "${other.name}" count the same requests in the same way.`;
    return [find('WARNING', 'OVERLAP', path, message, 'Keep the one that is meant.')];
  });
}

/** Equal for limits that count the same requests by the same dimensions in the same way. */
function scopeOf(policy: LimitPolicy): string {
  const sorted = (names: readonly string[]) => [...names].sort();
  return JSON.stringify([
    policy.api,
    sorted(policy.operations),
    sorted(policy.per),
    policy.algorithm,
    nominalWindowMs(policy),
    policy.charge ?? 'always',
    policy.enforcement ?? null,
  ]);
}

/** How much passes beyond the limit itself. */
function bandOf({ throttle, limit }: LimitPolicy): number {
  if (throttle?.mode === 'soft') return Math.floor((limit * throttle.percent) / 100);
  return throttle?.mode === 'elastic' ? Math.floor((limit * throttle.maxPercent) / 100) : 0;
}

function topOf(policy: LimitPolicy): number {
  return policy.limit + bandOf(policy);
}

function lintUnlimited(
  policies: readonly LimitPolicy[],
  apis: ReadonlyMap<string, KnownApi>,
  find: Finder,
): LintFinding[] {
  if (policies.length === 0) return [];
  const limited = new Set(policies.map(({ api }) => api));
  return [...apis].flatMap(([key, { operations }]) => {
    if (limited.has(key) || operations.size === 0) return [];
    const message = `The tier has no limit on API "${key}": its tenants' requests pass without any.`;
    return [find('INFO', 'NO_LIMIT', ['apis', key], message, 'Add one, or give the API default limits.')];
  });
}

/** A version in force, and how many tenants are on it. */
export interface SoldVersion {
  tierKey: string;
  number: number;
  tenants: number;
  policies: readonly LimitPolicy[];
}

/** Pools of which the tenants' own limits, taken together, would take more than they have. */
export function lintPools(
  versions: readonly SoldVersion[],
  apis: ReadonlyMap<string, KnownApi>,
): LintFinding[] {
  return [...apis].flatMap(([apiKey, api]) =>
    [...api.pools].flatMap(([pool, { operations, capacity }]) => {
      const drawing = operations.length > 0 ? operations : [...api.operations.keys()];
      const shares = versions.map(({ tenants, policies }) => {
        const own = policies.filter((policy) => policy.api === apiKey);
        return tenants === 0 ? 0 : tenants * (ownRate(own, drawing) ?? 0);
      });
      const sum = Math.round(shares.reduce((total, share) => total + share, 0));
      if (sum <= capacity) return [];
      const finding: LintFinding = {
        severity: 'WARNING',
        code: 'POOL_EXCEEDED',
        tierKey: null,
        version: null,
        path: ['apis', apiKey, 'pools', pool],
        message: `Tenants may take ${sum} units a second of pool "${pool}" by their own limits; it has ${capacity}.`,
        advice: 'Raise its capacity, lower the limits, or be ready to refuse background traffic first.',
      };
      return [finding];
    }),
  );
}

/**
 * Units a second that one tenant's own limits let through to these operations, on average; undefined where nothing limits
 * one of them. Quotas do not say how fast they may be spent, slots not how long they are held.
 */
function ownRate(policies: readonly LimitPolicy[], operations: readonly string[]): number | undefined {
  const paced = policies.filter(
    ({ per, algorithm }) => per.length === 0 && algorithm !== 'quota' && algorithm !== 'concurrency',
  );
  const covering = (names: readonly string[]) =>
    paced.filter((policy) => names.every((name) => coversOperation(policy, name)));
  const slowest = (limits: readonly LimitPolicy[]) =>
    limits.length === 0 ? undefined : Math.min(...limits.map(rateOf));
  const together = slowest(covering(operations));
  const each = operations.map((name) => slowest(covering([name])));
  const apart = each.every((rate) => rate !== undefined)
    ? each.reduce((sum, rate) => sum + rate, 0)
    : undefined;
  if (together === undefined || apart === undefined) return together ?? apart;
  return Math.min(together, apart);
}

function rateOf(policy: LimitPolicy): number {
  return (policy.limit * 1000) / nominalWindowMs(policy);
}
