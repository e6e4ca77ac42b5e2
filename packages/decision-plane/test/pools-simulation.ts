import type { Priority } from '@tollgate/contracts';
import type { Pool } from '@tollgate/policy';
import { START_MS } from '../../limiter/test/script-clock.js';
import { EMPTY_POOL, exchangeReport, type PoolAnswer, type PoolReport } from '../src/pools/exchange.js';
import { PoolBook } from '../src/pools/pool-book.js';

/** Backend of a pool: the model in process, or the script in Redis, at the simulation's time. */
export type PoolBackend = (pool: Pool, report: PoolReport, nowMs: number) => Promise<PoolAnswer>;

/** The model as a backend. */
export function modelBackend(): PoolBackend {
  let state = EMPTY_POOL;
  return async (pool, report, nowMs) => {
    const result = exchangeReport(state, pool, report, nowMs);
    state = result.state;
    return result.answer;
  };
}

/** Events by millisecond. */
export class Tally {
  private readonly perMs: number[] = [];

  add(atMs: number, units: number): void {
    this.perMs[atMs] = (this.perMs[atMs] ?? 0) + units;
  }

  /** Units within `[fromMs, toMs)`. */
  between(fromMs: number, toMs: number): number {
    let units = 0;
    for (let ms = Math.max(0, fromMs); ms < toMs; ms++) units += this.perMs[ms] ?? 0;
    return units;
  }

  /** Maximum in any second that ends within `[fromMs, toMs)`. */
  worstSecond(fromMs: number, toMs: number): number {
    let worst = 0;
    let units = this.between(fromMs - 999, fromMs + 1);
    for (let ms = fromMs; ms < toMs; ms++) {
      worst = Math.max(worst, units);
      units += (this.perMs[ms + 1] ?? 0) - (this.perMs[ms - 999] ?? 0);
    }
    return worst;
  }
}

interface Timer {
  atMs: number;
  run: () => void;
}

/** Several nodes, one pool, and a clock that advances by a millisecond; messages take `latencyMs` each way. */
export class PoolSimulation {
  nowMs = 0;
  exchanges = 0;
  /** While true, no exchange reaches the pool. */
  cutOff = false;
  readonly books: PoolBook[];
  readonly own = new Tally();
  readonly lent = new Tally();
  readonly total = new Tally();
  readonly ownBy: Record<Priority, Tally> = {
    critical: new Tally(),
    normal: new Tally(),
    background: new Tally(),
  };
  readonly lentTo = new Map<string, Tally>();
  ownRefused = 0;
  private timers: Timer[] = [];
  private underWay: Promise<void>[] = [];

  constructor(
    readonly pool: Pool,
    nodes: number,
    private readonly backend: PoolBackend,
    private readonly latencyMs = 1,
    private readonly startMs = START_MS,
  ) {
    this.books = Array.from({ length: nodes }, (_, i) => this.openBook(`n${i}`, nodes));
  }

  /** Adds a node that assumes `liveNodes` live nodes. */
  openBook(nodeId: string, liveNodes: number): PoolBook {
    return new PoolBook({
      nodeId,
      exchange: (pool, report) => this.exchange(pool, report),
      liveNodes: () => liveNodes,
      onError: () => undefined,
      clockMs: () => this.nowMs,
      schedule: (run, delayMs) => this.schedule(run, delayMs),
    });
  }

  /** Advances by `durationMs`; calls `each` in every millisecond, after due timers. */
  async run(durationMs: number, each: (nowMs: number) => void = () => undefined): Promise<void> {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; ) {
      this.nowMs++;
      await this.runDue();
      each(this.nowMs);
    }
  }

  admit(node: number, priority: Priority, cost = 1): boolean {
    const admitted = this.bookAt(node).admit(this.pool, priority, cost);
    if (admitted) {
      this.own.add(this.nowMs, cost);
      this.total.add(this.nowMs, cost);
      this.ownBy[priority].add(this.nowMs, cost);
    } else {
      this.ownRefused += cost;
    }
    return admitted;
  }

  borrow(node: number, tenant: string, weight: number, priority: Priority = 'normal', cost = 1): boolean {
    const lent = this.bookAt(node).borrow(this.pool, tenant, weight, priority, cost);
    if (lent) {
      this.lent.add(this.nowMs, cost);
      this.total.add(this.nowMs, cost);
      this.lentBy(tenant).add(this.nowMs, cost);
    }
    return lent;
  }

  lentBy(tenant: string): Tally {
    const tally = this.lentTo.get(tenant) ?? new Tally();
    this.lentTo.set(tenant, tally);
    return tally;
  }

  close(): void {
    for (const book of this.books) book.close();
  }

  get pendingTimers(): number {
    return this.timers.length;
  }

  bookAt(node: number): PoolBook {
    const book = this.books[node];
    if (book === undefined) throw new Error(`no node ${node}`);
    return book;
  }

  private exchange(pool: Pool, report: PoolReport): Promise<PoolAnswer> {
    this.exchanges++;
    return new Promise((resolve, reject) => {
      this.schedule(() => {
        if (this.cutOff) return reject(new Error('cut off'));
        const asked = this.backend(pool, report, this.startMs + this.nowMs);
        this.underWay.push(
          asked.then((answer) => void this.schedule(() => resolve(answer), this.latencyMs), reject),
        );
      }, this.latencyMs);
    });
  }

  private schedule(run: () => void, delayMs: number): () => void {
    const timer = { atMs: this.nowMs + delayMs, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  private async runDue(): Promise<void> {
    for (;;) {
      const due = this.timers.filter(({ atMs }) => atMs <= this.nowMs);
      if (due.length === 0) return;
      this.timers = this.timers.filter(({ atMs }) => atMs > this.nowMs);
      for (const { run } of due.sort((a, b) => a.atMs - b.atMs)) run();
      await Promise.all(this.underWay.splice(0));
      // Awaited replies resolve within some microtasks; a turn of the event loop covers all of them.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
