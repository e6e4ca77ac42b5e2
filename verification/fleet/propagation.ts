import type { NodeReport, TenantRecord } from '@tollgate/contracts';
import { PolicyVerifier } from '@tollgate/policy';
import { NodeReporter } from '../../packages/decision-plane/src/feed/node-reporter.js';
import { PolicyFeed, type PolicyFeedOptions } from '../../packages/decision-plane/src/feed/policy-feed.js';
import { serializeCatalogue } from '../../packages/decision-plane/src/policy-redis/policy-store.js';
import type { OperationCosts } from './constants.ts';
import { type ServerLoad, ServerModel } from './server-model.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface PropagationOptions {
  nodes: number;
  tenants: number;
  /** Tenants in the cache of each node; changed tenants are among them. */
  cached: number;
  oneWayMs: number;
}

/** A change of tenants; more than 500 are announced without names, and nodes read them again when needed. */
export type Change = { tenants: number } | 'catalogue';

export interface Propagation {
  /** Time from the publication until half and all nodes decide by the new revision, ms. */
  medianMs: number;
  lastMs: number;
  /** Decisions by an earlier revision's record after that, because the new one was not read yet. */
  decidedByPast: number;
  /** Tenant records read within two seconds. */
  reads: number;
  policyServer: ServerLoad;
}

/** As in the relay. */
const MAX_ANNOUNCED = 500;

/** Interval in which requests arrive together, ms. */
const STEP_MS = 0.125;

/** Time after a publication that is simulated. */
const WATCHED_MS = 2000;

const nameOf = (tenant: number) => `tenant-${tenant}`;

/** Nodes with the engine's policy feed over one simulated policy Redis. */
export class PropagationModel {
  private readonly random: () => number;
  private readonly time: VirtualTime;
  private readonly costs: OperationCosts;
  private readonly options: PropagationOptions;
  private readonly server: ServerModel;
  private readonly feeds: PolicyFeed[] = [];
  private readonly reporters: NodeReporter[] = [];
  private readonly reports = new Map<string, NodeReport>();
  private readonly subscribers: ((announcement: string) => void)[] = [];
  private readonly changedIn = new Map<number, number>();
  private revision = 1;
  private catalogueRevision = 1;
  private reads = 0;

  constructor(time: VirtualTime, costs: OperationCosts, options: PropagationOptions, random: () => number) {
    this.time = time;
    this.random = random;
    this.costs = costs;
    this.options = options;
    this.server = new ServerModel(time, options.oneWayMs);
  }

  /** Starts all nodes at random times within three seconds, with their tenants in memory. */
  async start(): Promise<void> {
    const { nodes, cached } = this.options;
    for (let node = 0; node < nodes; node++) this.feeds.push(this.openFeed());
    const started = Array.from({ length: nodes }, async (_, node) => {
      await this.time.sleep(this.random() * 3000);
      const feed = this.feeds[node] as PolicyFeed;
      await feed.start();
      await Promise.all(
        Array.from({ length: cached }, (_, i) => feed.loadTenant(nameOf(this.tenantAt(node, i)))),
      );
      const reporter = this.openReporter(node, feed);
      this.reporters.push(reporter);
      await reporter.start();
    });
    await this.time.advance(8000);
    await Promise.all(started);
  }

  /** Publishes a change and simulates the two seconds after it, in which nodes decide requests of their tenants. */
  async publish(change: Change, decisionsPerSecond: number): Promise<Propagation> {
    this.server.reset();
    this.reads = 0;
    const previous = this.revision++;
    const changed =
      change === 'catalogue' ? [] : Array.from({ length: change.tenants }, (_, i) => this.tenantAt(0, i));
    if (change === 'catalogue') this.catalogueRevision = this.revision;
    for (const tenant of changed) this.changedIn.set(tenant, this.revision);
    const announcement = JSON.stringify({
      ...{ revision: this.revision, previous, catalogueChanged: change === 'catalogue' },
      tenants: changed.length > MAX_ANNOUNCED ? null : changed.map(nameOf),
    });
    const { base, each } = this.costs.publish;
    void this.server.call(base + each * this.subscribers.length, () => {
      for (const receive of this.subscribers)
        this.time.schedule(() => receive(announcement), this.options.oneWayMs);
    });
    return this.watch((decisionsPerSecond * STEP_MS) / 1000);
  }

  async close(): Promise<void> {
    const closed = [...this.feeds, ...this.reporters].map((part) => part.close());
    await this.time.advance(100);
    await Promise.all(closed);
  }

