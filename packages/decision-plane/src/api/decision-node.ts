import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NodeReport } from '@tollgate/contracts';
import {
  type Check,
  ClusterCounts,
  COUNTER_REQUIREMENTS,
  CounterMemory,
  type CounterStore,
  checkServer,
  connectCounters,
  listenToCounters,
  measureCommands,
  publishExhaustions,
  RedisCalls,
  ServerClock,
  type ServerFinding,
  StoreTime,
  type Unavailable,
  within,
} from '@tollgate/limiter/stores';
import { PolicyVerifier } from '@tollgate/policy';
import { LRUCache } from 'lru-cache';
import { Engine } from '../decide/engine.js';
import { LastGoodFile } from '../feed/last-good.js';
import { NodeReporter } from '../feed/node-reporter.js';
import { PolicyFeed } from '../feed/policy-feed.js';
import { Availability } from '../outage/recovery.js';
import { connectConfigRedis, nodeRequirements } from '../policy-redis/config-redis.js';
import { readNodeReports } from '../policy-redis/node-reports.js';
import { JOURNAL_STREAM, TRAFFIC_STREAM, USAGE_STREAM } from '../policy-redis/node-streams.js';
import { PolicySource } from '../policy-redis/policy-store.js';
import { QuotaStore } from '../policy-redis/quota-store.js';
import { exchangePool } from '../scripts/pools.js';
import { DecisionSampler } from '../usage/decision-log.js';
import { NodeJournal } from '../usage/node-journal.js';
import { QuotaCheckpoints, type QuotaReading } from '../usage/quota-checkpoints.js';
import { TrafficRecorder } from '../usage/traffic-recorder.js';
import { UsageAggregator } from '../usage/usage-aggregator.js';
import { CallerKeys, KeyDirectory } from './caller-keys.js';
import type { CountersState, DecisionPlaneEvent, DecisionPlaneOptions } from './options.js';

const REPEAT_AFTER_MS = 60_000;

/** Messages may contain names of tenants and numbers of revisions. */
const MAX_MESSAGES = 1000;

/** Reports the first error of a kind, and repetitions once a minute: an unavailable Redis is one alarm, not ten a second. */
export class ErrorThrottle {
  private readonly reportedAtMs = new LRUCache<string, number>({ max: MAX_MESSAGES });

  constructor(
    private readonly report: (message: string, error: unknown) => void,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** @param message identifies the kind of error; of {@link MAX_MESSAGES} others at least, it is remembered */
  note(message: string, error: unknown): void {
    const nowMs = this.nowMs();
    const reportedAtMs = this.reportedAtMs.get(message);
    if (reportedAtMs !== undefined && nowMs - reportedAtMs < REPEAT_AFTER_MS) return;
    this.reportedAtMs.set(message, nowMs);
    this.report(message, error);
  }
}

/** How often exhausted counters are published to other nodes. */
const PUBLISH_EVERY_MS = 250;

/** Receives counter events of other nodes and publishes the counters that this node found exhausted. */
class CounterEvents {
  private stopListening: () => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly counters: CounterStore,
    private readonly engine: Pick<Engine, 'counterListener' | 'takeExhaustions'>,
  ) {}

  start(): void {
    this.stopListening = listenToCounters(this.counters.address, this.engine.counterListener);
    // Only needed in the next outage; a lost message is replaced by a reading of the store.
    this.timer = setInterval(() => this.publish().catch(() => undefined), PUBLISH_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.stopListening();
  }

  private async publish(): Promise<void> {
    const exhaustions = this.engine.takeExhaustions();
    if (exhaustions.length > 0) await publishExhaustions(this.counters.clientFor('tg:news'), exhaustions);
  }
}

const EVICTED =
  'counter redis evicted keys: their limits and penalties started again; set maxmemory-policy to noeviction';

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM');
}

/** A Redis that answers, and cannot be used until its configuration or the address changes. */
export class UnsuitableRedis extends Error {}

/** Longest wait for Redis at the start of a node without a policy. */
const CONNECT_WITHIN_MS = 3000;

/** How often a node that has just started looks for restored quota checkpoints. */
const AWAIT_QUOTAS_EVERY_MS = 50;

/** Longest wait for a newer policy at the start of a node with a policy on disk; it usually takes 20 ms. */
const JOIN_WITHIN_MS = 250;

