import {
  type LimitAnswer,
  type LimitRequest,
  type LimitResult,
  PARENT_LABEL,
  type Reason,
} from '@tollgate/contracts';
import type { CheckResult } from '@tollgate/limiter/stores';
import type { EffectiveLimit } from '@tollgate/policy';
import type { AppliedLimit } from '../counters/counter-book.js';

export interface AnswerContext {
  revision: number;
  requestId: string;
  /** Of the request; names the rule that changed the limit. */
  subject?: LimitRequest['subject'];
  /** Reason of an allowed request, if no counter gives another one; default: `WITHIN_LIMIT`. */
  reason?: Reason | undefined;
}

/** The outcome of a request that no counter decides. */
export interface Uncounted {
  success: boolean;
  reason: Reason;
  cost: number;
  detail?: string | undefined;
  /** Id of the subject rule that decided. */
  rule?: string | undefined;
  /** The limit that blocks the operation. */
  by?: EffectiveLimit | undefined;
}

export function uncountedAnswer(
  { success, reason, cost, detail, rule, by }: Uncounted,
  context: AnswerContext,
): LimitAnswer {
  return {
    success,
    policy: by?.stored.name ?? null,
    limit: by?.stored.limit ?? null,
    remaining: by?.stored.limit ?? null,
    used: null,
    reset: null,
    retryAfter: success ? 0 : null,
    cost,
    reason,
    source: by?.source ?? null,
    policies: [],
    delayMs: 0,
    degraded: false,
    ...(detail === undefined ? {} : { detail }),
    ...(rule === undefined ? {} : { rule }),
    revision: context.revision,
    requestId: context.requestId,
  };
}

/** Marks an answer as degraded. `used` is null, because a local share does not show global usage. */
export function degradedAnswer(answer: LimitAnswer): LimitAnswer {
  return { ...answer, used: null, reason: 'DEGRADED', degraded: true };
}

/**
 * The binding limit, an enforced one if there is any, is the one with the longest wait if the request is denied, else the
 * one with the fewest units left. @param results one per limit @param nowUs the time to which they are relative
 */
export function countedAnswer(
  applied: readonly AppliedLimit[],
  results: readonly CheckResult[],
  nowUs: number,
  cost: number,
  context: AnswerContext,
): LimitAnswer {
  if (applied.length === 1) return onlyAnswer(at(applied, 0), at(results, 0), nowUs, cost, context);
  const success = isSuccess(applied, results);
  const binding = success ? leastLeft(applied, results) : longestWait(applied, results);
  const policies = applied.map((one, i) => limitResultOf(one, at(results, i), nowUs));
  const one = at(applied, binding);
  const result = at(results, binding);
  const reason = success ? allowedReason(applied, results, context) : deniedReason(one.limit, result);
  const delayMs = success ? longestDelayMs(applied, results) : 0;
  const policy = at(policies, binding);
  const answer = answerOf(one, result, success, reason, policy, policies, delayMs, cost, nowUs, context);
  return withRule(answer, one, nowUs, context);
}

/** The answer by a single limit: most requests have one. */
function onlyAnswer(
  one: AppliedLimit,
  result: CheckResult,
  nowUs: number,
  cost: number,
  context: AnswerContext,
): LimitAnswer {
  const success = result.allowed || one.mode !== 'enforce';
  const reason = success
    ? withReason(context.reason ?? 'WITHIN_LIMIT', one, result)
    : deniedReason(one.limit, result);
  const delayMs = success ? delayMsOf(one, result) : 0;
  const policy = limitResultOf(one, result, nowUs);
  const answer = answerOf(one, result, success, reason, policy, [policy], delayMs, cost, nowUs, context);
  return withRule(answer, one, nowUs, context);
}

/** Adds the rule that changed the binding limit. */
function withRule(
  answer: LimitAnswer,
  { of, limit }: AppliedLimit,
  nowUs: number,
  { subject }: AnswerContext,
): LimitAnswer {
  const rule = of?.ruleOf(limit, subject, nowUs / 1000);
  if (rule !== undefined) answer.rule = rule;
  return answer;
}

/** @param one the binding limit */
function answerOf(
  one: AppliedLimit,
  result: CheckResult,
  success: boolean,
  reason: Reason,
  policy: LimitResult,
  policies: LimitResult[],
  delayMs: number,
  cost: number,
  nowUs: number,
  context: AnswerContext,
): LimitAnswer {
  return {
    success,
    policy: policy.name,
    limit: policy.limit,
    remaining: policy.remaining,
    used: Math.max(0, one.check.policy.capacity - result.remaining),
    reset: policy.reset,
    retryAfter: success ? 0 : retryAfterOf(one, result),
    cost,
    reason,
    source: one.of?.isParents === true ? 'parent' : one.limit.source,
    policies,
    // Rounded as `reset`: their difference is exact for waits of whole milliseconds.
    decidedAt: Math.ceil(nowUs / 1000),
    delayMs,
    degraded: false,
    revision: context.revision,
    requestId: context.requestId,
  };
}

