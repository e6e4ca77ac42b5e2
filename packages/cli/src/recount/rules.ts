import type { LimitPolicy } from '@tollgate/contracts';
import { fixedWindowRecount } from './fixed-window.js';
import { intervalBucketRecount } from './interval-bucket.js';
import { quotaRecount } from './quota.js';
import type { RecountRule } from './recount-rule.js';
import { estimateRecount } from './sliding-estimate.js';
import { slidingWindowRecount } from './sliding-window.js';
import { spacedRecount } from './spaced.js';

export type RuleChoice =
  | { rule: RecountRule<LimitPolicy>; reason?: undefined }
  | { rule?: undefined; reason: string };

/** The rule that counts admissions under `policy` again, or why the log of admissions cannot tell. */
export function ruleFor(policy: LimitPolicy): RuleChoice {
  const reason = whyNot(policy);
  if (reason !== undefined) return { reason };
  // A rule only ever meets policies of its own algorithm.
  return { rule: ruleOf(policy) as unknown as RecountRule<LimitPolicy> };
}

function whyNot({ algorithm, throttle, consistency }: LimitPolicy): string | undefined {
  if (algorithm === 'concurrency') return 'the log does not tell when a request ended (concurrency)';
  if (throttle?.mode === 'elastic') return 'the log does not tell what the pool had to spare (elastic)';
  if (throttle?.mode === 'queue') return 'requests past the limit pass, to run later (queue)';
  if (consistency?.mode === 'leased') return 'nodes spend ahead of the shared counters (leased)';
  return undefined;
}

function ruleOf(policy: LimitPolicy) {
  switch (policy.algorithm) {
    case 'fixed_window':
      return fixedWindowRecount;
    case 'quota':
      return quotaRecount;
    case 'sliding_window_log':
      return slidingWindowRecount;
    case 'sliding_window_counter':
      return policy.buckets === 1 ? estimateRecount : slidingWindowRecount;
    case 'token_bucket':
      return policy.refill === 'interval' ? intervalBucketRecount : spacedRecount;
    default:
      return spacedRecount;
  }
}