export class DecisionNode {
  readonly feed: PolicyFeed;
  readonly engine: Engine;
  readonly callers: CallerKeys;
  readonly redisCalls = { counters: new RedisCalls(), config: new RedisCalls() };
  readonly clusterCounts = new ClusterCounts();
  private readonly epoch = randomBytes(8).toString('hex');
  private readonly startedAtMs = Date.now();
  private readonly config: ReturnType<typeof connectConfigRedis>;
  private readonly counters: CounterStore;
  readonly memory: CounterMemory;
  private readonly source: PolicySource;
  private readonly reporter: NodeReporter;
  readonly usage: UsageAggregator;
  /** Undefined: traffic is not recorded. */
  readonly traffic: TrafficRecorder | undefined;
  private readonly checkpoints: QuotaCheckpoints;
  private readonly journal: NodeJournal;
  private readonly counterEvents: CounterEvents;
  private readonly availability: Availability;
  private readonly keys: KeyDirectory;
  private readonly configClock = new ServerClock();
  private readonly time: StoreTime;
  private closed = false;
  private hasReachedCounters = false;
  /** Until quota checkpoints were readable once since the counters were reached, or the wait for them is over. */
  awaitsQuotas = true;
  private hasBegun = false;
  private readonly rejections = new Set<string>();

  constructor(private readonly options: DecisionPlaneOptions) {
    const errors = new ErrorThrottle((message, error) => this.emit({ kind: 'error', message, error }));
    const onError = (message: string, error: unknown) => errors.note(message, error);
    const { nodeId, dataDir, deadlineMs, keysPerTenant, thresholds, maxStaleMs, onStale, unknownApis } =
      options;
    const sampler = new DecisionSampler(options.samples);
    this.availability = new Availability({
      onDegraded: (cause) => this.onAvailability({ kind: 'degraded', cause }),
      onRecovered: (decisions) => {
        this.engine.recovered();
        this.onAvailability({ kind: 'recovered', decisions });
      },
    });
    this.config = connectConfigRedis(options.configUrl, (error) =>
      onError('policy redis unavailable', error),
    );
    measureCommands(this.config, this.redisCalls.config);
    this.source = new PolicySource(this.config);
    this.counters = connectCounters({
      url: options.countersUrl,
      deadlineMs,
      onFailure: (reason, error) => {
        this.availability.failed(reason, error);
        if (isOutOfMemory(error)) void this.memory.read();
      },
      measured: this.redisCalls.counters,
      onWarning: (message) => this.emit({ kind: 'warning', message }),
      counts: this.clusterCounts,
    });
    const evictions = new ErrorThrottle((message) => this.emit({ kind: 'warning', message }));
    this.memory = new CounterMemory({
      counters: this.counters,
      nodes: () => this.reporter.nodes,
      onEvictingPolicy: (message) => this.emit({ kind: 'warning', message }),
      onEvicted: () => evictions.note(EVICTED, undefined),
    });
    this.time = new StoreTime({
      servers: [() => this.counters.nowUs(), () => this.configClock.atUs(performance.now())],
    });
    const nowMs = options.nowMs ?? this.time.nowMs;
    this.feed = new PolicyFeed({
      source: this.source,
      nowMs,
      verifier: new PolicyVerifier(options.policyKeys),
      maxStaleMs,
      lastGood: dataDir === undefined ? undefined : new LastGoodFile(join(dataDir, 'last-good-policy.json')),
      nodes: () => this.reporter.nodes,
      onRestored: (records) => this.keys.restore(records),
      onChange: () => this.onPolicyChange(),
      onStale: (isStale, ageMs) => this.onStale(isStale, ageMs),
      onError,
    });
    this.reporter = new NodeReporter({
      report: () => this.report(),
      send: (report) => this.send(report),
      readReports: () => readNodeReports(this.config),
      lastNodes: () => this.feed.lastNodes,
      onNodes: () => this.feed.saveSoon(),
      onError,
    });
    this.checkpoints = new QuotaCheckpoints({
      store: new QuotaStore(this.config),
      readCounter: (check) => this.readCounter({ ...check, cost: 0 }),
      onError,
      nowMs,
      readWithinMs: deadlineMs,
      connections: () => this.counters.connections,
    });
    this.usage = new UsageAggregator({
      nodeId,
      epoch: this.epoch,
      write: (frame) => USAGE_STREAM.write(this.config, frame),
      takeOffenders: (max) => this.engine.takeOffenders(max),
      takeDurations: options.takeDurations,
      takePeaks: (max) => this.engine.takePeaks(max),
      onError,
    });
    this.journal = new NodeJournal({
      nodeId,
      sampler,
      checkpoints: this.checkpoints,
      write: (entry) => JOURNAL_STREAM.write(this.config, entry),
      onError,
    });
    if (options.recordTraffic !== false) {
      this.traffic = new TrafficRecorder({
        nodeId,
        epoch: this.epoch,
        write: (block) => TRAFFIC_STREAM.write(this.config, block),
        onError,
      });
    }
    this.keys = new KeyDirectory((publicIds) => this.source.readKeyOwners(publicIds));
    this.callers = new CallerKeys({
      peppers: options.keyPeppers ?? new Map(),
      index: this.keys,
      tenants: this.feed,
      onUse: (publicId, atMs) => this.usage.addKeyUse(publicId, atMs),
      nowMs,
    });
    this.engine = new Engine({
      nodeId,
      epoch: this.epoch,
      store: this.counters,
      deadlineMs,
      exchangePool: async (pool, report) => exchangePool(this.counters.clientFor(pool.key), pool, report),
      policies: this.feed,
      usage: this.usage,
      sampler,
      ...(this.traffic === undefined ? {} : { traffic: this.traffic }),
      checkpoints: this.checkpoints,
      nodes: () => this.reporter.nodes,
      nowMs,
      onReply: this.availability.note,
      onBudgetSpent: (tenant, cause) => this.emit({ kind: 'key-budget-spent', tenant, cause }),
      onError,
      keysPerTenant,
      memory: this.memory,
      thresholds,
      onStale,
      unknownApis,
    });
    this.counterEvents = new CounterEvents(this.counters, this.engine);
  }

