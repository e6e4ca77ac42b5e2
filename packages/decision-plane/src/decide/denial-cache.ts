import type { LimitPolicy } from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import type { WirePolicy } from '../policy/compile.js';
import type { Check, CheckResult, Decided } from '../store/decision-store.js';

/** Refusals remembered at once; a further one pushes out the one that was used longest ago. */
const MAX_DENIALS = 10_000;

/** A refusal is believed for this long at most: what a lost message to forget it can do ends by then. */
const MAX_AGE_MS = 5000;

/** Counters whose clearing is remembered, so that a refusal that was on its way meanwhile is not kept. */
const MAX_CLEARED = 10_000;

/** One refusal, filed under the key of the check that refused. */
interface Denial {
  readonly checks: readonly Check[];
  readonly results: readonly CheckResult[];
  /** Which of `checks` refused; of several, the one to wait for longest. */
  readonly refuser: number;
  /** The store's time of the refusal. */
  readonly nowUs: number;
  readonly madeAtMs: number;
  readonly untilMs: number;
}

/**
 * Refusals that cannot change before a known time, answered without asking the store. Only a request of the very same
 * counters, policies and costs is answered from it: a higher cost waits longer, or for ever. All times but `nowUs` are of
 * the process's monotonic clock.
 *
 * Not to be asked for a peek, nor for a request that may have been charged before under its id.
 */
export class DenialCache {
  private readonly denials: LRUCache<string, Denial>;
  private readonly cleared = new LRUCache<string, number>({ max: MAX_CLEARED });
  /** Refusals that were asked for before this are not kept. */
  private notBeforeMs = Number.NEGATIVE_INFINITY;
  /** Denials by the policy that refused: most requests meet none, and are told so without hashing a key. */
  private readonly live = new Map<WirePolicy, number>();

  constructor(options: { maxDenials?: number } = {}) {
    this.denials = new LRUCache({
      max: options.maxDenials ?? MAX_DENIALS,
      dispose: (denial) => this.uncount(denial),
    });
  }

  /** The refusal that the store would give now, with what is left to wait; undefined when it has to be asked. */
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
   * Takes note of a refusal that lasts: by an enforced, strict limit that nothing but time, a refund, a reset or a changed
   * policy makes pass again. Of anything else, and of a replayed answer, none is taken.
   *
   * @param limits `limits[i]` is the limit of `checks[i]`
   * @param askedAtMs when the store was asked: a counter that was cleared since then is not kept
   */
  remember(
    limits: readonly { readonly stored: LimitPolicy }[],
    checks: readonly Check[],
    reply: Decided,
    askedAtMs: number,
    nowMs: number,
  ): void {
    if (reply.allowed || reply.replayed || askedAtMs < this.notBeforeMs) return;
    const refuser = longestLasting(limits, checks, reply.checks);
    const check = checks[refuser];
    if (check === undefined || askedAtMs < (this.cleared.get(check.key) ?? Number.NEGATIVE_INFINITY)) return;
    const { checks: results, nowUs } = reply;
    const waitMs = firstWaitMs(checks, results);
    const denial = { checks, results, refuser, nowUs, madeAtMs: askedAtMs, untilMs: askedAtMs + waitMs };
    if (denial.untilMs <= nowMs) return;
    this.denials.set(check.key, denial);
    this.live.set(check.policy, (this.live.get(check.policy) ?? 0) + 1);
  }

  /** Something was given back to the counter, or it was reset. */
  clear(key: string, nowMs: number): void {
    this.denials.delete(key);
    const oldestMs = this.cleared.size < MAX_CLEARED ? undefined : this.cleared.rvalues().next().value;
    if (oldestMs !== undefined) this.notBeforeMs = Math.max(this.notBeforeMs, oldestMs);
    this.cleared.set(key, nowMs);
  }

  /** Anything may have changed. */
  clearAll(nowMs: number): void {
    this.denials.clear();
    this.notBeforeMs = nowMs;
  }

  private uncount(denial: Denial): void {
    const policy = denial.checks[denial.refuser]?.policy;
    if (policy === undefined) return;
    const left = (this.live.get(policy) ?? 1) - 1;
    if (left === 0) this.live.delete(policy);
    else this.live.set(policy, left);
  }
}

/** -1 when no refusal among them lasts. */
function longestLasting(
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
    // A slot may be freed and spare capacity come at any moment; a lease is granted or not by what other nodes hold.
    if (policy.shadow || policy.kind === 'concurrency') continue;
    if (stored.throttle?.mode === 'elastic' || stored.consistency?.mode === 'leased') continue;
    const waitUs = result.waitUs < 0 ? Number.POSITIVE_INFINITY : result.waitUs;
    if (waitUs <= longestUs) continue;
    longest = i;
    longestUs = waitUs;
  }
  return longest;
}

// As soon as one of the refusals may be over, the answer as a whole is: it names each.
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

function covers({ checks: refused }: Denial, checks: readonly Check[]): boolean {
  if (refused.length !== checks.length) return false;
  for (let i = 0; i < checks.length; i++) {
    const a = refused[i];
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
