import { type LimitPolicy, nominalWindowMs } from '@tollgate/contracts';
import { coversOperation } from '../../limits/capacity.rules.js';
import type { KnownApi } from '../tier.rules.js';
import type { LintFinding } from './lint.graphql.js';

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
