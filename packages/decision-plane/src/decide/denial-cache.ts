import type { LimitPolicy } from '@tollgate/contracts';
import type { WirePolicy } from '@tollgate/limiter/rules';
import type { Check, CheckResult, Decided } from '@tollgate/limiter/stores';
import { LRUCache } from 'lru-cache';

const MAX_DENIALS = 10_000;

/** Longest lifetime of a cached denial: bounds the effect of a lost clear message. */
const MAX_AGE_MS = 5000;

/** Counters whose last clearing is kept, so that a denial in flight at that time is not cached. */
const MAX_CLEARED = 10_000;

interface Denial {
  readonly checks: readonly Check[];
  readonly results: readonly CheckResult[];
  /** Index of the check that denied; of several, the one with the longest wait. */
  readonly denier: number;
  readonly nowUs: number;
  readonly madeAtMs: number;
  readonly untilMs: number;
}

/**
 * Caches denials that cannot change before a known time. Applies only to requests with the same counters, policies and costs.
 * Not for peeks, nor for requests that may have been charged before under their id. Times except `nowUs` are monotonic.
 */
export class DenialCache {
  private readonly denials: LRUCache<string, Denial>;
  private readonly cleared = new LRUCache<string, number>({ max: MAX_CLEARED });
  /** Denials of requests that started before this are not cached. */
  private notBeforeMs = Number.NEGATIVE_INFINITY;
  /** Number of cached denials by policy; avoids key lookups for policies without any. */
  private readonly live = new Map<WirePolicy, number>();

  constructor(options: { maxDenials?: number } = {}) {
    this.denials = new LRUCache({
      max: options.maxDenials ?? MAX_DENIALS,
      dispose: (denial) => this.uncount(denial),
    });
  }

  /** The denial that the store would return now, with the remaining wait; undefined if the store must decide. */
  find(checks: readonly Check[], nowMs: number): Decided | undefined {
    if (this.live.size === 0) return undefined;
    for (const { key, policy } of checks) {
      if (!this.live.has(policy)) continue;
      const denial = this.denials.get(key);
      if (denial === undefined) continue;
      if (nowMs >= denial.untilMs) this.denials.delete(key);
      else if (covers(denial, checks)) return answerOf(denial, nowMs);
    }
    return undefined;
  }

  /**
   * Caches a denial that only time, a refund, a reset or a policy change can end.
   * @param startedMs when the request was sent: denials by counters cleared since then are not cached
   */
  remember(
    limits: readonly { readonly stored: LimitPolicy }[],
    checks: readonly Check[],
    reply: Decided,
    startedMs: number,
    nowMs: number,
  ): void {
    if (reply.allowed || reply.replayed || startedMs < this.notBeforeMs) return;
    if (countsDenials(checks, reply.checks)) return;
    const denier = longestDenial(limits, checks, reply.checks);
    const check = checks[denier];
    if (check === undefined || startedMs < (this.cleared.get(check.key) ?? Number.NEGATIVE_INFINITY)) return;
    const { checks: results, nowUs } = reply;
    const waitMs = firstWaitMs(checks, results);
    const denial = { checks, results, denier, nowUs, madeAtMs: startedMs, untilMs: startedMs + waitMs };
    if (denial.untilMs <= nowMs) return;
    this.denials.set(check.key, denial);
    this.live.set(check.policy, (this.live.get(check.policy) ?? 0) + 1);
  }

  /** Called after a refund or reset of the counter. */
  clear(key: string, nowMs: number): void {
    this.denials.delete(key);
    const oldestMs = this.cleared.size < MAX_CLEARED ? undefined : this.cleared.rvalues().next().value;
    if (oldestMs !== undefined) this.notBeforeMs = Math.max(this.notBeforeMs, oldestMs);
    this.cleared.set(key, nowMs);
  }

  /** Called when clear messages may have been missed. */
  clearAll(nowMs: number): void {
    this.denials.clear();
    this.notBeforeMs = nowMs;
  }

  private uncount(denial: Denial): void {
    const policy = denial.checks[denial.denier]?.policy;
    if (policy === undefined) return;
    const left = (this.live.get(policy) ?? 1) - 1;
    if (left === 0) this.live.delete(policy);
    else this.live.set(policy, left);
  }
}

/** Whether the store may count a further denial for a penalty. During a block it does not. */
function countsDenials(checks: readonly Check[], results: readonly CheckResult[]): boolean {
  for (let i = 0; i < checks.length; i++) {
    if (checks[i]?.policy.penalty !== undefined && results[i]?.penalized !== true) return true;
  }
  return false;
}

/** Index of the cacheable denial with the longest wait; -1: there is none. */
function longestDenial(
  limits: readonly { readonly stored: LimitPolicy }[],
  checks: readonly Check[],
  results: readonly CheckResult[],
): number {
  let longest = -1;
  let longestUs = 0;
  for (let i = 0; i < checks.length; i++) {
    const result = results[i];
    const stored = limits[i]?.stored;
    const policy = checks[i]?.policy;
    if (result === undefined || result.allowed || stored === undefined || policy === undefined) continue;
    // A permit may be released, an attempt reported, spare capacity may appear, and leases may be refunded at any moment.
    if (result.inFlight === true) continue;
    if (policy.shadow || policy.kind === 'concurrency') continue;
    if (stored.throttle?.mode === 'elastic' || stored.consistency?.mode === 'leased') continue;
    const waitUs = result.waitUs < 0 ? Number.POSITIVE_INFINITY : result.waitUs;
    if (waitUs <= longestUs) continue;
    longest = i;
    longestUs = waitUs;
  }
  return longest;
}

// The answer names every denial, so it is valid only until the first of them may end.
function firstWaitMs(checks: readonly Check[], results: readonly CheckResult[]): number {
  let waitMs = MAX_AGE_MS;
  for (let i = 0; i < checks.length; i++) {
    const result = results[i];
    if (result !== undefined && !result.allowed && result.waitUs >= 0) {
      waitMs = Math.min(waitMs, result.waitUs / 1000);
    }
  }
  return waitMs;
}

function covers({ checks: denied }: Denial, checks: readonly Check[]): boolean {
  if (denied.length !== checks.length) return false;
  for (let i = 0; i < checks.length; i++) {
    const a = denied[i];
    const b = checks[i];
    if (a === undefined || b === undefined || a.policy !== b.policy || a.key !== b.key) return false;
    if (a.cost !== b.cost) return false;
  }
  return true;
}

function answerOf({ checks, results, nowUs, madeAtMs }: Denial, nowMs: number): Decided {
  const elapsedUs = Math.max(0, Math.floor((nowMs - madeAtMs) * 1000));
  return {
    available: true,
    nowUs: nowUs + elapsedUs,
    allowed: false,
    replayed: false,
    checks: results.map((result, i) => later(result, checks[i]?.policy.capacity ?? 0, elapsedUs)),
  };
}

function later(result: CheckResult, capacity: number, elapsedUs: number): CheckResult {
  const isReset = result.resetAfterUs <= elapsedUs;
  return {
    ...result,
    remaining: isReset ? capacity : result.remaining,
    resetAfterUs: isReset ? 0 : result.resetAfterUs - elapsedUs,
    waitUs: result.allowed || result.waitUs < 0 ? result.waitUs : result.waitUs - elapsedUs,
  };
}
