import type { CapacityReport, Priority } from '@tollgate/contracts';
import type { Pool } from '@tollgate/policy';
import type { PoolAnswer, PoolReport } from './exchange.js';
import { PoolLedger } from './pool-ledger.js';

export const EXCHANGE_INTERVAL_MS = 100;

/** Early exchanges happen at most ten times per interval. */
const EARLY_DIVISOR = 10;

/** With more loans than this on all nodes the interval grows, up to fourfold, to limit the load of Redis. */
const LOANS_PER_INTERVAL = 500;
const MAX_STRETCH = 4;

/** A pool without traffic for this long is dropped; its last report shows no traffic. */
const IDLE_AFTER_MS = 2000;

/** Runs a function once after a delay; returns a function that cancels it. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

export interface PoolBookOptions {
  nodeId: string;
  /** `exchangePool` over Redis. Must complete within a deadline: there is one exchange at a time. */
  exchange: (pool: Pool, report: PoolReport) => Promise<PoolAnswer>;
  /** Live nodes, including this one. */
  liveNodes: () => number;
  /** Called for each failed exchange. */
  onError: (message: string, error: unknown) => void;
  /** Monotonic ms; default: the process's clock. */
  clockMs?: () => number;
  /** Default: timers that do not keep the process alive. */
  schedule?: Schedule | undefined;
}

interface Page {
  readonly ledger: PoolLedger;
  usedAtMs: number;
  exchangedAtMs: number;
  isExchanging: boolean;
  /** Whether the last exchange failed; the next one waits for the interval. */
  failed: boolean;
  dueAtMs: number;
  cancel: () => void;
}

/**
 * Admits and lends units of pools on this node. Decides at once by the pools' last answers. Reports the last second to each
 * pool every {@link EXCHANGE_INTERVAL_MS}, and earlier when own traffic grows by a sixteenth of the node's part of the
 * capacity, is denied although the pool was not short, or a new borrower appears.
 *
 * Own traffic below the capacity is never denied once the pool has answered; loans never block it. Without an answer for
 * half a second, a node admits the capacity ÷ live nodes and lends nothing. Bounds above the capacity:
 * docs/adr/0014-elastic-pools.md.
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

  /** False: `POOL_EXHAUSTED`. The units count at once; call {@link undoAdmit} if the limits deny the request. */
  admit(pool: Pool, priority: Priority, cost: number): boolean {
    const nowMs = this.clockMs();
    const page = this.open(pool, nowMs);
    const admitted = page.ledger.admit(priority, cost, nowMs);
    if (page.ledger.hasOwnChanged) this.expedite(page, 0, nowMs);
    return admitted;
  }

  wouldAdmit(pool: Pool, priority: Priority, cost: number): boolean {
    const nowMs = this.clockMs();
    return this.open(pool, nowMs).ledger.wouldAdmit(priority, cost, nowMs);
  }

  undoAdmit(pool: Pool, priority: Priority, cost: number): void {
    this.pages.get(pool.key)?.ledger.undoAdmit(priority, cost, this.clockMs());
  }

  /** Counts the units as demand in any case. */
  borrow(pool: Pool, tenant: string, weight: number, priority: Priority, cost: number): boolean {
    const nowMs = this.clockMs();
    const page = this.open(pool, nowMs);
    const lent = page.ledger.borrow(tenant, weight, priority, cost, nowMs);
    // Slightly delayed: the request may turn out not to need the loan.
    if (!lent) this.expedite(page, this.intervalMs(page) / EARLY_DIVISOR, nowMs);
    return lent;
  }

  undoBorrow(pool: Pool, tenant: string, priority: Priority, cost: number, lent: boolean): void {
    this.pages.get(pool.key)?.ledger.undoBorrow(tenant, priority, cost, lent, this.clockMs());
  }

  /** In an early exchange. */
  report(
    pool: Pool,
    {
      service,
      utilizationPercent,
      coldStart = false,
    }: Pick<CapacityReport, 'service' | 'utilizationPercent' | 'coldStart'>,
  ) {
    const nowMs = this.clockMs();
    const page = this.open(pool, nowMs);
    page.ledger.noteUtilization(service, Math.round(utilizationPercent * 10));
    if (coldStart) page.ledger.noteColdStart(nowMs);
    this.expedite(page, this.intervalMs(page) / EARLY_DIVISOR, nowMs);
  }

  capacityOf(pool: Pool): number {
    return this.pages.get(pool.key)?.ledger.capacity ?? pool.capacity;
  }

  /** This node's units are free within two seconds. */
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
        exchangedAtMs: Number.NEGATIVE_INFINITY,
        isExchanging: false,
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

  private expedite(page: Page, delayMs: number, nowMs: number): void {
    if (page.isExchanging || page.failed) return;
    const atMs = Math.max(nowMs + delayMs, page.exchangedAtMs + this.intervalMs(page) / EARLY_DIVISOR);
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
    page.cancel = this.schedule(() => this.onTimer(page), Math.max(0, atMs - nowMs));
  }

  private onTimer(page: Page): void {
    const nowMs = this.clockMs();
    const regularMs = page.exchangedAtMs + this.intervalMs(page);
    if (nowMs - page.usedAtMs > IDLE_AFTER_MS) {
      this.pages.delete(page.ledger.pool.key);
    } else if (nowMs >= regularMs || page.ledger.needsExchange) {
      void this.exchange(page, nowMs);
    } else {
      this.plan(page, regularMs, nowMs);
    }
  }

  private async exchange(page: Page, nowMs: number): Promise<void> {
    const { ledger } = page;
    const report = ledger.report(nowMs);
    page.exchangedAtMs = nowMs;
    page.isExchanging = true;
    try {
      const answer = await this.options.exchange(ledger.pool, report);
      ledger.accept(report, answer, nowMs);
      page.failed = false;
    } catch (error) {
      ledger.onExchangeFailed(report, this.clockMs());
      page.failed = true;
      this.options.onError('pool exchange failed', error);
    }
    page.isExchanging = false;
    this.plan(page, nowMs + this.intervalMs(page), this.clockMs());
  }
}

function unreferencedTimer(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}
