import type { LimitAnswer, PolicyResult, Reason } from '@tollgate/contracts';
import { algorithmOf } from '../algorithms/index.js';
import type { CompiledLimit } from '../policy/compile.js';
import type { CheckResult } from '../store/decision-store.js';

/** What every answer carries besides the decision. */
export interface AnswerContext {
  revision: number;
  requestId: string;
}

/** The answer where no counter was asked. */
export function uncountedAnswer(
  { success, reason, cost }: { success: boolean; reason: Reason; cost: number },
  context: AnswerContext,
): LimitAnswer {
  return {
    success,
    policy: null,
    limit: null,
    remaining: null,
    used: null,
    reset: null,
    retryAfter: success ? 0 : null,
    cost,
    reason,
    source: null,
    policies: [],
    delayMs: 0,
    degraded: false,
    ...context,
  };
}

/**
 * The answer to a request that was checked against `limits`. On a refusal the binding limit is the one to wait for
 * longest; else the one with the least left.
 *
 * @param results one a limit, in order
 * @param nowUs the time that the results are relative to
 */
export function countedAnswer(
  limits: readonly CompiledLimit[],
  results: readonly CheckResult[],
  nowUs: number,
  cost: number,
  context: AnswerContext,
): LimitAnswer {
  const success = results.every((result) => result.allowed);
  const policies = limits.map((limit, i) => policyResult(limit, at(results, i), nowUs));
  const binding = success ? leastLeft(results) : longestWait(results);
  const result = at(results, binding);
  const limit = at(limits, binding);
  const policy = at(policies, binding);
  return {
    success,
    policy: policy.name,
    limit: policy.limit,
    remaining: policy.remaining,
    used: Math.max(0, limit.policy.capacity - policy.remaining),
    reset: policy.reset,
    retryAfter: result.retryAfterUs < 0 ? null : Math.ceil(result.retryAfterUs / 1_000_000),
    cost,
    reason: reasonOf(success, limits, results, cost),
    source: 'tier',
    policies,
    delayMs: 0,
    degraded: false,
    ...context,
  };
}

function policyResult({ stored }: CompiledLimit, result: CheckResult, nowUs: number): PolicyResult {
  return {
    name: stored.name,
    limit: stored.limit,
    remaining: result.remaining,
    reset: Math.ceil((nowUs + result.resetAfterUs) / 1000),
    window: stored.windowMs / 1000,
    mode: 'enforce',
    success: result.allowed,
  };
}

function reasonOf(
  success: boolean,
  limits: readonly CompiledLimit[],
  results: readonly CheckResult[],
  cost: number,
): Reason {
  if (!success) return 'RATE_EXCEEDED';
  const burst = limits.some(({ policy }, i) =>
    algorithmOf(policy.algorithm).isBurst(policy, cost, at(results, i).resetAfterUs),
  );
  return burst ? 'BURST' : 'WITHIN_LIMIT';
}

function leastLeft(results: readonly CheckResult[]): number {
  let binding = 0;
  for (let i = 1; i < results.length; i++) {
    if (at(results, i).remaining < at(results, binding).remaining) binding = i;
  }
  return binding;
}

function longestWait(results: readonly CheckResult[]): number {
  const wait = ({ allowed, retryAfterUs }: CheckResult) =>
    allowed ? -1 : retryAfterUs < 0 ? Number.POSITIVE_INFINITY : retryAfterUs;
  let binding = 0;
  for (let i = 1; i < results.length; i++) {
    if (wait(at(results, i)) > wait(at(results, binding))) binding = i;
  }
  return binding;
}

// `limits` and `results` are never empty and of one length.
function at<T>(list: readonly T[], index: number): T {
  return list[index] as T;
}
