import {
  type CapacityReport,
  capacityReportSchema,
  type LimitAnswer,
  type LimitRequest,
  type Offender,
  type Problem,
  problem,
  type ReserveRequest,
  reserveRequestSchema,
  summarizeLimit,
  type TenantLimits,
  TollgateError,
} from '@tollgate/contracts';
import { DegradedMode } from '../outage/degraded-mode.js';
import { LastKnown } from '../outage/last-known.js';
import { Repayments } from '../outage/recovery.js';
import { assertBody } from '../policy/request-checks.js';
import type { PoolAnswer, PoolReport } from '../pools/exchange.js';
import { compilePool, type Pool } from '../pools/pool.js';
import { PoolBook, type Schedule } from '../pools/pool-book.js';
import type { ClockUs } from '../store/clocks.js';
import type { Amendment, Check, DecisionStore, StoreReply, StoreRequest } from '../store/decision-store.js';
import { receiptKey } from '../store/keys.js';
import type { CounterHandlers, Exhaustion } from '../store/redis/counter-channel.js';
import { DEFAULT_DEADLINE_MS } from '../store/redis/redis-store.js';
import type { DecisionSampler } from '../usage/decision-log.js';
import { DecisionLog } from '../usage/decision-log.js';
import { HeavyHitters } from '../usage/heavy-hitters.js';
import { LimitCrossings } from '../usage/limit-crossings.js';
import type { QuotaCheckpoints } from '../usage/quota-checkpoints.js';
import { QuotaRestores } from '../usage/quota-restores.js';
import type { UsageAggregator } from '../usage/usage-aggregator.js';
import { Amender } from './amender.js';
import { Decider, type DeciderParts } from './decider.js';
import { DenialCache } from './denial-cache.js';
import { KeyBudget } from './key-budget.js';
import { LeaseBook } from './lease-book.js';
import type { OnStale, TogetherOptions, TogetherRequest, UnknownApis } from './requests.js';
import { type PolicyView, TenantPolicies } from './resolve.js';
import { TogetherDecider } from './together-decider.js';

export interface EngineOptions {
  nodeId: string;
  /** New at each start of the process. */
  epoch: string;
  store: DecisionStore;
  /** How long a decision waits for the store where no limit sets it, ms; left out: the store's default. */
  deadlineMs?: number | undefined;
  exchangePool: (pool: Pool, report: PoolReport) => Promise<PoolAnswer>;
  policies: PolicyView;
  usage: Pick<UsageAggregator, 'tally' | 'addCrossings'>;
  /** Left out: no decision is kept as it was made. */
  sampler?: DecisionSampler;
  /** Left out: quotas are as good as the store. */
  checkpoints?: QuotaCheckpoints;
  /** Nodes that share the limits, at least 1. */
  nodes: () => number;
  onReply: (reply: StoreReply) => void;
  onBudgetSpent: (tenant: string, cause: string) => void;
  onError: (message: string, error: unknown) => void;
  /** What requests get once the policy is too old; left out: keep. */
  onStale?: OnStale;
  /** Left out: refuse. */
  unknownApis?: UnknownApis;
  keysPerTenant?: number;
  thresholds?: readonly number[];
  /** Unix ms by the store's clock; left out: the process's. */
  nowMs?: () => number;
  /** Takes the place of all clocks. */
  clockUs?: ClockUs;
  /** Left out: the process's timers. */
  schedule?: Schedule;
}

/** Everything between a request and its answer, whatever store and policy it is given. */
export class Engine {
  readonly amender: Amender;
  /** What other nodes tell of counters. */
  readonly news: CounterHandlers;
  private readonly decider: Decider;
  /** Decides what only looks: that takes nothing of a tenant's budget of keys. */
  private readonly looker: Decider;
  private readonly together: TogetherDecider;
  private readonly deciderParts: DeciderParts;
  private readonly nowMs: () => number;
  private readonly policies: TenantPolicies;
  private readonly pools: PoolBook;
  private readonly leases: LeaseBook;
  private readonly lastKnown = new LastKnown();
  private readonly degraded: DegradedMode;
  private readonly repayments: Repayments;
  private readonly offenders = new HeavyHitters();
  private requests = 0;

