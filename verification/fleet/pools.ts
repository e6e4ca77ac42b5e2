import { compilePool, type Pool } from '@tollgate/policy';
import {
  EMPTY_POOL,
  exchangeReport,
  type PoolReport,
} from '../../packages/decision-plane/src/pools/exchange.js';
import { PoolBook } from '../../packages/decision-plane/src/pools/pool-book.js';
import type { OperationCosts } from './constants.ts';
import { type ServerLoad, ServerModel } from './server-model.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface PoolOptions {
  nodes: number;
  /** Units per second. */
  capacity: number;
  oneWayMs: number;
}

export interface PoolRun {
  exchanges: number;
  master: ServerLoad;
  /** Most units admitted in a second, as part of the capacity. */
  worstSecond: number;
  /** Part of the demand that was denied. */
  denied: number;
}

const STEP_MS = 1;

/** Nodes with the engine's pool book; one pool, which is on one master. */
export class PoolModel {
  private readonly random: () => number;
  private readonly time: VirtualTime;
  private readonly costs: OperationCosts;
  private readonly options: PoolOptions;
  private readonly server: ServerModel;
  private readonly pool: Pool;
  private readonly books: PoolBook[];
  private state = EMPTY_POOL;
  private exchanges = 0;

  constructor(time: VirtualTime, costs: OperationCosts, options: PoolOptions, random: () => number) {
    this.time = time;
    this.random = random;
    this.costs = costs;
    this.options = options;
    const { nodes, capacity, oneWayMs } = options;
    this.server = new ServerModel(time, oneWayMs);
    this.pool = compilePool('shop', { name: 'all', operations: [], capacity, reclaimPercent: 80 });
    this.books = Array.from(
      { length: nodes },
      (_, node) =>
        new PoolBook({
          nodeId: `node-${node}`,
          liveNodes: () => nodes,
          exchange: (pool, report) => this.exchange(pool, report),
          clockMs: () => time.nowMs,
          schedule: time.schedule,
          onError: (message, error) => {
            throw new Error(message, { cause: error });
          },
        }),
    );
  }

  /** Simulates `ms` of a demand, as part of the capacity, after `warmUpMs` of it. */
  async run(demand: number, warmUpMs: number, ms: number): Promise<PoolRun> {
    await this.load(demand, warmUpMs);
    this.server.reset();
    this.exchanges = 0;
    const admitted = await this.load(demand, ms);
    const { capacity } = this.options;
    const total = admitted.reduce((sum, units) => sum + units, 0);
    return {
      exchanges: (this.exchanges * 1000) / ms,
      master: this.server.load(),
      worstSecond: worstSecond(admitted) / capacity,
      denied: Math.max(0, 1 - (total * 1000) / (demand * capacity * ms)),
    };
  }

  close(): void {
    for (const book of this.books) book.close();
  }

  /** Returns the admitted units by millisecond. */
  private async load(demand: number, ms: number): Promise<number[]> {
    const perStep = (demand * this.options.capacity * STEP_MS) / 1000;
    const admitted: number[] = [];
    let due = 0;
    for (let atMs = 0; atMs < ms; atMs += STEP_MS) {
      await this.time.advance(STEP_MS);
      let units = 0;
      for (due += perStep; due >= 1; due--) {
        const book = this.books[Math.floor(this.random() * this.options.nodes)];
        if (book?.admit(this.pool, 'normal', 1)) units++;
      }
      admitted.push(units);
    }
    return admitted;
  }

  private exchange(pool: Pool, report: PoolReport) {
    this.exchanges++;
    const { base, each } = this.costs.exchange;
    return this.server.call(base + each * this.options.nodes, () => {
      const result = exchangeReport(this.state, pool, report, this.time.nowMs);
      this.state = result.state;
      return result.answer;
    });
  }
}

function worstSecond(perMs: readonly number[]): number {
  let units = 0;
  let worst = 0;
  perMs.forEach((now, ms) => {
    units += now - (perMs[ms - 1000] ?? 0);
    if (ms >= 999) worst = Math.max(worst, units);
  });
  return worst;
}
