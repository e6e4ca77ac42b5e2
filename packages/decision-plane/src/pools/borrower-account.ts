import type { Priority } from '@tollgate/contracts';
import type { Borrower, Grant } from './borrowing.js';
import { type ByPriority, RANK, sumOf } from './pool.js';
import { SlidingSecond } from './sliding-second.js';

const BORROWED = 0;
const DEMAND = 3;

/** How far ahead of the even pace a borrower may be, ms: one exchange interval's worth at once. */
const AHEAD_MS = 100;

/**
 * What one tenant borrows on this node. Loans are paced: taken in one go at the start of each second, they would all be
 * out just when they have to be given back. Only where less is granted than wanted: else demand is the pace.
 */
export class BorrowerAccount {
  private grant: Grant | undefined;
  private readonly second = new SlidingSecond(6);
  /** When all that was lent would be lent at the even pace of the grant, ms. */
  private paidAtMs = Number.NEGATIVE_INFINITY;

  /** Whether less was granted than wanted. */
  private short = false;

  constructor(
    readonly tenant: string,
    public weight: number,
  ) {}

  /** Takes the pool's answer to `reported`; undefined: there is none, and nothing is lent. */
  allow(grant: Grant | undefined, reported?: Borrower): void {
    this.grant = grant;
    this.short = grant !== undefined && reported !== undefined && sumOf(reported.demand) > grant.total;
  }

  /** Lends within the grant; counts what was asked for either way. */
  borrow(priority: Priority, cost: number, nowMs: number): boolean {
    const { second, grant } = this;
    const rank = RANK[priority];
    second.advance(nowMs);
    second.add(DEMAND + rank, cost);
    if (grant === undefined || (this.short && this.paidAtMs > nowMs + AHEAD_MS)) return false;
    if (this.sum(BORROWED) + cost > grant.total) return false;
    if (second.total(BORROWED + rank) + cost > grant.byPriority[rank]) return false;
    second.add(BORROWED + rank, cost);
    if (this.short) this.pay((cost * 1000) / grant.total, nowMs);
    return true;
  }

  /** As if it had not been asked for. */
  takeBack(priority: Priority, cost: number, lent: boolean, nowMs: number): void {
    this.second.advance(nowMs);
    this.second.add(DEMAND + RANK[priority], -cost);
    if (!lent) return;
    this.second.add(BORROWED + RANK[priority], -cost);
    if (this.short && this.grant !== undefined)
      this.paidAtMs -= (cost * 1000) / Math.max(1, this.grant.total);
  }

  /** Whether it asked within the last second, as far as counted, and the pool has not heard of it yet. */
  get isUnheard(): boolean {
    return this.grant === undefined && this.sum(DEMAND) > 0;
  }

  /** Undefined when it asked for nothing within the last second. */
  report(nowMs: number): Borrower | undefined {
    const { second, tenant, weight } = this;
    second.advance(nowMs);
    const borrowed = this.sum(BORROWED);
    if (borrowed + this.sum(DEMAND) === 0) return undefined;
    const demand: ByPriority = [
      withMargin(second.total(DEMAND)),
      withMargin(second.total(DEMAND + 1)),
      withMargin(second.total(DEMAND + 2)),
    ];
    return { tenant, weight, borrowed, demand };
  }

  // What was dear while little was granted must not hold a tenant up when more is.
  private pay(durationMs: number, nowMs: number): void {
    this.paidAtMs = Math.min(Math.max(this.paidAtMs, nowMs) + durationMs, nowMs + 2 * AHEAD_MS);
  }

  private sum(from: number): number {
    const { second } = this;
    return second.total(from) + second.total(from + 1) + second.total(from + 2);
  }
}

// A demand that varies by chance, as random arrivals do, must not be refused for want of a unit.
function withMargin(units: number): number {
  return units + Math.ceil(Math.sqrt(units) / 2);
}
