import type { Priority } from '@tollgate/contracts';
import { type ByPriority, type Pool, RANK, SlidingSecond, sumOf } from '@tollgate/policy';
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

const BORROWED = 0;
const DEMAND = 3;

/** How far a borrower may be ahead of an even pace, ms: one exchange interval. */
const AHEAD_MS = 100;

/** If less is granted than demanded, loans are paced: otherwise all would be lent at the start of each second. */
export class BorrowerAccount {
  private grant: Grant | undefined;
  private readonly second = new SlidingSecond(6);
  /** Time at which the lent units would be lent at the even pace of the grant, ms. */
  private paidAtMs = Number.NEGATIVE_INFINITY;

  private short = false;

  constructor(
    readonly tenant: string,
    public weight: number,
  ) {}

  allow(grant: Grant | undefined, reported?: Borrower): void {
    this.grant = grant;
    this.short = grant !== undefined && reported !== undefined && sumOf(reported.demand) > grant.total;
  }

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

  undoBorrow(priority: Priority, cost: number, lent: boolean, nowMs: number): void {
    this.second.advance(nowMs);
    this.second.add(DEMAND + RANK[priority], -cost);
    if (!lent) return;
    this.second.add(BORROWED + RANK[priority], -cost);
    if (this.short && this.grant !== undefined)
      this.paidAtMs -= (cost * 1000) / Math.max(1, this.grant.total);
  }

  get isUnreported(): boolean {
    return this.grant === undefined && this.sum(DEMAND) > 0;
  }

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

  // Bounded, so that pacing under a small grant does not delay loans under a larger one.
  private pay(durationMs: number, nowMs: number): void {
    this.paidAtMs = Math.min(Math.max(this.paidAtMs, nowMs) + durationMs, nowMs + 2 * AHEAD_MS);
  }

  private sum(from: number): number {
    const { second } = this;
    return second.total(from) + second.total(from + 1) + second.total(from + 2);
  }
}

// A margin for the random variation of arrivals.
function withMargin(units: number): number {
  return units + Math.ceil(Math.sqrt(units) / 2);
}

/** Borrowers with an account of their own on one node; further ones share an account. */
export const MAX_BORROWERS = 100;

/** Services that report between two exchanges; further ones share a name, under which the busiest counts. */
const MAX_SERVICES = 64;

/** Name of the shared account; not a valid tenant name. */
const OTHERS = '*';

/** Nodes exchange early when they have together admitted 1 ÷ this of the capacity since their last exchanges. */
const EARLY_UNITS_DIVISOR = 16;

const OWN = 0;
const OPEN = 3;

/** All times are monotonic. */
export class PoolLedger {
  private readonly second = new SlidingSecond(6);
  private readonly borrowers = new Map<string, BorrowerAccount>();
  private readonly services = new Map<string, number>();
  /** A cold start that the pool does not know yet, ms. */
  private startedAtMs: number | undefined;
  private answer: PoolAnswer;
  private answeredAtMs = Number.NEGATIVE_INFINITY;
  private alone = true;
  private earlyAtUnits = 0;
  private hasDenied = false;

  /** @param liveNodes nodes that share the pool while no exchange is possible */
  constructor(
    public pool: Pool,
    private readonly node: string,
    private readonly liveNodes: () => number,
    nowMs: number,
  ) {
    this.answer = this.answerAlone(this.report(nowMs), nowMs);
  }

  admit(priority: Priority, cost: number, nowMs: number): boolean {
    const { second } = this;
    const rank = RANK[priority];
    second.advance(nowMs);
    second.add(DEMAND + rank, cost);
    this.expireAnswer(nowMs);
    if (!this.fits(rank, cost)) {
      // A denial is expected if the pool has reported that it is short.
      this.hasDenied ||= this.alone || this.answer.short === OPEN;
      return false;
    }
    second.add(OWN + rank, cost);
    return true;
  }

  wouldAdmit(priority: Priority, cost: number, nowMs: number): boolean {
    this.second.advance(nowMs);
    this.expireAnswer(nowMs);
    return this.fits(RANK[priority], cost);
  }

