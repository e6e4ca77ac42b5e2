import type { OperationPolicy } from '../policy/tier-policy.js';
import type { PoolBook } from '../pools/pool-book.js';
import type { CheckResult } from '../store/decision-store.js';
import type { Applied, TenantPolicy } from './resolve.js';

/**
 * One request's dealings with its API's pool: what is admitted and lent here, before the limits are asked, is confirmed or
 * given back after they have answered. What a crash leaves behind is gone when the node's part of the pool runs out.
 */
export class PoolPass {
  private asked = false;
  private lent = false;

  private constructor(
    private readonly book: PoolBook,
    private readonly operation: OperationPolicy,
    private readonly at: TenantPolicy,
    private readonly cost: number,
  ) {}

  /** @returns undefined when the pool has no room for the request */
  static enter(
    book: PoolBook,
    operation: OperationPolicy,
    at: TenantPolicy,
    cost: number,
  ): PoolPass | undefined {
    const { pool, priority } = operation;
    if (pool !== undefined && !book.admit(pool, priority, cost)) return undefined;
    return new PoolPass(book, operation, at, cost);
  }

  /** Whether the pool has room for the request; counts nothing. */
  static wouldEnter(book: PoolBook, { pool, priority }: OperationPolicy, cost: number): boolean {
    return pool === undefined || book.wouldAdmit(pool, priority, cost);
  }

  /** Asks for spare capacity, for a limit that may be passed on it. Once a request. */
  borrow(): boolean {
    const { pool, priority } = this.operation;
    const { policy, tenant } = this.at;
    this.asked = true;
    this.lent =
      pool !== undefined && this.book.borrow(pool, tenant.tenant, policy.weight, priority, this.cost);
    return this.lent;
  }

  /** The limits have answered: keeps what the request needs, gives back the rest. */
  settle(success: boolean, applied: readonly Applied[], results: readonly CheckResult[]): void {
    const { pool, priority } = this.operation;
    if (pool === undefined) return;
    const borrows = success && results.some((result, i) => result.over && isElastic(applied[i]));
    // What runs on borrowed capacity is not the tenant's own traffic, and the other way round.
    if (!success || borrows) this.book.giveBack(pool, priority, this.cost);
    // Refused for want of a loan: that it was wanted stays known, or nothing would ever be lent.
    if (this.asked && !borrows && (success || this.lent)) {
      this.book.returnLoan(pool, this.at.tenant.tenant, priority, this.cost, this.lent);
    }
  }
}

/** Elastic limits may be passed only by a request that spare capacity was found for. */
export function withBorrowing(
  applied: readonly Applied[],
  pass: PoolPass | undefined,
  nowMs: () => number,
): readonly Applied[] {
  if (!applied.some(isElastic) || pass?.borrow() === true) return applied;
  return applied.map((one) =>
    isElastic(one) ? { ...one, check: { ...one.check, policy: one.limit.policyWithoutExtra(nowMs()) } } : one,
  );
}

/** Whether the limit may be passed on spare capacity. */
function isElastic(one: Applied | undefined): boolean {
  return one?.mode === 'enforce' && one.limit.stored.throttle?.mode === 'elastic';
}