function isSuccess(applied: readonly AppliedLimit[], results: readonly CheckResult[]): boolean {
  for (let i = 0; i < applied.length; i++) {
    if (!at(results, i).allowed && at(applied, i).mode === 'enforce') return false;
  }
  return true;
}

function limitResultOf(
  { limit: { stored, windowS, label: ownLabel }, mode, of }: AppliedLimit,
  result: CheckResult,
  nowUs: number,
): LimitResult {
  const limitResult: LimitResult = {
    name: stored.name,
    limit: stored.limit,
    remaining: result.penalized === true ? 0 : Math.max(0, result.remaining),
    reset: Math.ceil((nowUs + result.resetAfterUs) / 1000),
    window: windowS,
    mode,
    success: result.allowed,
  };
  const label = ownLabel ?? (of?.isParents === true ? PARENT_LABEL : undefined);
  if (label !== undefined) limitResult.label = label;
  if (stored.inHeaders === false) limitResult.inHeaders = false;
  return limitResult;
}

// A store clock that was set back lengthens every wait; the policy's horizon bounds it.
function retryAfterOf(
  { check: { policy } }: AppliedLimit,
  { waitUs, penalized }: CheckResult,
): number | null {
  const penaltyMs = penalized === true ? (policy.penalty?.horizonMs ?? 0) : 0;
  const horizonMs = Math.max(policy.horizonMs, penaltyMs);
  return waitUs < 0 ? null : Math.ceil(Math.min(waitUs, horizonMs * 1000) / 1_000_000);
}

function deniedReason({ kind }: EffectiveLimit, { inFlight, penalized }: CheckResult): Reason {
  if (penalized === true) return 'PENALTY';
  if (inFlight === true) return 'ATTEMPTS_IN_FLIGHT';
  if (kind === 'quota') return 'QUOTA_EXCEEDED';
  return kind === 'concurrency' ? 'CONCURRENCY_EXCEEDED' : 'RATE_EXCEEDED';
}

function allowedReason(
  applied: readonly AppliedLimit[],
  results: readonly CheckResult[],
  context: AnswerContext,
): Reason {
  let reason: Reason = context.reason ?? 'WITHIN_LIMIT';
  for (let i = 0; i < applied.length; i++) reason = withReason(reason, at(applied, i), at(results, i));
  return reason;
}

/** The reason of an allowed request after a further limit. */
function withReason(reason: Reason, { limit, mode, check }: AppliedLimit, result: CheckResult): Reason {
  if (reason === 'ELASTIC' || reason === 'SOFT_LIMIT') return reason;
  if (mode !== 'enforce') {
    return mode === 'shadow' && !result.allowed && reason === 'WITHIN_LIMIT' ? 'SHADOW' : reason;
  }
  if (result.over) return limit.stored.throttle?.mode === 'elastic' ? 'ELASTIC' : 'SOFT_LIMIT';
  if (result.waitUs > 0) return 'QUEUED';
  if (reason !== 'WITHIN_LIMIT') return reason;
  return limit.model.isBurst(check.policy, check.cost, result.resetAfterUs) ? 'BURST' : reason;
}

function longestDelayMs(applied: readonly AppliedLimit[], results: readonly CheckResult[]): number {
  let longestMs = 0;
  for (let i = 0; i < applied.length; i++) {
    longestMs = Math.max(longestMs, delayMsOf(at(applied, i), at(results, i)));
  }
  return longestMs;
}

function delayMsOf({ mode }: AppliedLimit, { waitUs }: CheckResult): number {
  return mode === 'enforce' && waitUs > 0 ? Math.ceil(waitUs / 1000) : 0;
}

function leastLeft(applied: readonly AppliedLimit[], results: readonly CheckResult[]): number {
  return best(applied, (i) => -at(results, i).remaining);
}

function longestWait(applied: readonly AppliedLimit[], results: readonly CheckResult[]): number {
  return best(applied, (i) => {
    const { allowed, waitUs } = at(results, i);
    return allowed ? -1 : waitUs < 0 ? Number.POSITIVE_INFINITY : waitUs;
  });
}

/** The first enforced limit with the highest score; 0 if no limit is enforced. */
function best(applied: readonly AppliedLimit[], score: (i: number) => number): number {
  let binding = -1;
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < applied.length; i++) {
    if (at(applied, i).mode !== 'enforce') continue;
    const own = score(i);
    if (binding < 0 || own > highest) {
      binding = i;
      highest = own;
    }
  }
  return Math.max(0, binding);
}

// `applied` and `results` are never empty and have the same length.
function at<T>(list: readonly T[], index: number): T {
  return list[index] as T;
}
