import {
  type AlgorithmName,
  type LimitPolicy,
  nominalWindowMs,
  type Rule,
  ruleDefaults,
  ruleFieldsOf,
} from '@tollgate/contracts';

const DAY_MS = 86_400_000;

/** How a limit counts: its algorithm and the numbers of it. */
export const ruleOf = (policy: LimitPolicy): Rule => pick(policy, true) as Rule;

/** The limit with another rule. */
export const withRule = (policy: LimitPolicy, rule: Rule): LimitPolicy =>
  ({ ...pick(policy, false), ...rule }) as LimitPolicy;

function pick(policy: LimitPolicy, ofRule: boolean): object {
  const fields = new Set<string>(['algorithm', 'limit', ...ruleFieldsOf(policy.algorithm)]);
  return Object.fromEntries(Object.entries(policy).filter(([name]) => fields.has(name) === ofRule));
}

/** The rule with another algorithm: the same number in about the same time, and start values for its other fields. */
export function ruleWith(algorithm: AlgorithmName, rule: Rule): Rule {
  const { limit } = rule;
  const windowMs = nominalWindowMs(rule);
  const start: Record<string, unknown> = {
    ...{ windowMs, buckets: 60, queue: limit, leaseMs: 60_000, period: periodNear(windowMs) },
    ...ruleDefaults(algorithm, limit),
  };
  const fields = ruleFieldsOf(algorithm).map((field) => [field, start[field]]);
  return { algorithm, limit, ...Object.fromEntries(fields) } as Rule;
}

function periodNear(windowMs: number): 'day' | 'week' | 'month' {
  if (windowMs <= DAY_MS) return 'day';
  return windowMs <= 7 * DAY_MS ? 'week' : 'month';
}
