import { compileLimit } from '@tollgate/limiter/rules';
import { type Check, MemoryStore, slotOf } from '@tollgate/limiter/stores';
import { LeaseBook } from '../../packages/decision-plane/src/counters/lease-book.js';
import type { OperationCosts } from './constants.ts';
import { busiest, type ServerLoad, ServerModel } from './server-model.ts';
import { type Routing, Traffic } from './traffic.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface LeaseOptions {
  nodes: number;
  masters: number;
  tenants: number;
  decisionsPerSecond: number;
  /** `strict`: without leases. */
  consistency: 'leased' | 'strict';
  routing: Routing;
  /** Units per tenant and minute. */
  limit: number;
  oneWayMs: number;
  /** Decisions that a strict node sends to a master in one batch. */
  batch: number;
}

export interface LeaseRun {
  /** Part of decisions that needed no master. */
  localPart: number;
  /** Leases taken and refunded per second. */
  amendments: number;
  masters: ServerLoad;
  /** Most units admitted for a tenant within the limit's window. */
  mostAdmitted: number;
  denied: number;
}

const SLOTS = 16_384;
const LEASE_MS = 1000;
const STEP_MS = 1;
const START_WITHIN_MS = 500;

interface Tenant {
  readonly check: Check;
  readonly master: number;
  admitted: number;
}

/** Nodes with the engine's lease book over masters with the model of the counters, in one window of the limit. */
export class LeaseModel {
  private readonly time: VirtualTime;
  private readonly costs: OperationCosts;
  private readonly options: LeaseOptions;
  private readonly servers: ServerModel[];
  private readonly stores: MemoryStore[];
  private readonly books: LeaseBook[];
  /** By node. */
  private readonly startsMs: number[];
  /** By master. */
  private readonly sent: Tenant[][];
  private readonly tenants: (Tenant | undefined)[] = [];
  private readonly traffic: Traffic;
  private readonly policy;
  private local = 0;
  private decisions = 0;
  private amendments = 0;
  private denied = 0;

  constructor(time: VirtualTime, costs: OperationCosts, options: LeaseOptions, random: () => number) {
    this.time = time;
    this.costs = costs;
    this.options = options;
    const { masters, nodes, tenants, oneWayMs, routing, limit } = options;
    this.servers = Array.from({ length: masters }, () => new ServerModel(time, oneWayMs));
    this.startsMs = Array.from({ length: nodes }, () => random() * START_WITHIN_MS);
    this.sent = this.servers.map(() => []);
    this.stores = this.servers.map(
      () => new MemoryStore({ clockUs: time.nowUs, maxKeys: Math.ceil((2 * tenants) / masters) }),
    );
    this.books = Array.from(
      { length: nodes },
      () =>
        new LeaseBook({
          amend: (amendment) => {
            this.amendments++;
            const [check] =
              amendment.op === 'take' ? [amendment.check] : 'checks' in amendment ? amendment.checks : [];
            const master = check === undefined ? 0 : this.masterOf(check.key);
            const store = this.stores[master] as MemoryStore;
            return this.server(master)
              .call(costs.take, () => store.amend(amendment))
              .then((reply) => reply);
          },
          nodes: () => nodes,
          clockMs: () => time.nowMs,
        }),
    );
    this.traffic = new Traffic(random, tenants, nodes, routing);
    const rule = { algorithm: 'fixed_window', limit, windowMs: 60_000, alignment: 'clock' } as const;
    const compiled = compileLimit({
      name: 'minute',
      api: 'shop',
      operations: [],
      per: [],
      onUnavailable: 'share',
      ...rule,
    });
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
    this.policy = compiled.limit;
  }

  /** Simulates `ms` of traffic after `warmUpMs`, without a change of the window. */
  async run(warmUpMs: number, ms: number): Promise<LeaseRun> {
    await this.load(warmUpMs);
    for (const server of this.servers) server.reset();
    this.local = this.decisions = this.amendments = 0;
    await this.load(ms);
    return {
      localPart: this.local / this.decisions,
      amendments: (this.amendments * 1000) / ms,
      masters: busiest(this.servers),
      mostAdmitted: this.tenants.reduce((most, tenant) => Math.max(most, tenant?.admitted ?? 0), 0),
      denied: this.denied,
    };
  }

  async close(): Promise<void> {
    const closed = this.books.map((book) => book.close());
    await this.time.advance(5000);
    await Promise.all(closed);
  }

  private async load(ms: number): Promise<void> {
    const perStep = (this.options.decisionsPerSecond * STEP_MS) / 1000;
    let due = 0;
    for (let atMs = 0; atMs < ms; atMs += STEP_MS) {
      await this.time.advance(STEP_MS);
      for (due += perStep; due >= 1; due--) this.decide();
      this.send();
    }
  }

  private decide(): void {
    const { tenant: index, node } = this.traffic.next();
    // Nodes start at different times, or all would sweep their leases together.
    if (this.time.nowMs < (this.startsMs[node] ?? 0)) return;
    const tenant = this.tenantAt(index);
    this.decisions++;
    const leased =
      this.options.consistency === 'leased' ? this.books[node]?.spend(tenant.check, LEASE_MS) : undefined;
    if (leased !== undefined) {
      this.local++;
      tenant.admitted++;
      return;
    }
    this.sent[tenant.master]?.push(tenant);
  }

  /** The decisions of a step: nodes send them in batches, which a master executes together. */
  private send(): void {
    const { base, each } = this.costs.decide;
    for (const [master, tenants] of this.sent.entries()) {
      if (tenants.length === 0) continue;
      this.sent[master] = [];
      const store = this.stores[master] as MemoryStore;
      void this.server(master).call(tenants.length * (base / this.options.batch + each), () => {
        for (const tenant of tenants) {
          if (store.chargeNow({ checks: [tenant.check], peek: false }).allowed) tenant.admitted++;
          else this.denied++;
        }
      });
    }
  }

  private tenantAt(index: number): Tenant {
    const known = this.tenants[index];
    if (known !== undefined) return known;
    const key = `{tenant-${index}}${this.policy.keyStem}`;
    const tenant = {
      check: { key, policy: this.policy.policy, cost: 1 },
      master: this.masterOf(key),
      admitted: 0,
    };
    this.tenants[index] = tenant;
    return tenant;
  }

  private masterOf(key: string): number {
    return Math.floor((slotOf(key) * this.options.masters) / SLOTS);
  }

  private server(master: number): ServerModel {
    return this.servers[master] as ServerModel;
  }
}
