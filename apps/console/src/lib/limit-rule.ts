import {
  type AlgorithmName,
  type LimitPolicy,
  nominalWindowMs,
  type Rule,
  ruleSchema,
} from '@tollgate/contracts';

const DAY_MS = 86_400_000;

/** The fields of each algorithm's rule; every other field of a limit is one of its terms. */
const RULE_FIELDS = new Map(
  ruleSchema.options.map(({ shape }) => [shape.algorithm.value, new Set(Object.keys(shape))]),
);

/** How a limit counts: its algorithm and the numbers of it. */
export const ruleOf = (policy: LimitPolicy): Rule => pick(policy, true) as Rule;

/** The limit with another rule. */
export const withRule = (policy: LimitPolicy, rule: Rule): LimitPolicy =>
  ({ ...pick(policy, false), ...rule }) as LimitPolicy;

function pick(policy: LimitPolicy, ofRule: boolean): object {
  const fields = RULE_FIELDS.get(policy.algorithm);
  return Object.fromEntries(Object.entries(policy).filter(([name]) => fields?.has(name) === ofRule));
}

/** The rule by another algorithm: the same number in about the same time, and what else it needs to start from. */
export function ruleWith(algorithm: AlgorithmName, rule: Rule): Rule {
  const { limit } = rule;
  const windowMs = nominalWindowMs(rule);
  switch (algorithm) {
    case 'fixed_window':
      return { algorithm, limit, windowMs, alignment: 'clock' };
    case 'sliding_window_log':
      return { algorithm, limit, windowMs };
    case 'sliding_window_counter':
      return { algorithm, limit, windowMs, buckets: 60 };
    case 'token_bucket':
      return { algorithm, limit, windowMs, capacity: limit, refill: 'continuous' };
    case 'leaky_bucket':
      return { algorithm, limit, windowMs, queue: limit };
    case 'gcra':
      return { algorithm, limit, windowMs, burst: 0 };
    case 'concurrency':
      return { algorithm, limit, leaseMs: 60_000 };
    case 'quota':
      return { algorithm, limit, period: periodNear(windowMs) };
  }
}

function periodNear(windowMs: number): 'day' | 'week' | 'month' {
  if (windowMs <= DAY_MS) return 'day';
  return windowMs <= 7 * DAY_MS ? 'week' : 'month';
}
