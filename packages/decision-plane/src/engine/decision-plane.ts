import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  type LimitAnswer,
  type LimitRequest,
  type NodeReport,
  type Outcome,
  type ServiceTokenRecord,
  summarizeLimit,
  type TenantLimits,
  type TenantRecord,
  TollgateError,
} from '@tollgate/contracts';
import { LastGoodFile } from '../feed/last-good-file.js';
import { NodeReporter } from '../feed/node-reporter.js';
import { PolicyFeed } from '../feed/policy-feed.js';
import type { TierPolicy } from '../policy/catalogue.js';
import { connectConfigRedis } from '../store/config-connection.js';
import { PolicySource, readNodeReports } from '../store/config-store.js';
import type { StoreReply } from '../store/decision-store.js';
import { RedisStore } from '../store/redis-store.js';
import { writeUsageFrame } from '../store/usage-stream.js';
import { type AnswerContext, countedAnswer, uncountedAnswer } from './answer.js';
import { DegradedMode } from './degraded-mode.js';
import { RepeatedErrors } from './repeated-errors.js';
import { type Resolution, resolve } from './resolve.js';
import { UsageAggregator } from './usage-aggregator.js';

/** What a node has to say about itself: once for each change, not for each request. */
export type DecisionPlaneEvent =
  | { kind: 'degraded'; cause: string }
  | { kind: 'recovered'; decisions: number }
  | { kind: 'revision'; revision: number; applyLatencyMs: number | null }
  | { kind: 'revision-refused'; revision: number; reason: string }
  | { kind: 'error'; message: string; error: unknown };

export interface DecisionPlaneOptions {
  /** Redis that holds the counters. */
  countersUrl: string;
  /** Redis that holds policy and takes usage. */
  configUrl: string;
  /** Unique among live nodes. */
  nodeId: string;
  /** Shown beside the node in the console. */
  version: string;
  /** Folder for the last good policy; left out: nothing is kept on disk. */
  dataDir?: string;
  /** Longest wait for the counters, milliseconds; 25 unless given. */
  deadlineMs?: number;
  onEvent?: (event: DecisionPlaneEvent) => void;
}

interface TenantPolicy {
  policy: TierPolicy;
  tenant: TenantRecord;
}

/** How long `start` waits for Redis before it goes on with what is on disk. */
const CONNECT_WITHIN_MS = 3000;

/** The decision plane of one process: policy in, requests decided, usage out. */
export class DecisionPlane {
  private readonly epoch = randomBytes(8).toString('hex');
  private readonly startedAtMs = Date.now();
  private readonly config: ReturnType<typeof connectConfigRedis>;
  private readonly store: RedisStore;
  private readonly source: PolicySource;
  private readonly feed: PolicyFeed;
  private readonly reporter: NodeReporter;
  private readonly usage: UsageAggregator;
  private readonly degradedMode = new DegradedMode();
  private degradedDecisions = 0;
  private lastFailure = 'not connected yet';
  private requests = 0;

  private constructor(private readonly options: DecisionPlaneOptions) {
    const errors = new RepeatedErrors((message, error) => this.emit({ kind: 'error', message, error }));
    const onError = (message: string, error: unknown) => errors.note(message, error);
    const { nodeId, dataDir, deadlineMs } = options;
    this.config = connectConfigRedis(options.configUrl, (error) => onError('policy store', error));
    this.source = new PolicySource(this.config);
    this.store = new RedisStore({
      url: options.countersUrl,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
      onFailure: (reason, error) => {
        this.lastFailure = error instanceof Error ? `${reason}: ${error.message}` : reason;
      },
    });
    this.feed = new PolicyFeed({
      source: this.source,
      ...(dataDir === undefined
        ? {}
        : { lastGood: new LastGoodFile(join(dataDir, 'last-good-policy.json')) }),
      onChange: () => this.onPolicyChange(),
      onError,
    });
    this.reporter = new NodeReporter({
      report: () => this.report(),
      send: (report) => this.source.report(report),
      countNodes: async () => (await readNodeReports(this.config)).length,
      onError,
    });
    this.usage = new UsageAggregator({
      nodeId,
      epoch: this.epoch,
      write: (frame) => writeUsageFrame(this.config, frame),
      onError,
    });
  }

  /** Connects, takes the newest policy, and reports itself; where Redis is away, starts from disk and goes on trying. */
  static async start(options: DecisionPlaneOptions): Promise<DecisionPlane> {
    const plane = new DecisionPlane(options);
    await Promise.all([
      plane.store.connected(CONNECT_WITHIN_MS).catch((error) => {
        plane.emit({ kind: 'error', message: 'counters', error });
      }),
      plane.feed.start(),
    ]);
    plane.reporter.start();
    plane.usage.start();
    return plane;
  }

  /** Whether there is a policy to decide by. */
  get ready(): boolean {
    return this.feed.catalogue !== undefined;
  }

  /** Revision in force; 0: none yet. */
  get revision(): number {
    return this.feed.revision;
  }

  /** Whether the last decision was made without the counters' Redis. */
  get degraded(): boolean {
    return this.degradedDecisions > 0;
  }

  /** The service token of this public id, while it is in the policy. */
  serviceToken(publicId: string): ServiceTokenRecord | undefined {
    return this.feed.catalogue?.serviceTokens.get(publicId);
  }

  /**
   * Decides and charges. Answers within the deadline whatever the counters' Redis does.
   * @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable`, `dimension-missing`, `dimension-invalid`
   */
  limit(request: LimitRequest): Promise<LimitAnswer> {
    return this.answer(request, false);
  }

