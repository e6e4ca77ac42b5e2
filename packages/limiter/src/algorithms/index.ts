import type { LimitPolicy, Rule } from '@tollgate/contracts';
import type { Algorithm, AttemptsKind, CompiledPolicy, Kind, RuleKind } from './algorithm.js';
import { attemptsOf } from './attempts.js';
import { concurrency } from './concurrency.js';
import { fixedWindow, packedWindow } from './fixed-window.js';
import { penalty } from './penalty.js';
import { quota } from './quota.js';
import { slidingWindowCounter } from './sliding-window-counter.js';
import { slidingWindowEstimate } from './sliding-window-estimate.js';
import { slidingWindowLog } from './sliding-window-log.js';
import { tokenBucketInterval } from './token-bucket-interval.js';
import { gcra, leakyBucket, tokenBucket } from './virtual-time.js';

/** An algorithm with opaque policy and state types. */
export type AnyAlgorithm = Algorithm<LimitPolicy, CompiledPolicy, unknown>;

const RULES = {
  fixed_window: fixedWindow,
  gcra,
  sliding_window_log: slidingWindowLog,
  sliding_window_counter: slidingWindowCounter,
  sliding_window_estimate: slidingWindowEstimate,
  token_bucket: tokenBucket,
  token_bucket_interval: tokenBucketInterval,
  leaky_bucket: leakyBucket,
  concurrency,
  quota,
} satisfies Record<RuleKind, { kind: Kind }>;

// Policy types of the algorithms are narrower than the union; the kind ensures that they match.
const rules = Object.values(RULES) as unknown as readonly AnyAlgorithm[];
const ALGORITHMS: ReadonlyMap<Kind, AnyAlgorithm> = new Map(
  [
    ...rules,
    ...rules.filter(({ kind }) => kind !== 'concurrency').map(attemptsOf),
    packedWindow,
    penalty,
  ].map((algorithm) => [algorithm.kind, algorithm as unknown as AnyAlgorithm]),
);

/** All algorithms, with those that count failures, and penalties. */
export const algorithms: readonly AnyAlgorithm[] = [...ALGORITHMS.values()];

/** Use it only with policies and states of the same kind. */
export function algorithmOf(kind: Kind): AnyAlgorithm {
  return ALGORITHMS.get(kind) as AnyAlgorithm;
}

/** The algorithm for a limit that charges failures only. */
export function attemptsKindOf(kind: RuleKind): Kind {
  return kind === 'concurrency' ? kind : (`attempts_${kind}` satisfies AttemptsKind);
}

export function kindOf(rule: Rule | LimitPolicy): RuleKind {
  switch (rule.algorithm) {
    case 'token_bucket':
      return rule.refill === 'interval' ? 'token_bucket_interval' : 'token_bucket';
    case 'sliding_window_counter':
      return rule.buckets === 1 ? 'sliding_window_estimate' : 'sliding_window_counter';
    default:
      return rule.algorithm;
  }
}
