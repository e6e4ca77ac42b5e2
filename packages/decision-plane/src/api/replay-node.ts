import type { LimitCrossing, NodeJournalEntry, TenantRecord, UsageFrame } from '@tollgate/contracts';
import {
  type Check,
  type ClockUs,
  MemoryStore,
  type StoreReply,
  type StoreRequest,
} from '@tollgate/limiter/stores';
import { CompiledCatalogue } from '@tollgate/policy';
import type { ReplayPolicy } from '@tollgate/replay';
import { Engine } from '../decide/engine.js';
import type { EngineOptions } from '../decide/engine-parts.js';
import type { PolicyView } from '../decide/tenant-policies.js';
import { NO_READING, type QuotaStore } from '../policy-redis/quota-store.js';
import { EMPTY_POOL, exchangeReport, type PoolState } from '../pools/exchange.js';
import { DecisionSampler, type SampleSizes } from '../usage/decision-log.js';
import { QuotaCheckpoints } from '../usage/quota-checkpoints.js';
import { UsageRows } from '../usage/usage-aggregator.js';

/** An engine with its counters in memory, on a manual clock. */
export class MemoryNode {
  readonly rows: UsageRows;
  /** Crossed thresholds, in order. */
  readonly crossings: LimitCrossing[] = [];
  readonly store: MemoryStore;
  readonly engine: Engine;

  constructor(
    options: Pick<EngineOptions, 'nodeId' | 'epoch' | 'policies' | 'schedule'> &
      Partial<EngineOptions> & { clockUs: ClockUs },
    rows = new UsageRows(),
  ) {
    const { clockUs } = options;
    this.rows = rows;
    const pools = new Map<string, PoolState>();
    this.store = new MemoryStore({ clockUs, onClear: (key) => this.engine.counterListener.onCleared(key) });
    this.engine = new Engine({
      store: this.store,
      exchangePool: (pool, report) => {
        const { state, answer } = exchangeReport(
          pools.get(pool.key) ?? EMPTY_POOL,
          pool,
          report,
          clockUs() / 1000,
        );
        pools.set(pool.key, state);
        return Promise.resolve(answer);
      },
      usage: {
        tally: (tenant, api, operation, limit) => rows.tally(tenant, api, operation, limit),
        addCrossings: (crossings) => void this.crossings.push(...crossings),
      },
      nodes: () => 1,
      onReply: () => undefined,
      onBudgetSpent: () => undefined,
      onError: (message, error) => {
        throw new Error(message, { cause: error });
      },
      ...options,
    });
  }
}

class ReplayPolicies implements PolicyView {
  readonly staleFromMs = Number.POSITIVE_INFINITY;
  catalogue: CompiledCatalogue | undefined;
  revision = 0;
  version = 0;
  private tenants = new Map<string, TenantRecord>();

  apply({ revision, catalogueText, tenants }: ReplayPolicy): void {
    this.catalogue = CompiledCatalogue.compile(catalogueText);
    this.revision = revision;
    this.version++;
    this.tenants = new Map(tenants.map((record) => [record.tenant, record]));
  }

  findTenant(key: string): TenantRecord | null {
    return this.tenants.get(key) ?? null;
  }

  loadTenant(key: string): Promise<TenantRecord | null> {
    return Promise.resolve(this.findTenant(key));
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }
}

export interface ReplayNodeOptions {
  nodeId: string;
  /** New for each replay. */
  epoch: string;
  /** Receives the checkpoints of quotas. They are not read: quotas begin unused, or as charged by the caller. */
  quotas: Pick<QuotaStore, 'write'>;
  /** Sampled decisions per frame. */
  samples: SampleSizes;
}

/**
 * Decides requests of the past: a node whose clock is moved by the caller, with its counters in memory, under the policy
 * that the caller applies. Reports usage as frames and journal entries.
 */
export class ReplayNode {
  private readonly policies = new ReplayPolicies();
  private readonly sampler: DecisionSampler;
  private readonly checkpoints: QuotaCheckpoints;
  private readonly node: MemoryNode;
  /** Newest check of each counter. */
  private readonly checks = new Map<string, Check>();
  private readonly adopted = new Map<string, number>();
  private nowMs = 0;
  private sequence = 0;
  private isAvailable = true;