  get degraded(): boolean {
    return this.availability.degraded;
  }

  get countersState(): CountersState {
    if (!this.hasReachedCounters) return 'never-reached';
    const servers = this.counters.servers();
    const isConnected = servers.length > 0 && servers.every(({ status }) => status === 'ready');
    return isConnected && !this.degraded ? 'available' : 'unavailable';
  }

  /**
   * Applies the policy on disk, then the newest. Resolves when there is a policy and Redis has answered, or its time is up:
   * less time if there was a policy on disk. Connecting continues in the background.
   * @throws UnsuitableRedis
   */
  async begin(): Promise<void> {
    const startedFromDisk = await this.feed.restore();
    this.time.start();
    this.memory.start();
    const joined = this.join();
    this.counterEvents.start();
    this.usage.start();
    this.checkpoints.start();
    this.journal.start();
    this.traffic?.start();
    await (startedFromDisk ? within(JOIN_WITHIN_MS, joined) : joined);
    if (this.rejections.size > 0) throw new UnsuitableRedis([...this.rejections].join('; '));
    this.hasBegun = true;
  }

  /** Sends outstanding usage and charges, refunds leases, and closes all connections. */
  async close(): Promise<void> {
    this.closed = true;
    this.time.close();
    this.memory.close();
    this.counterEvents.close();
    await this.engine.close();
    await Promise.all([
      this.reporter.close(),
      this.usage.close(),
      this.traffic?.close(),
      // Closing the checkpoints may add journal entries.
      this.checkpoints.close().then(() => this.journal.close()),
      this.feed.close(),
    ]);
    if (this.config.status === 'ready')
      await this.source.withdraw(this.options.nodeId).catch(() => undefined);
    await this.counters.close();
    this.config.disconnect();
  }

  /** Never rejects: failures are retried in the background. */
  private async join(): Promise<void> {
    const counted = this.feed.start().then(() => (this.closed ? undefined : this.reporter.start()));
    await Promise.all([this.reachCounters(), this.checkConfig(), counted]);
  }

  private async reachCounters(): Promise<void> {
    try {
      await this.counters.connected(CONNECT_WITHIN_MS);
    } catch (error) {
      if (this.closed) return;
      await this.checkCounters();
      const message = 'counter redis unavailable; connecting again';
      this.emit({ kind: 'error', message, error: new Error(this.availability.cause, { cause: error }) });
      void this.retryCounters();
      return;
    }
    await this.onCountersReached();
  }