  /** Tells what `limit` would answer now, and charges nothing; `remaining` is before the charge. Throws as it does. */
  peek(request: LimitRequest): Promise<LimitAnswer> {
    return this.answer(request, true);
  }

  /**
   * The limits that apply to a tenant on an API, with a sentence for each, and the revision that they are of.
   * @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable`
   */
  async limitsOf(tenantKey: string, api: string): Promise<TenantLimits> {
    const { policy } = this.policyAtHand(tenantKey) ?? (await this.policyFor(tenantKey));
    const limits = policy.limitsOf(api).map(({ stored }) => ({
      policy: stored,
      summary: summarizeLimit(stored),
    }));
    return { tenant: tenantKey, api, revision: this.revision, limits };
  }

  /** Hands on what is still to be told and lets go of all connections. */
  async close(): Promise<void> {
    await Promise.all([this.reporter.close(), this.usage.close(), this.feed.close()]);
    if (this.config.status === 'ready')
      await this.source.withdraw(this.options.nodeId).catch(() => undefined);
    await this.store.close();
    this.config.disconnect();
  }

  // One pause, the store's, where the tenant is at hand: each further one costs as much as resolving does.
  private async answer(request: LimitRequest, peek: boolean): Promise<LimitAnswer> {
    const { policy, tenant } = this.policyAtHand(request.tenant) ?? (await this.policyFor(request.tenant));
    const resolution = resolve(policy, tenant, request);
    const context = { revision: this.feed.revision, requestId: request.requestId ?? this.nextRequestId() };
    if (resolution.kind === 'limited') {
      const reply = await this.store.decide(resolution.checks, { peek });
      return this.decided(request, resolution, reply, peek, context);
    }
    const success = resolution.kind === 'no_limit';
    if (!peek) this.record(request, null, success ? 'no_limit' : 'refused');
    return success
      ? uncountedAnswer({ success, reason: 'NO_LIMIT', cost: resolution.cost }, context)
      : uncountedAnswer({ success, reason: 'BLOCKED', cost: request.cost ?? 1 }, context);
  }

  private decided(
    request: LimitRequest,
    { limits, checks, cost }: Resolution & { kind: 'limited' },
    reply: StoreReply,
    peek: boolean,
    context: AnswerContext,
  ): LimitAnswer {
    this.noteAvailability(reply);
    if (reply.available) {
      this.degradedMode.remember(checks, reply.checks, reply.nowUs);
      const answer = countedAnswer(limits, reply.checks, reply.nowUs, cost, context);
      if (!peek) this.record(request, answer.policy, answer.success ? 'allowed' : 'refused');
      return answer;
    }
    const { nowUs, results } = this.degradedMode.decide(limits, checks, this.reporter.nodes, peek);
    const answer = countedAnswer(limits, results, nowUs, cost, context);
    if (!peek) this.record(request, answer.policy, answer.success ? 'degraded_allowed' : 'degraded_refused');
    return { ...answer, reason: 'DEGRADED', degraded: true };
  }

  /** The tenant and what decides for it, where both are here. */
  private policyAtHand(key: string): TenantPolicy | undefined {
    const tenant = this.feed.findTenant(key);
    const policy = tenant == null ? undefined : this.feed.catalogue?.policyOf(tenant);
    return tenant == null || policy === undefined ? undefined : { policy, tenant };
  }

  /** As `policyAtHand`, read where it is not here. */
  private async policyFor(key: string): Promise<TenantPolicy> {
    for (const isLastTry of [false, true]) {
      const tenant = await this.feed.loadTenant(key);
      if (tenant === null) throw new TollgateError('tenant-unknown', { detail: `There is no tenant ${key}` });
      const { catalogue } = this.feed;
      if (catalogue === undefined) throw new TollgateError('not-ready');
      const policy = catalogue.policyOf(tenant);
      if (policy !== undefined) return { policy, tenant };
      // The record is newer than the catalogue at hand: take the newest of both, once.
      if (!isLastTry) await this.feed.refresh();
    }
    throw new TollgateError('tenant-unavailable', {
      internal: `tenant ${key} is on a tier version that revision ${this.revision} does not hold`,
    });
  }

  private record(request: LimitRequest, policy: string | null, outcome: Outcome): void {
    this.usage.record(request.tenant, request.api, request.operation, policy, outcome);
  }

  private noteAvailability(reply: StoreReply): void {
    if (!reply.available) {
      this.degradedDecisions++;
      if (this.degradedDecisions > 1) return;
      this.emit({ kind: 'degraded', cause: this.lastFailure });
    } else if (this.degradedDecisions > 0) {
      this.emit({ kind: 'recovered', decisions: this.degradedDecisions });
      this.degradedDecisions = 0;
      this.degradedMode.end();
    } else {
      return;
    }
    this.reporter.reportNow();
  }

  private onPolicyChange(): void {
    const { nack, revision, applyLatencyMs } = this.feed;
    this.emit(
      nack === null ? { kind: 'revision', revision, applyLatencyMs } : { kind: 'revision-refused', ...nack },
    );
    this.reporter.reportNow();
  }

  private report(): NodeReport {
    return {
      nodeId: this.options.nodeId,
      epoch: this.epoch,
      version: this.options.version,
      startedAtMs: this.startedAtMs,
      seenAtMs: Date.now(),
      revision: this.feed.revision,
      applyLatencyMs: this.feed.applyLatencyMs,
      nack: this.feed.nack,
      degraded: this.degraded,
    };
  }

  private nextRequestId(): string {
    this.requests++;
    return `req_${this.epoch}${this.requests.toString(36)}`;
  }

  private emit(event: DecisionPlaneEvent): void {
    this.options.onEvent?.(event);
  }
}
