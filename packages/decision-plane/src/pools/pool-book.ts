import type { CapacityReport, Priority } from '@tollgate/contracts';
import type { PoolAnswer, PoolReport } from './exchange.js';
import type { Pool } from './pool.js';
import { PoolLedger } from './pool-ledger.js';

/** A node that sees traffic of a pool asks it this often. */
export const EXCHANGE_INTERVAL_MS = 100;

/** What cannot wait for the interval is told early, no more often than ten times in one. */
const EARLY_DIVISOR = 10;

/** With more loans than this on all nodes the interval grows, or Redis would do nothing else: four times at most. */
const LOANS_PER_INTERVAL = 500;
const MAX_STRETCH = 4;

/** A pool without traffic for so long is dropped: its last report said that there is none. */
const IDLE_AFTER_MS = 2000;

/** Runs something once, later; returns what prevents that. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

export interface PoolBookOptions {
  nodeId: string;
  /** Asks the pool, `exchangePool` over Redis. Must settle within a deadline: until then nothing more is asked. */
  exchange: (pool: Pool, report: PoolReport) => Promise<PoolAnswer>;
  /** Nodes that are alive, this one among them. */
  liveNodes: () => number;
  /** Called for each exchange that fails. */
  onError: (message: string, error: unknown) => void;
  /** Milliseconds of a clock that never steps back; left out: the process's. */
  clockMs?: () => number;
  /** Left out: timers that do not keep the process alive. */
  schedule?: Schedule;
}

interface Page {
  readonly ledger: PoolLedger;
  usedAtMs: number;
  askedAtMs: number;
  asking: boolean;
  /** The last exchange failed: the next waits for the interval. */
  failed: boolean;
  dueAtMs: number;
  cancel: () => void;
}

/**
 * This node's part in the pools that it sees traffic of. Answers at once, from what the pools last said; tells them how
 * the last second looks every {@link EXCHANGE_INTERVAL_MS}, earlier when own traffic grows by a sixteenth of the node's
 * part of the capacity, is refused while the pool was not known to be short, or a new borrower appears.
 *
 * Own traffic that stays below the capacity over every 1.25 s is never refused, once the pool has answered; a loan never
 * stands in its way. Until then, and when the pool has not answered for half a second, a node admits the capacity ÷ live
 * nodes, and lends nothing.
 *
 * Own traffic that wants more than the capacity gets no more than it in any second, but for: a sixteenth and what arrives
 * at the other nodes within 10 ms and two messages, once, as long as nodes do not know of each other's rise; a tenth
 * while less important traffic makes room for more important; the capacity ÷ live nodes for each node that sees its first
 * request after an idle while. Loans come on top, r × capacity at most, as far as own traffic rises faster than they are
 * given back: they follow it two exchanges behind, and what was lent is over after a second. With more than 500 loans on
 * all nodes the interval grows up to fourfold, and so do these times.
 */
export class PoolBook {
  private readonly pages = new Map<string, Page>();
  private readonly clockMs: () => number;
  private readonly schedule: Schedule;
  private closed = false;

  constructor(private readonly options: PoolBookOptions) {
    this.clockMs = options.clockMs ?? (() => performance.now());
    this.schedule = options.schedule ?? unreferencedTimer;
  }

  /**
   * Whether a request within its tenant's limits may run; false: `POOL_EXHAUSTED`. Counts it, so that requests decided
   * meanwhile see it: {@link undoAdmit} when the limits refuse it after all. A cost above the capacity never passes.
   */
  admit(pool: Pool, priority: Priority, cost: number): boolean {
    const nowMs = this.clockMs();
    const page = this.open(pool, nowMs);
    const admitted = page.ledger.admit(priority, cost, nowMs);
    if (page.ledger.ownIsNews) this.hurry(page, 0, nowMs);
    return admitted;
  }

  /** What {@link admit} would answer now; counts nothing. */
  wouldAdmit(pool: Pool, priority: Priority, cost: number): boolean {
    const nowMs = this.clockMs();
    return this.open(pool, nowMs).ledger.wouldAdmit(priority, cost, nowMs);
  }

  /** Undoes an {@link admit} that answered true. */
  undoAdmit(pool: Pool, priority: Priority, cost: number): void {
    this.pages.get(pool.key)?.ledger.undoAdmit(priority, cost, this.clockMs());
  }