  private async retryCounters(): Promise<void> {
    while (!this.closed) {
      try {
        await this.counters.connected(CONNECT_WITHIN_MS);
        return this.onCountersReached();
      } catch {}
    }
  }

  private async onCountersReached(): Promise<void> {
    if (this.closed) return;
    this.hasReachedCounters = true;
    this.redisCalls.counters.lastAnswerAtMs ??= Date.now();
    this.emit({ kind: 'counters-reached' });
    void this.awaitQuotas();
    await Promise.all([this.checkCounters(), this.memory.read()]);
  }

  /** Never rejects. */
  private async awaitQuotas(): Promise<void> {
    await this.checkpoints.watchRestores();
    while (!this.closed && this.checkpoints.isAwaited) {
      await delay(AWAIT_QUOTAS_EVERY_MS, undefined, { ref: false });
      await this.checkpoints.watchRestores();
    }
    if (this.closed) return;
    this.awaitsQuotas = false;
    this.emit({ kind: 'quotas-known' });
  }

  private async checkCounters(): Promise<void> {
    const servers = this.counters.servers();
    const checks = servers.map((server) => checkServer(server, COUNTER_REQUIREMENTS, CONNECT_WITHIN_MS));
    this.note('counter redis', (await Promise.all(checks)).flat());
  }

  private async checkConfig(): Promise<void> {
    const findings = await checkServer(
      this.config,
      nodeRequirements(this.options.recordTraffic !== false),
      CONNECT_WITHIN_MS,
    );
    if (findings.some(({ severity }) => severity === 'unavailable' || severity === 'login'))
      this.config.once('ready', () => void this.checkConfig());
    this.note('policy redis', findings);
  }

  /**
   * During the start, errors prevent it. A rejected login does not: the users of a server can be missing for a while, and
   * this node still decides degraded. Unavailable servers are reported by those that use them.
   */
  private note(server: string, findings: readonly ServerFinding[]): void {
    if (this.closed) return;
    const messages = new Map(findings.map(({ severity, message }) => [`${server}: ${message}`, severity]));
    for (const [message, severity] of messages) {
      if (severity === 'error' && !this.hasBegun) this.rejections.add(message);
      else if (severity !== 'unavailable') this.emit({ kind: 'warning', message });
    }
  }

  private onAvailability(event: DecisionPlaneEvent): void {
    this.emit(event);
    this.reporter.reportNow();
  }

  private onPolicyChange(): void {
    this.keys.onPolicyChange();
    const { nack, revision, applyLatencyMs } = this.feed;
    this.emit(
      nack === null ? { kind: 'revision', revision, applyLatencyMs } : { kind: 'revision-rejected', ...nack },
    );
    this.reporter.reportNow();
  }

  private onStale(isStale: boolean, ageMs: number): void {
    this.emit({ kind: isStale ? 'policy-stale' : 'policy-fresh', ageMs });
    this.reporter.reportNow();
  }

  private async send(report: NodeReport): Promise<void> {
    const sentMs = performance.now();
    const nowUs = await this.source.report(report);
    this.configClock.learn(nowUs, sentMs, performance.now());
    this.time.refresh();
  }

  /** Reads a quota counter; a counter of failures includes its attempts in flight. */
  private async readCounter(check: Check): Promise<QuotaReading | Unavailable> {
    const store = this.counters;
    if (check.policy.charge !== 'on_failure') return await store.amend({ op: 'take', check });
    const reply = await store.charge({ checks: [check], peek: true });
    const reading = reply.available ? reply.checks[0] : undefined;
    if (!reply.available || reading === undefined) return { available: false, reason: 'failed' };
    return { available: true, nowUs: reply.nowUs, ...reading };
  }

  private report(): NodeReport {
    return {
      nodeId: this.options.nodeId,
      epoch: this.epoch,
      version: this.options.version,
      startedAtMs: this.startedAtMs,
      // Set by the store.
      seenAtMs: 0,
      revision: this.feed.revision,
      applyLatencyMs: this.feed.applyLatencyMs,
      nack: this.feed.nack,
      degraded: this.degraded,
      policyAgeMs: this.feed.freshness.ageMs,
      policyStale: this.feed.freshness.isStale,
    };
  }

  /** An error of the listener must not fail a decision. */
  private emit(event: DecisionPlaneEvent): void {
    try {
      this.options.onEvent?.(event);
    } catch (error) {
      process.emitWarning(`tollgate: onEvent threw: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
}