  constructor(private readonly options: EngineOptions) {
    const { nodeId, store, nodes, checkpoints, onError, clockUs } = options;
    const nowMs = clockUs === undefined ? (options.nowMs ?? Date.now) : () => clockUs() / 1000;
    const clockMs = clockUs === undefined ? () => performance.now() : nowMs;
    const { unknownApis = 'refuse' } = options;
    const budget = new KeyBudget({
      onSpent: options.onBudgetSpent,
      ...(options.keysPerTenant === undefined ? {} : { keysPerTenant: options.keysPerTenant }),
    });
    const isAdmitted = budget.isAdmitted.bind(budget);
    const denials = new DenialCache();
    this.policies = new TenantPolicies(options.policies, nowMs);
    this.degraded = new DegradedMode(this.lastKnown, {
      clockUs: clockUs ?? (() => Math.round(nowMs() * 1000)),
    });
    this.pools = new PoolBook({
      nodeId,
      exchange: options.exchangePool,
      liveNodes: nodes,
      onError,
      clockMs,
      ...(options.schedule === undefined ? {} : { schedule: options.schedule }),
    });
    const amend = (amendment: Amendment) => store.amend(amendment);
    const decide = (request: StoreRequest) => store.decide(request);
    const restores =
      checkpoints === undefined
        ? undefined
        : new QuotaRestores({
            checkpoints,
            restore: (check, used) => this.restore(check, used),
            nowUs: () => Math.round(nowMs() * 1000),
          });
    this.repayments = new Repayments({
      degraded: this.degraded,
      decide,
      amend,
      clockMs,
      ...(restores === undefined
        ? {}
        : {
            withKnown: (owed) => restores.withKnown(owed),
            onApplied: (...applied) => restores.applied(...applied),
          }),
    });
    this.leases = new LeaseBook({
      amend,
      nodes,
      clockMs,
      onReading: (...reading) => this.lastKnown.note(...reading),
    });
    const log = new DecisionLog({
      usage: options.usage,
      crossings: new LimitCrossings(
        options.thresholds === undefined ? {} : { thresholds: options.thresholds },
      ),
      offenders: this.offenders,
      sampler: options.sampler,
      checkpoints,
      restores,
    });
    const { policies, degraded, lastKnown, pools, leases } = this;
    this.nowMs = nowMs;
    this.deciderParts = {
      store,
      deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
      policies,
      pools,
      leases,
      denials,
      degraded,
      repayments: this.repayments,
      lastKnown,
      restores,
      log,
      admitKey: budget.admit.bind(budget),
      nextRequestId: () => this.nextRequestId(),
      nodes,
      onReply: options.onReply,
      onStale: options.onStale ?? 'keep',
      unknownApis,
      nowMs,
      clockMs,
    };
    this.decider = new Decider(this.deciderParts);
    this.looker = new Decider({ ...this.deciderParts, admitKey: isAdmitted });
    this.together = new TogetherDecider({ ...this.deciderParts, isAdmitted });
    this.amender = new Amender({
      store,
      policies,
      degraded,
      checkpoints,
      admitKey: isAdmitted,
      unknownApis,
      nowMs,
    });
    this.news = {
      onCleared: (key) => {
        denials.clear(key, clockMs());
        lastKnown.cleared(key);
        leases.cleared(key);
        checkpoints?.clear(key);
      },
      onExhausted: (exhaustion) => lastKnown.hear(exhaustion),
      onSubscribed: () => denials.clearAll(clockMs()),
    };
  }

