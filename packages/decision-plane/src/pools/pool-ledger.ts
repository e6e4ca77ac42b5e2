import type { Priority } from '@tollgate/contracts';
import type { Borrower, Grant } from './allowances.js';
import {
  EMPTY_POOL,
  exchangeReport,
  type PoolAnswer,
  type PoolReport,
  REPORT_FULL_MS,
  REPORTS_FORGOTTEN_MS,
  type ServiceReport,
} from './exchange.js';
import { type ByPriority, type Pool, RANK, SlidingSecond, sumOf } from './pool.js';

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
  undoBorrow(priority: Priority, cost: number, lent: boolean, nowMs: number): void {
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

/** Tenants that borrow under their own name on one node; further ones share one account. */
export const MAX_BORROWERS = 100;

/** Services heard between two exchanges; further ones share one name, the busiest of them counts. */
const MAX_SERVICES = 64;

/** Whose account and name the rest share; no tenant is called so. */
const OTHERS = '*';

/** When all nodes together have admitted this part of the capacity since their last exchanges, they ask early. */
const NEWS_DIVISOR = 16;

const OWN = 0;
const OPEN = 3;

/** What a node knows and does about one pool, between two exchanges. All times are of one clock that never steps back. */
export class PoolLedger {
  private readonly second = new SlidingSecond(6);
  private readonly borrowers = new Map<string, BorrowerAccount>();
  private readonly services = new Map<string, number>();
  private answer: PoolAnswer;
  private answeredAtMs = Number.NEGATIVE_INFINITY;
  private alone = true;
  private newsAt = 0;
  private refused = false;

  /** @param liveNodes nodes that would share the pool if none could ask */
  constructor(
    public pool: Pool,
    private readonly node: string,
    private readonly liveNodes: () => number,
    nowMs: number,
  ) {
    this.answer = this.answerAlone(this.report(nowMs), nowMs);
  }

  /** Whether own traffic of that cost fits into the pool; counts it if so. */
  admit(priority: Priority, cost: number, nowMs: number): boolean {
    const { second } = this;
    const rank = RANK[priority];
    second.advance(nowMs);
    second.add(DEMAND + rank, cost);
    this.outdate(nowMs);
    if (!this.fits(rank, cost)) {
      // Where the pool has said that it is short, a refusal is no news.
      this.refused ||= this.alone || this.answer.short === OPEN;
      return false;
    }
    second.add(OWN + rank, cost);
    return true;
  }

  /** What `admit` would answer now. */
  wouldAdmit(priority: Priority, cost: number, nowMs: number): boolean {
    this.second.advance(nowMs);
    this.outdate(nowMs);
    return this.fits(RANK[priority], cost);
  }

  /** As if `admit` had not been asked. */
  undoAdmit(priority: Priority, cost: number, nowMs: number): void {
    this.second.advance(nowMs);
    this.second.add(OWN + RANK[priority], -cost);
    this.second.add(DEMAND + RANK[priority], -cost);
  }

  borrow(tenant: string, weight: number, priority: Priority, cost: number, nowMs: number): boolean {
    this.outdate(nowMs);
    return this.openAccount(tenant, weight).borrow(priority, cost, nowMs);
  }

  undoBorrow(tenant: string, priority: Priority, cost: number, lent: boolean, nowMs: number): void {
    this.account(tenant)?.undoBorrow(priority, cost, lent, nowMs);
  }

  hear(service: string, utilisationPermille: number): void {
    if (this.services.has(service) || this.services.size < MAX_SERVICES) {
      this.services.set(service, utilisationPermille);
    } else {
      this.services.set(OTHERS, Math.max(this.services.get(OTHERS) ?? 0, utilisationPermille));
    }
  }

  /** What to tell the pool now. Forgets borrowers that have nothing to tell. */
  report(nowMs: number): PoolReport {
    this.second.advance(nowMs);
    const borrowers: Borrower[] = [];
    for (const [tenant, account] of this.borrowers) {
      const borrower = account.report(nowMs);
      if (borrower === undefined) this.borrowers.delete(tenant);
      else borrowers.push(borrower);
    }
    const services = Array.from(
      this.services,
      ([service, utilisationPermille]): ServiceReport => ({ service, utilisationPermille }),
    );
    return { node: this.node, own: this.ranks(OWN), demand: this.ranks(DEMAND), borrowers, services };
  }

  /** The pool answered `report`, made at `reportedAtMs`. */
  accept(report: PoolReport, answer: PoolAnswer, reportedAtMs: number): void {
    for (const { service, utilisationPermille } of report.services) {
      if (this.services.get(service) === utilisationPermille) this.services.delete(service);
    }
    for (const account of this.borrowers.values()) account.allow(undefined);
    report.borrowers.forEach((borrower, i) => {
      this.borrowers.get(borrower.tenant)?.allow(answer.grants[i], borrower);
    });
    this.alone = false;
    this.answeredAtMs = reportedAtMs;
    this.use(answer, report);
  }

  /** The pool could not be asked with `report`: what it said last holds a moment longer, then the node is on its own. */
  unanswered(report: PoolReport, nowMs: number): void {
    this.outdate(nowMs);
    if (this.alone) this.use(this.answerAlone(report, nowMs), report);
  }

  /** Whether own traffic is no longer what the pool answered to: an early exchange may change what this node may do. */
  get ownIsNews(): boolean {
    return this.refused || this.ownUnits() >= this.newsAt;
  }

  /** Whether the pool should hear of anything before the interval is over. */
  get hasNews(): boolean {
    if (this.ownIsNews || this.services.size > 0) return true;
    for (const account of this.borrowers.values()) if (account.isUnheard) return true;
    return false;
  }

  /** Tenants that borrow here, as far as kept apart. */
  get borrowerCount(): number {
    return this.borrowers.size;
  }

  /** The pool's, as corrected when it last answered. */
  get capacity(): number {
    return this.answer.capacity;
  }

  private fits(rank: 0 | 1 | 2, cost: number): boolean {
    const { answer, second } = this;
    if (this.ownUnits() + cost > answer.limits[rank]) return false;
    return rank < answer.short || (rank === answer.short && second.total(OWN + rank) + cost <= answer.cap);
  }

  // A node that has not heard for so long is not counted in full any more: it falls back to what is surely its own.
  private outdate(nowMs: number): void {
    if (this.alone || nowMs - this.answeredAtMs <= REPORT_FULL_MS) return;
    this.alone = true;
    for (const account of this.borrowers.values()) account.allow(undefined);
    const report = this.report(nowMs);
    this.use(this.answerAlone(report, nowMs), report);
  }

  private use(answer: PoolAnswer, report: PoolReport): void {
    this.answer = answer;
    this.refused = false;
    // Where the pool is short, each node stays within its own part of it: nothing that it does surprises the others.
    this.newsAt =
      answer.short === OPEN || this.alone
        ? sumOf(report.own) + Math.max(1, answer.capacity / (NEWS_DIVISOR * Math.max(1, this.liveNodes())))
        : Number.POSITIVE_INFINITY;
  }

  // The pool as it would be if every live node were as this one: nobody's share depends on what this node cannot know.
  private answerAlone(report: PoolReport, nowMs: number): PoolAnswer {
    const corrected =
      nowMs - this.answeredAtMs < REPORTS_FORGOTTEN_MS
        ? Math.min(this.answer.capacity, this.pool.capacity)
        : this.pool.capacity;
    const share = Math.max(1, Math.floor(corrected / Math.max(1, this.liveNodes())));
    const pool = { ...this.pool, capacity: share, reclaimPercent: 0 };
    const { answer } = exchangeReport(EMPTY_POOL, pool, { ...report, borrowers: [], services: [] }, nowMs);
    return { ...answer, capacity: corrected };
  }

  private openAccount(tenant: string, weight: number): BorrowerAccount {
    const name = this.borrowers.has(tenant) || this.borrowers.size < MAX_BORROWERS ? tenant : OTHERS;
    const known = this.borrowers.get(name);
    const account = known ?? new BorrowerAccount(name, weight);
    if (known === undefined) this.borrowers.set(name, account);
    account.weight = name === OTHERS ? Math.max(account.weight, weight) : weight;
    return account;
  }

  private account(tenant: string): BorrowerAccount | undefined {
    return this.borrowers.get(tenant) ?? this.borrowers.get(OTHERS);
  }

  private ownUnits(): number {
    const { second } = this;
    return second.total(OWN) + second.total(OWN + 1) + second.total(OWN + 2);
  }

  private ranks(from: number): ByPriority {
    const { second } = this;
    return [second.total(from), second.total(from + 1), second.total(from + 2)];
  }
}
