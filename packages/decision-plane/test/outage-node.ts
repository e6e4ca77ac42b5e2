import type { ApiRecord, LimitPolicy, LimitRequest, TenantRecord } from '@tollgate/contracts';
import {
  type Amended,
  type Amendment,
  type DecisionStore,
  MemoryStore,
  type StoreReply,
  type StoreRequest,
  type Unavailable,
} from '@tollgate/limiter/stores';
import { FakeClock } from '@tollgate/limiter/testing';
import type { Pool } from '@tollgate/policy';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { Engine } from '../src/decide/engine.js';
import { Availability } from '../src/outage/recovery.js';
import { EMPTY_POOL, exchangeReport, type PoolReport, type PoolState } from '../src/pools/exchange.js';
import { TestPolicies } from '../src/testing/test-plane.js';
import { UsageRows } from '../src/usage/usage-aggregator.js';

const AWAY: Unavailable = { available: false, reason: 'disconnected' };
export const HOUR_MS = 3_600_000;
export const LIMIT = 100;

/** Resolves after pending replies. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A remote store: replies one turn later, or not at all. */
class FarStore implements DecisionStore {
  isAway = false;
  /** Number of charges to lose. */
  lostCharges = 0;
  /** Tenant whose counters are unavailable. */
  deadTenant = '';
  readonly near: MemoryStore;

  constructor(clock: FakeClock, onClear: (key: string) => void) {
    this.near = new MemoryStore({ clockUs: () => clock.nowUs(), onClear });
  }

  async charge(request: StoreRequest): Promise<StoreReply> {
    if (this.isOut(request.checks)) return AWAY;
    await nextTurn();
    return this.isOut(request.checks) ? AWAY : this.near.chargeNow(request);
  }

  async amend(amendment: Amendment): Promise<Amended | Unavailable> {
    const isOut = () => 'checks' in amendment && this.isOut(amendment.checks);
    if (this.isAway || isOut()) return AWAY;
    await nextTurn();
    if (this.isAway || isOut()) return AWAY;
    if (amendment.op === 'charge' && this.lostCharges > 0) {
      this.lostCharges--;
      return AWAY;
    }
    return await this.near.amend(amendment);
  }

  close(): Promise<void> {
    return this.near.close();
  }

  private isOut(checks: StoreRequest['checks']): boolean {
    return this.isAway || checks.some(({ key }) => key.startsWith(`{${this.deadTenant}}`));
  }
}

export interface OutageNodeOptions {
  limits: LimitPolicy[];
  apis?: ApiRecord[];
  tenants?: TenantRecord[];
}

/** A node wired like `DecisionPlane`, with such a store. */
export class OutageNode {
  readonly clock = new FakeClock();
  readonly store = new FarStore(this.clock, (key) => this.engine.counterListener.onCleared(key));
  readonly engine: Engine;
  recoveries = 0;

  constructor(options: OutageNodeOptions) {
    const rows = new UsageRows();
    const pools = new Map<string, PoolState>();
    const availability = new Availability({
      onDegraded: () => undefined,
      onRecovered: () => {
        this.recoveries++;
        this.engine.recovered();
      },
      clockMs: () => this.clock.nowMs(),
    });
    this.engine = new Engine({
      nodeId: 'node-1',
      epoch: 'e',
      store: this.store,
      exchangePool: (pool: Pool, report: PoolReport) => {
        const { state, answer } = exchangeReport(
          pools.get(pool.key) ?? EMPTY_POOL,
          pool,
          report,
          this.clock.nowMs(),
        );
        pools.set(pool.key, state);
        return Promise.resolve(answer);
      },
      policies: new TestPolicies(options),
      usage: { tally: (...of) => rows.tally(...of), addCrossings: () => undefined },
      nodes: () => 1,
      onReply: (reply) => availability.note(reply),
      onBudgetSpent: () => undefined,
      onError: () => undefined,
      clockUs: () => this.clock.nowUs(),
      schedule: (run, delayMs) => this.clock.schedule(run, delayMs),
    });
  }

  /** Number of `count` concurrent requests that are allowed, by user. */
  async pass(count: number, over: Partial<LimitRequest> = {}, users = 1): Promise<number[]> {
    const passed = new Array<number>(users).fill(0);
    await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const subject = { user: `u${i % users}` };
        const { success } = await this.engine.limit({ ...create, subject, ...over });
        if (success) passed[i % users] = (passed[i % users] ?? 0) + 1;
      }),
    );
    return passed;
  }
}

export const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
/** Limit per hour and user. */
export const perUser = fixedWindowPolicy({
  limit: LIMIT,
  windowMs: HOUR_MS,
  per: ['user'],
  operations: ['createURL'],
});