  limit(request: LimitRequest): Promise<LimitAnswer> {
    return this.decider.decide(request);
  }

  peek(request: LimitRequest): Promise<LimitAnswer> {
    return this.looker.decide(request, { peek: true });
  }

  limitMany(requests: readonly LimitRequest[]): Promise<(LimitAnswer | Problem)[]> {
    return Promise.all(
      requests.map((request) =>
        this.decider.decide(request).catch((error: unknown) => this.problemOf(request, error)),
      ),
    );
  }

  limitTogether(
    requests: readonly (TogetherRequest | Problem)[],
    options: TogetherOptions,
  ): Promise<(LimitAnswer | Problem)[]> {
    return this.together.decide(requests, options);
  }

  async reserve(body: ReserveRequest): Promise<LimitAnswer & { expiresAt: number | null }> {
    assertBody(reserveRequestSchema, body);
    const { expiresInMs = 60_000, ...request } = body;
    // Decided here, in an outage that may last: the store is not asked.
    let replayed = request.requestId !== undefined && this.holds(request.tenant, request.requestId);
    const decider = new Decider({
      ...this.deciderParts,
      onReply: (reply) => {
        if (reply.available) ({ replayed } = reply);
        this.options.onReply(reply);
      },
    });
    // From before it is asked for: it does not come back sooner than it is said to.
    const expiresAt = Math.floor(this.nowMs()) + expiresInMs;
    const answer = await decider.decide(request, { reserveMs: expiresInMs });
    // Without a limit nothing is held; and how long the first one of a repeated request holds, its receipt alone knows.
    const holds = answer.success && answer.policies.length > 0 && !replayed;
    return { ...answer, expiresAt: holds ? expiresAt : null };
  }

  async limitsOf(tenantKey: string, api: string): Promise<TenantLimits> {
    const { limits, revision } = await this.policies.limitsOf(tenantKey, api);
    return {
      tenant: tenantKey,
      api,
      revision,
      limits: limits.map(({ policy, provenance, source }) => ({
        policy,
        summary: summarizeLimit(policy),
        source,
        provenance,
      })),
    };
  }

  reportCapacity(report: CapacityReport): void {
    assertBody(capacityReportSchema, report);
    const { catalogue } = this.options.policies;
    if (catalogue === undefined) throw new TollgateError('not-ready');
    const record = catalogue.pool(report.api, report.pool);
    if (record === undefined) {
      throw new TollgateError('pool-unknown', { detail: `API ${report.api} has no pool ${report.pool}` });
    }
    this.pools.report(compilePool(report.api, record), report);
  }

  takeOffenders(max: number): Offender[] {
    return this.offenders.take(max);
  }

  /** What other nodes should hear of. */
  takeNews(): Exhaustion[] {
    return this.lastKnown.takeNews();
  }

  /** The store is back. */
  recovered(): void {
    void this.repayments.all().then(() => this.degraded.end());
  }

  /** Gives back what is held. */
  async close(): Promise<void> {
    this.pools.close();
    await Promise.all([this.repayments.all(), this.leases.close()]);
  }

  private holds(tenant: string, requestId: string): boolean {
    return this.degraded.holds(receiptKey(tenant, requestId));
  }

  /** What became of one request of many: the others keep their answers, whatever it was. */
  private problemOf(request: unknown, error: unknown): Problem {
    const { requestId } = (request ?? {}) as { requestId?: unknown };
    const id = typeof requestId === 'string' ? requestId : undefined;
    if (error instanceof TollgateError) return error.toProblem(id);
    this.options.onError('a request failed', error);
    return problem('internal', id === undefined ? {} : { requestId: id });
  }

  private async restore(check: Check, used: number): Promise<boolean> {
    return (await this.options.store.amend({ op: 'restore', check, used })).available;
  }

  private nextRequestId(): string {
    this.requests++;
    return `req_${this.options.epoch}${this.requests.toString(36)}`;
  }
}