  private async watch(perStep: number): Promise<Propagation> {
    const startMs = this.time.nowMs;
    const appliedMs: number[] = [];
    const waiting = new Set(this.feeds);
    let decidedByPast = 0;
    let due = 0;
    for (let atMs = 0; atMs < WATCHED_MS; atMs += STEP_MS) {
      await this.time.advance(STEP_MS);
      for (const feed of waiting) {
        if (feed.revision < this.revision) continue;
        waiting.delete(feed);
        appliedMs.push(this.time.nowMs - startMs);
      }
      for (due += perStep; due >= 1; due--) if (this.decide()) decidedByPast++;
    }
    for (const _ of waiting) appliedMs.push(Number.POSITIVE_INFINITY);
    return {
      medianMs: appliedMs[Math.floor(appliedMs.length / 2)] ?? Number.NaN,
      lastMs: appliedMs.at(-1) ?? Number.NaN,
      decidedByPast,
      reads: this.reads,
      policyServer: this.server.load(),
    };
  }

  /** One request to any node. Returns whether it is decided by a record of an earlier revision. */
  private decide(): boolean {
    const { cached, nodes } = this.options;
    const node = Math.floor(this.random() * nodes);
    const feed = this.feeds[node] as PolicyFeed;
    const name = nameOf(this.tenantAt(node, Math.floor(this.random() * cached)));
    const record = feed.findTenant(name);
    if (record === undefined) void feed.loadTenant(name);
    return record != null && feed.pastOf(record) !== undefined;
  }

  /** The first half of each cache is the same on all nodes; the other half is spread over all tenants. */
  private tenantAt(node: number, index: number): number {
    const shared = this.options.cached / 2;
    if (index < shared) return index;
    return shared + ((node * 7919 + index * 104_729) % (this.options.tenants - shared));
  }

  private openFeed(): PolicyFeed {
    return new PolicyFeed({
      source: this.sourceOf(),
      verifier: new PolicyVerifier('unsigned'),
      nowMs: () => this.time.nowUs() / 1000,
      onChange: () => undefined,
      onStale: () => undefined,
      onError: (message, error) => {
        throw new Error(message, { cause: error });
      },
    });
  }

  private sourceOf(): PolicyFeedOptions['source'] {
    const { server, costs } = this;
    return {
      poll: () => server.call(costs.poll, () => ({ head: this.head(), confirmation: null })),
      readCatalogue: () =>
        server.call(costs.readCatalogue, () => ({ head: this.head(), catalogue: this.catalogue().text })),
      readTenants: (names) => {
        if (names.length === 0) return Promise.resolve([]);
        this.reads += names.length;
        const { base, each } = costs.readTenants;
        return server.call(base + each * names.length, () => names.map((name) => this.tenantRecord(name)));
      },
      subscribe: (onAnnouncement, onSubscribed) => {
        this.subscribers.push(onAnnouncement);
        onSubscribed();
        return () => undefined;
      },
    };
  }

  private openReporter(node: number, feed: PolicyFeed): NodeReporter {
    const { server, costs } = this;
    const nodeId = `node-${node}`;
    return new NodeReporter({
      report: () => ({
        ...{ nodeId, epoch: 'e', version: '0', startedAtMs: 0, seenAtMs: this.time.nowMs },
        ...{ revision: feed.revision, applyLatencyMs: feed.applyLatencyMs, nack: feed.nack, degraded: false },
      }),
      send: (report) => server.call(costs.writeReport, () => void this.reports.set(nodeId, report)),
      readReports: () => {
        const { base, each } = costs.readReports;
        return server.call(base + each * this.reports.size, () => [...this.reports.values()]);
      },
      onError: (message, error) => {
        throw new Error(message, { cause: error });
      },
    });
  }

  private head(): string {
    const { revision, catalogueRevision } = this;
    const catalogueHash = this.catalogue().hash;
    return JSON.stringify({
      revision,
      catalogueRevision,
      catalogueHash,
      publishedAtMs: Math.floor(this.time.nowUs() / 1000),
    });
  }

  private catalogue() {
    const { catalogueRevision: revision } = this;
    return serializeCatalogue({ kind: 'catalogue', revision, apis: [], tiers: [], serviceTokens: [] });
  }

  private tenantRecord(name: string): string {
    const revision = this.changedIn.get(Number(name.slice(7))) ?? 1;
    const record: TenantRecord = {
      ...{ kind: 'tenant', revision, tenant: name, status: 'active', tier: 'free', pinnedVersion: null },
    };
    return JSON.stringify(record);
  }
}