  constructor(private readonly options: ReplayNodeOptions) {
    const { nodeId, epoch, quotas, samples } = options;
    const onError = (message: string, error: unknown) => {
      throw new Error(message, { cause: error });
    };
    this.sampler = new DecisionSampler(samples);
    this.checkpoints = new QuotaCheckpoints({
      store: {
        write: (checkpoints) => quotas.write(checkpoints),
        read: () => Promise.resolve({ reading: NO_READING, restoreMark: 'none' }),
        readRestoreMark: () => Promise.resolve('none'),
      },
      readCounter: (check) => this.node.store.amend({ op: 'take', check: { ...check, cost: 0 } }),
      onError,
      nowMs: () => this.nowMs,
    });
    this.node = new MemoryNode(
      {
        nodeId,
        epoch,
        policies: this.policies,
        sampler: this.sampler,
        checkpoints: this.checkpoints,
        clockUs: () => this.nowMs * 1000,
        // Pools exchange within a request; nothing happens between requests.
        schedule: () => () => undefined,
        onError,
      },
      new UsageRows(Number.POSITIVE_INFINITY),
    );
    const { store } = this.node;
    const decide = store.charge.bind(store);
    store.charge = (request: StoreRequest): Promise<StoreReply> => {
      if (!this.isAvailable) return Promise.resolve({ available: false, reason: 'disconnected' });
      for (const check of request.checks) this.checks.set(check.key, check);
      return decide(request);
    };
  }

  apply(policy: ReplayPolicy): void {
    this.policies.apply(policy);
  }

  /** Moves the clock, Unix ms. While the counters are unavailable, limits decide by `onUnavailable`. */
  moveTo(nowMs: number, isAvailable = true): void {
    this.nowMs = nowMs;
    if (isAvailable && !this.isAvailable) this.node.engine.recovered();
    this.isAvailable = isAvailable;
  }

  get engine(): Engine {
    return this.node.engine;
  }

  /** Usage since the last frame. */
  takeFrame(): UsageFrame {
    const { nodeId, epoch } = this.options;
    return {
      nodeId,
      epoch,
      sequence: ++this.sequence,
      atMs: this.nowMs,
      rows: this.node.rows.take(),
      crossings: this.node.crossings.splice(0),
      offenders: this.engine.takeOffenders(MAX_OFFENDERS),
      peaks: this.engine.takePeaks(Number.POSITIVE_INFINITY),
    };
  }

  /** Samples and quota usage since the last entry. */
  takeJournalEntry(): NodeJournalEntry {
    const { nodeId } = this.options;
    const checkpoints = this.checkpoints.takeUnjournaled(Number.POSITIVE_INFINITY);
    return { nodeId, atMs: this.nowMs, samples: this.sampler.take(), checkpoints };
  }

  /** Charges each counter that was peeked at so far with the usage that other nodes counted in its open window. */
  async adopt(readUsed: (check: Check) => Promise<number>): Promise<void> {
    for (const check of this.checks.values()) {
      const cost = await readUsed(check);
      if (cost <= 0) continue;
      await this.node.store.amend({ op: 'charge', checks: [{ ...check, cost }] });
      this.adopted.set(check.key, cost);
    }
  }

  /** Checks whose cost is the usage by this node of each counter that is not empty for at least `forMs`. */
  listUsed(forMs: number): Check[] {
    const { store } = this.node;
    return [...this.checks.values()].flatMap((check) => {
      const { remaining, resetAfterUs } = store.step(check, 0, store.clockUs(), 0);
      const used = check.policy.capacity - remaining - (this.adopted.get(check.key) ?? 0);
      return used > 0 && resetAfterUs >= forMs * 1000 ? [{ ...check, cost: used }] : [];
    });
  }

  /** Writes the quota checkpoints. */
  async close(): Promise<void> {
    await this.engine.close();
    await this.checkpoints.flush();
  }
}

const MAX_OFFENDERS = 50;
