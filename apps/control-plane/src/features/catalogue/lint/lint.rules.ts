import { ObjectType } from '@nestjs/graphql';
import {
  coversApi,
  coversEveryApi,
  EVERY_API,
  type LimitPolicy,
  nominalWindowMs,
  prefixesOf,
  reachOf,
} from '@tollgate/contracts';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import { enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { LimitOrigin } from '../../../platform/prisma/schema.js';
import { coversOperation } from '../apis/api.rules.js';
import {
  type CheckedLimit,
  describeUnreachable,
  findCostProblems,
  findUnknownApis,
  findUnknownOperations,
  findUnknownPool,
  type KnownApi,
} from '../limits/limit.rules.js';
import { findUnreachable } from '../limits/unreachable-limits.js';

export const LintSeverity = enumOf('LintSeverity', 'Severity of a finding.', {
  ERROR: 'The version cannot be published.',
  WARNING: 'The configuration probably does not do what was intended.',
  INFO: 'For information.',
});
export type LintSeverity = keyof typeof LintSeverity;

export const LintCode = enumOf('LintCode', 'Kind of problem.', {
  NEVER_REACHED: 'Another limit always denies first.',
  OVERLAP: 'Two limits count the same requests in the same way.',
  BAND_NEVER_USED: 'Another limit denies requests within its extra allowance.',
  POOL_EXCEEDED: "The sum of the tenants' own limits exceeds the pool's capacity.",
  POOL_NOT_DRAWN_ON: 'None of its operations uses the pool that it borrows from.',
  COST_ABOVE_BURST: 'An operation costs more than the limit admits at once.',
  UNKNOWN_OPERATION: 'The operation does not exist.',
  UNKNOWN_POOL: 'The pool does not exist.',
  UNKNOWN_API: 'The API does not exist.',
  MISSING_DIMENSION: 'Recent requests had no value for a dimension of the limit.',
  NO_LIMIT: 'The tier limits other APIs, but not this one.',
});
export type LintCode = keyof typeof LintCode;

@ObjectType({ description: 'A problem in the catalogue.' })
export class LintFinding extends ObjectOf({
  severity: field.of(() => LintSeverity, 'Severity.'),
  code: field.of(() => LintCode, 'Kind of problem.'),
  tierKey: field.string('Key of the tier; null if it concerns all tiers.').nullable(),
  version: field.int('Number of the tier version.').nullable(),
  path: field
    .string(
      'Path of the problem: ["limits", "2", "limit"] in the version, or ["apis", "shop", "pools", "main"].',
    )
    .list(),
  message: field.string('The problem in one sentence.'),
  advice: field.string('How to fix it.'),
}) {}

/** A tier version to lint; a draft as it would be published. */
export interface LintedVersion {
  tierKey: string;
  number: number;
  /** The tier's own limits first. */
  limits: readonly CheckedLimit[];
}

/** Recent requests for one operation. */
export interface SentDimensions {
  readonly api: string;
  readonly operation: string;
  readonly requests: number;
  /** Number of requests with a value, by dimension. */
  readonly withValue: ReadonlyMap<string, number>;
}

/**
 * Findings of a tier version.
 * @param apis all APIs by key
 * @param sent dimensions of recent requests
 */
export function lintVersion(
  version: LintedVersion,
  apis: ReadonlyMap<string, KnownApi>,
  sent: readonly SentDimensions[],
): LintFinding[] {
  const policies = version.limits.map(({ policy }) => policy);
  const unreachable = findUnreachable(policies);
  const unreached = new Set(unreachable.map(({ index }) => index));
  const find = finder(version);
  return [
    ...version.limits.flatMap((limit, index) => lintReferences(limit, index, apis, find)),
    ...unreachable.map((found) => {
      const { index, by, unless } = found;
      const isOwn = [index, policies.indexOf(by)].every(
        (i) => version.limits[i]?.origin === LimitOrigin.TIER,
      );
      const path = ['limits', String(index), 'limit'];
      const message = describeUnreachable(policies[index] as LimitPolicy, found);
      const severity = isOwn && unless === undefined ? 'ERROR' : 'WARNING';
      return find(severity, 'NEVER_REACHED', path, message, 'Lower or remove it.');
    }),
    ...policies.flatMap((policy, index) =>
      unreached.has(index) ? [] : lintPair(policy, index, policies, unreached, find),
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
    const message = `"${policy.name}" is on API "${policy.api}", which does not exist.`;
    return [find('ERROR', 'UNKNOWN_API', [...path, 'apiKey'], message, 'Remove the limit.')];
  }
  const report = (code: LintCode, problems: UserError[], advice: string) =>
    problems.map(({ field, message }) =>
      find('ERROR', code, field ?? path, `"${policy.name}": ${message}`, advice),
    );
  return [
    ...report(
      'UNKNOWN_OPERATION',
      findUnknownOperations(policy, api, path),
      'Remove the operation from the limit, or create it.',
    ),
    ...report(
      'UNKNOWN_POOL',
      findUnknownPool(policy, api, path),
      'Create the pool, or choose another throttle mode.',
    ),
    ...report('UNKNOWN_API', findUnknownApis(policy, apis, path), 'Remove the API from the limit.'),
    ...report(
      'COST_ABOVE_BURST',
      findCostProblems(policy, apis, path),
      'Raise the limit, or lower the cost.',
    ),
    ...lintPool(policy, api, [...path, 'throttle', 'pool'], find),
  ];
}

/** An operation uses the oldest pool that lists it; a limit gets nothing from a pool that none of its operations uses. */
function lintPool(policy: LimitPolicy, api: KnownApi, path: string[], find: Finder): LintFinding[] {
  const { throttle } = policy;
  if (throttle?.mode !== 'elastic' || !api.pools.has(throttle.pool)) return [];
  const operations = policy.operations.length > 0 ? policy.operations : [...api.operations.keys()];
  const isUsed = operations.some((name) => {
    const used = [...api.pools].find(([, pool]) => coversOperation(pool, name));
    return used?.[0] === throttle.pool;
  });
  if (isUsed || operations.length === 0) return [];
  const message = `"${policy.name}" borrows from pool "${throttle.pool}", but none of its operations uses it: nothing can be borrowed.`;
  const advice = 'Choose the pool that its operations use, or add them to this pool.';
  return [find('WARNING', 'POOL_NOT_DRAWN_ON', path, message, advice)];
}

/** The fewest recent requests for a finding. */
const MIN_REQUESTS = 20;

/** The lowest percentage of requests without a value for a finding. */
const MIN_MISSING_PERCENT = 5;

const WITHOUT_VALUE = {
  shared: 'They share one counter. Let callers send it, or set onMissing to skip.',
  skip: 'The limit does not apply to them. Let callers send it, or set onMissing to shared.',
  refuse: 'They are rejected with 400. Let callers send it, or set onMissing to shared.',
};

/** Dimensions that recent requests lack, with the operation that lacks them most. */
function lintDimensions(
  policy: LimitPolicy,
  path: string[],
  sent: readonly SentDimensions[],
  find: Finder,
): LintFinding[] {
  const covered = sent.filter(
    ({ api, operation, requests }) =>
      coversApi(policy, api) && requests >= MIN_REQUESTS && coversOperation(policy, operation),
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
    if (worst === undefined || worst.percent < MIN_MISSING_PERCENT) return [];
    const message = `Limit "${policy.name}" counts by ${dimension}; ${worst.percent} % of recent requests to ${worst.operation} had no ${dimension}.`;
    const advice = WITHOUT_VALUE[policy.onMissing ?? 'shared'];
    return [find('WARNING', 'MISSING_DIMENSION', path, message, advice)];
  });
}

/** Overlaps with other limits. Each pair is reported once, at the later limit. */
function lintPair(
  policy: LimitPolicy,
  index: number,
  policies: readonly LimitPolicy[],
  unreached: ReadonlySet<number>,
  find: Finder,
): LintFinding[] {
  const path = ['limits', String(index)];
  return policies.flatMap((other, otherIndex) => {
    if (otherIndex === index || unreached.has(otherIndex) || scopeOf(other) !== scopeOf(policy)) return [];
    const [top, otherTop] = [topOf(policy), topOf(other)];
    if (extraOf(policy) > 0 && otherTop > policy.limit && otherTop < top) {
      const message = `"${policy.name}" allows up to ${top}, but "${other.name}" denies above ${otherTop}: ${top - otherTop} of its extra allowance are never used.`;
      const advice = `Lower the extra allowance of "${policy.name}" or raise "${other.name}".`;
      return [find('WARNING', 'BAND_NEVER_USED', [...path, 'throttle'], message, advice)];
    }
    if (otherIndex > index || extraOf(policy) > 0 || extraOf(other) > 0) return [];
    const message = `"${policy.name}" and "${other.name}" count the same requests in the same way.`;
    return [find('WARNING', 'OVERLAP', path, message, 'Remove one of them.')];
  });
}

/** Equal for limits that count the same requests by the same dimensions in the same way. */
function scopeOf(policy: LimitPolicy): string {
  const sorted = (names: readonly string[]) => [...names].sort();
  return JSON.stringify([
    coversEveryApi(policy) ? EVERY_API : sorted(reachOf(policy)),
    sorted(policy.operations),
    sorted(policy.per),
    prefixesOf(policy),
    policy.sharedWithChildren ?? false,
    policy.algorithm,
    nominalWindowMs(policy),
    policy.charge ?? 'always',
    policy.enforcement ?? null,
  ]);
}

/** The extra allowance above the limit. */
function extraOf({ throttle, limit }: LimitPolicy): number {
  if (throttle?.mode === 'soft') return Math.floor((limit * throttle.percent) / 100);
  return throttle?.mode === 'elastic' ? Math.floor((limit * throttle.maxPercent) / 100) : 0;
}

function topOf(policy: LimitPolicy): number {
  return policy.limit + extraOf(policy);
}

function lintUnlimited(
  policies: readonly LimitPolicy[],
  apis: ReadonlyMap<string, KnownApi>,
  find: Finder,
): LintFinding[] {
  if (policies.length === 0) return [];
  return [...apis].flatMap(([key, { operations }]) => {
    if (operations.size === 0 || policies.some((policy) => coversApi(policy, key))) return [];
    const message = `The tier has no limit on API "${key}": requests of its tenants are not limited.`;
    return [
      find('INFO', 'NO_LIMIT', ['apis', key], message, 'Add a limit, or set default limits of the API.'),
    ];
  });
}

export interface UsedVersion {
  tierKey: string;
  number: number;
  tenants: number;
  policies: readonly LimitPolicy[];
}

/** Pools whose capacity is below the sum of the tenants' own limits. */
export function lintPools(
  versions: readonly UsedVersion[],
  apis: ReadonlyMap<string, KnownApi>,
): LintFinding[] {
  return [...apis].flatMap(([apiKey, api]) =>
    [...api.pools].flatMap(([pool, { operations, capacity }]) => {
      const poolOperations = operations.length > 0 ? operations : [...api.operations.keys()];
      const shares = versions.map(({ tenants, policies }) => {
        const own = policies.filter((policy) => coversApi(policy, apiKey));
        return tenants === 0 ? 0 : tenants * (ownRate(own, poolOperations) ?? 0);
      });
      const sum = Math.round(shares.reduce((total, share) => total + share, 0));
      if (sum <= capacity) return [];
      const finding: LintFinding = {
        severity: 'WARNING',
        code: 'POOL_EXCEEDED',
        tierKey: null,
        version: null,
        path: ['apis', apiKey, 'pools', pool],
        message: `Tenants' own limits allow ${sum} units per second from pool "${pool}", which has ${capacity}.`,
        advice: 'Raise the capacity, lower the limits, or expect background traffic to be shed.',
      };
      return [finding];
    }),
  );
}

/**
 * Average units per second that one tenant's own limits admit to these operations; undefined if an operation is not limited.
 * Ignores quotas and concurrency limits, which have no rate.
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
  const separately = each.every((rate) => rate !== undefined)
    ? each.reduce((sum, rate) => sum + rate, 0)
    : undefined;
  if (together === undefined || separately === undefined) return together ?? separately;
  return Math.min(together, separately);
}

function rateOf(policy: LimitPolicy): number {
  return (policy.limit * 1000) / nominalWindowMs(policy);
}
