import { type AlgorithmName, type LimitPolicy, nominalWindowMs, type Rule } from '@tollgate/contracts';

const DAY_MS = 86_400_000;

/** How a limit counts: its algorithm and the numbers of it. */
export function ruleOf(policy: LimitPolicy): Rule {
  const {
    name,
    api,
    operations,
    per,
    onUnavailable,
    throttle,
    enforcement,
    candidate,
    charge,
    consistency,
    onMissing,
    ...rule
  } = policy;
  return rule;
}

/** The limit, counting by another rule. */
export function withRule(policy: LimitPolicy, rule: Rule): LimitPolicy {
  const { name, api, operations, per, onUnavailable } = policy;
  const { throttle, enforcement, candidate, charge, consistency, onMissing } = policy;
  return {
    ...{ name, api, operations, per, onUnavailable },
    ...{ throttle, enforcement, candidate, charge, consistency, onMissing },
    ...rule,
  };
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