  /**
   * Whether a request may pass its limit on borrowed units; counts them as lent if so, and as wanted in any case.
   *
   * @param weight of the tenant's tier
   */
  borrow(pool: Pool, tenant: string, weight: number, priority: Priority, cost: number): boolean {
    const nowMs = this.clockMs();
    const page = this.open(pool, nowMs);
    const lent = page.ledger.borrow(tenant, weight, priority, cost, nowMs);
    // A moment, not at once: the caller may find out that it need not borrow.
    if (!lent) this.hurry(page, this.intervalMs(page) / EARLY_DIVISOR, nowMs);
    return lent;
  }

  /** Undoes a {@link borrow}, with what it answered: the request did not need it, or was refused after all. */
  undoBorrow(pool: Pool, tenant: string, priority: Priority, cost: number, lent: boolean): void {
    this.pages.get(pool.key)?.ledger.undoBorrow(tenant, priority, cost, lent, this.clockMs());
  }

  /** Passes on what a service says about its load; the pool hears it early. */
  report(
    pool: Pool,
    { service, utilisationPercent }: Pick<CapacityReport, 'service' | 'utilisationPercent'>,
  ) {
    const nowMs = this.clockMs();
    const page = this.open(pool, nowMs);
    page.ledger.hear(service, Math.round(utilisationPercent * 10));
    this.hurry(page, this.intervalMs(page) / EARLY_DIVISOR, nowMs);
  }

  /** The capacity in force, as corrected by reports; the set one where this node does not know. */
  capacityOf(pool: Pool): number {
    return this.pages.get(pool.key)?.ledger.capacity ?? pool.capacity;
  }

  /** Asks nothing any more; what this node held is free again within two seconds. */
  close(): void {
    this.closed = true;
    for (const page of this.pages.values()) page.cancel();
    this.pages.clear();
  }

  private open(pool: Pool, nowMs: number): Page {
    let page = this.pages.get(pool.key);
    if (page === undefined) {
      const { nodeId, liveNodes } = this.options;
      page = {
        ledger: new PoolLedger(pool, nodeId, liveNodes, nowMs),
        usedAtMs: nowMs,
        askedAtMs: Number.NEGATIVE_INFINITY,
        asking: false,
        failed: false,
        dueAtMs: Number.POSITIVE_INFINITY,
        cancel: () => undefined,
      };
      this.pages.set(pool.key, page);
      this.plan(page, nowMs, nowMs);
    }
    page.usedAtMs = nowMs;
    page.ledger.pool = pool;
    return page;
  }

  private hurry(page: Page, delayMs: number, nowMs: number): void {
    if (page.asking || page.failed) return;
    const atMs = Math.max(nowMs + delayMs, page.askedAtMs + this.intervalMs(page) / EARLY_DIVISOR);
    if (atMs < page.dueAtMs) this.plan(page, atMs, nowMs);
  }

  private intervalMs({ ledger }: Page): number {
    const loans = ledger.borrowerCount * this.options.liveNodes();
    return EXCHANGE_INTERVAL_MS * Math.min(MAX_STRETCH, Math.max(1, loans / LOANS_PER_INTERVAL));
  }

  private plan(page: Page, atMs: number, nowMs: number): void {
    if (this.closed) return;
    page.cancel();
    page.dueAtMs = atMs;
    page.cancel = this.schedule(() => this.turn(page), Math.max(0, atMs - nowMs));
  }

  private turn(page: Page): void {
    const nowMs = this.clockMs();
    const regularMs = page.askedAtMs + this.intervalMs(page);
    if (nowMs - page.usedAtMs > IDLE_AFTER_MS) {
      this.pages.delete(page.ledger.pool.key);
    } else if (nowMs >= regularMs || page.ledger.hasNews) {
      void this.ask(page, nowMs);
    } else {
      this.plan(page, regularMs, nowMs);
    }
  }

  private async ask(page: Page, nowMs: number): Promise<void> {
    const { ledger } = page;
    const report = ledger.report(nowMs);
    page.askedAtMs = nowMs;
    page.asking = true;
    try {
      const answer = await this.options.exchange(ledger.pool, report);
      ledger.accept(report, answer, nowMs);
      page.failed = false;
    } catch (error) {
      ledger.unanswered(report, this.clockMs());
      page.failed = true;
      this.options.onError('cannot ask the pool', error);
    }
    page.asking = false;
    this.plan(page, nowMs + this.intervalMs(page), this.clockMs());
  }
}

function unreferencedTimer(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}
