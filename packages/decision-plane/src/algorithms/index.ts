import type { LimitPolicy, Rule } from '@tollgate/contracts';
import type { Algorithm, AttemptsKind, CompiledPolicy, Kind, RuleKind } from './algorithm.js';
import { attemptsOf } from './attempts.js';
import { concurrency } from './concurrency.js';
import { fixedWindow } from './fixed-window.js';
import { quota } from './quota.js';
import { slidingWindowCounter } from './sliding-window-counter.js';
import { slidingWindowEstimate } from './sliding-window-estimate.js';
import { slidingWindowLog } from './sliding-window-log.js';
import { tokenBucketInterval } from './token-bucket-interval.js';
import { gcra, leakyBucket, tokenBucket } from './virtual-time.js';

/** An algorithm whose policy and state types are its own business. */
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

// One algorithm's policy type is narrower than the union's; the kind that both carry keeps them together.
const rules = Object.values(RULES) as unknown as readonly AnyAlgorithm[];
const ALGORITHMS: ReadonlyMap<Kind, AnyAlgorithm> = new Map(
  [...rules, ...rules.filter(({ kind }) => kind !== 'concurrency').map(attemptsOf)].map((algorithm) => [
    algorithm.kind,
    algorithm as unknown as AnyAlgorithm,
  ]),
);

/** The model of `kind`. A compiled policy and its states must only meet the algorithm that made them. */
export function algorithmOf(kind: Kind): AnyAlgorithm {
  return ALGORITHMS.get(kind) as AnyAlgorithm;
}

/** The model by which a limit of this rule counts when only failures are charged. */
export function attemptsKindOf(kind: RuleKind): Kind {
  return kind === 'concurrency' ? kind : (`attempts_${kind}` satisfies AttemptsKind);
}

/** The model that counts by `rule`. */
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
