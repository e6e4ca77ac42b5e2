import type { OperationPolicy } from '../policy/tier-policy.js';
import type { PoolBook } from '../pools/pool-book.js';
import type { CheckResult } from '../store/decision-store.js';
import type { AppliedLimit, TenantPolicy } from './resolve.js';

/** Units of a pool that one request takes or borrows, before its limits are checked; {@link finish} returns unused ones. */
export class PoolPass {
  private wantsLoan = false;
  private hasLoan = false;

  private constructor(
    private readonly book: PoolBook,
    private readonly operation: OperationPolicy,
    private readonly at: TenantPolicy,
    private readonly cost: number,
  ) {}

  /** Undefined: no room. */
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

  static wouldEnter(book: PoolBook, { pool, priority }: OperationPolicy, cost: number): boolean {
    return pool === undefined || book.wouldAdmit(pool, priority, cost);
  }

  /** Call it once per request. */
  borrow(): boolean {
    const { pool, priority } = this.operation;
    const { policy, tenant } = this.at;
    this.wantsLoan = true;
    this.hasLoan =
      pool !== undefined && this.book.borrow(pool, tenant.tenant, policy.weight, priority, this.cost);
    return this.hasLoan;
  }

  finish(success: boolean, applied: readonly AppliedLimit[], results: readonly CheckResult[]): void {
    const { pool, priority } = this.operation;
    if (pool === undefined) return;
    const usesLoan = success && results.some((result, i) => result.over && isElastic(applied[i]));
    // A request on borrowed capacity is not the tenant's own traffic, and vice versa.
    if (!success || usesLoan) this.book.undoAdmit(pool, priority, this.cost);
    // A request denied because there was no loan stays recorded as demand: without demand nothing would be lent.
    if (this.wantsLoan && !usesLoan && (success || this.hasLoan)) {
      this.book.undoBorrow(pool, this.at.tenant.tenant, priority, this.cost, this.hasLoan);
    }
  }
}

/** Removes the elastic part of limits if no spare capacity can be borrowed for the request. */
export function withBorrowing(
  applied: readonly AppliedLimit[],
  pass: PoolPass | undefined,
  nowMs: () => number,
): readonly AppliedLimit[] {
  if (!applied.some(isElastic) || pass?.borrow() === true) return applied;
  return applied.map((one) =>
    isElastic(one) ? { ...one, check: { ...one.check, policy: one.limit.policyWithoutExtra(nowMs()) } } : one,
  );
}

function isElastic(one: AppliedLimit | undefined): boolean {
  return one?.mode === 'enforce' && one.limit.stored.throttle?.mode === 'elastic';
}