  undoAdmit(priority: Priority, cost: number, nowMs: number): void {
    this.second.advance(nowMs);
    this.second.add(OWN + RANK[priority], -cost);
    this.second.add(DEMAND + RANK[priority], -cost);
  }

  borrow(tenant: string, weight: number, priority: Priority, cost: number, nowMs: number): boolean {
    this.expireAnswer(nowMs);
    return this.openAccount(tenant, weight).borrow(priority, cost, nowMs);
  }

  undoBorrow(tenant: string, priority: Priority, cost: number, lent: boolean, nowMs: number): void {
    this.account(tenant)?.undoBorrow(priority, cost, lent, nowMs);
  }

  noteUtilization(service: string, utilizationPermille: number): void {
    if (this.services.has(service) || this.services.size < MAX_SERVICES) {
      this.services.set(service, utilizationPermille);
    } else {
      this.services.set(OTHERS, Math.max(this.services.get(OTHERS) ?? 0, utilizationPermille));
    }
  }

  noteColdStart(nowMs: number): void {
    this.startedAtMs = nowMs;
  }

  /** Removes borrowers without demand. */
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
      ([service, utilizationPermille]): ServiceReport => ({ service, utilizationPermille }),
    );
    const coldStartAgeMs =
      this.startedAtMs === undefined ? undefined : Math.max(0, Math.floor(nowMs - this.startedAtMs));
    return {
      node: this.node,
      own: this.ranks(OWN),
      demand: this.ranks(DEMAND),
      borrowers,
      services,
      coldStartAgeMs,
    };
  }

  accept(report: PoolReport, answer: PoolAnswer, reportedAtMs: number): void {
    if (report.coldStartAgeMs !== undefined && (this.startedAtMs ?? 0) < reportedAtMs) {
      this.startedAtMs = undefined;
    }
    for (const { service, utilizationPermille } of report.services) {
      if (this.services.get(service) === utilizationPermille) this.services.delete(service);
    }
    for (const account of this.borrowers.values()) account.allow(undefined);
    report.borrowers.forEach((borrower, i) => {
      this.borrowers.get(borrower.tenant)?.allow(answer.grants[i], borrower);
    });
    this.alone = false;
    this.answeredAtMs = reportedAtMs;
    this.use(answer, report);
  }

  /** Called when an exchange failed: the last answer stays valid for a moment, then the node decides alone. */
  onExchangeFailed(report: PoolReport, nowMs: number): void {
    this.expireAnswer(nowMs);
    if (this.alone) this.use(this.answerAlone(report, nowMs), report);
  }

  get hasOwnChanged(): boolean {
    return this.hasDenied || this.ownUnits() >= this.earlyAtUnits;
  }

  get needsExchange(): boolean {
    if (this.hasOwnChanged || this.services.size > 0) return true;
    for (const account of this.borrowers.values()) if (account.isUnreported) return true;
    return false;
  }

  get borrowerCount(): number {
    return this.borrowers.size;
  }

  get capacity(): number {
    return this.answer.capacity;
  }

  private fits(rank: 0 | 1 | 2, cost: number): boolean {
    const { answer, second } = this;
    if (this.ownUnits() + cost > answer.limits[rank]) return false;
    return rank < answer.short || (rank === answer.short && second.total(OWN + rank) + cost <= answer.cap);
  }

  // A node without an answer for this long no longer counts fully: it falls back to its safe share.
  private expireAnswer(nowMs: number): void {
    if (this.alone || nowMs - this.answeredAtMs <= REPORT_FULL_MS) return;
    this.alone = true;
    for (const account of this.borrowers.values()) account.allow(undefined);
    const report = this.report(nowMs);
    this.use(this.answerAlone(report, nowMs), report);
  }

  private use(answer: PoolAnswer, report: PoolReport): void {
    this.answer = answer;
    this.hasDenied = false;
    // If the pool is short, each node stays within its own part and need not exchange early.
    this.earlyAtUnits =
      answer.short === OPEN || this.alone
        ? sumOf(report.own) +
          Math.max(1, answer.capacity / (EARLY_UNITS_DIVISOR * Math.max(1, this.liveNodes())))
        : Number.POSITIVE_INFINITY;
  }

  // Assumes that every live node has the same traffic as this one.
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
