import {
  assertLimitRequest,
  type CapacityReport,
  capacityReportSchema,
  type LimitAnswer,
  type LimitPeak,
  type LimitRequest,
  type Offender,
  type Problem,
  parseBody,
  problem,
  type ReserveRequest,
  reserveRequestSchema,
  summarizeLimit,
  type TenantLimits,
  TollgateError,
} from '@tollgate/contracts';
import type { CounterHandlers, Exhaustion, StoreReply } from '@tollgate/limiter/stores';
import { compilePool } from '@tollgate/policy';
import { type AppliedLimit, type AppliedLimits, withoutSpentFloors } from '../counters/counter-book.js';
import { Amender } from './amender.js';
import { Charging, type CheckSet, type StoreOutcome } from './charging.js';
import { type EngineOptions, type EngineParts, engineParts } from './engine-parts.js';
import {
  type AnswerContext,
  countedAnswer,
  degradedAnswer,
  type Uncounted,
  uncountedAnswer,
} from './limit-answer.js';
import type { TogetherOptions, TogetherRequest } from './requests.js';
import { PoolPass, type ResolveOptions, receiptOf, resolve, withBorrowing } from './resolve.js';
import { type TenantOperation, trafficFlagsOf } from './tenant-operations.js';
import { TogetherDecider } from './together-decider.js';

/** A request with its checks, before the counters are charged. */
interface PendingDecision extends CheckSet {
  readonly request: LimitRequest;
  readonly of: TenantOperation;
  readonly cost: number;
  readonly context: AnswerContext;
  readonly pass: PoolPass | undefined;
}

interface DecideOptions {
  /** Reads the counters without charging them. */
  readonly peek: boolean;
  /** Longest time until the reservation expires, ms; 0: the charge is final. */
  readonly reserveMs: number;
  /** Called when the request id was charged before. */
  readonly onReplay: (() => void) | undefined;
}

const CHARGE: DecideOptions = { peek: false, reserveMs: 0, onReplay: undefined };
const PEEK: DecideOptions = { ...CHARGE, peek: true };

export class Engine {
  readonly amender: Amender;
  /** Receives the events of other nodes about counters. */
  readonly counterListener: CounterHandlers;
  private readonly parts: EngineParts;
  private readonly charging: Charging;
  private readonly together: TogetherDecider;
  private readonly forCharge: ResolveOptions;
  private readonly forPeek: ResolveOptions;

  constructor(private readonly options: EngineOptions) {
    const parts = engineParts(options);
    this.parts = parts;
    this.charging = new Charging(parts);
    this.together = new TogetherDecider(parts, this.charging);
    this.amender = new Amender(parts);
    const { denials, lastKnown, leases, checkpoints, clockMs, counters, unknownApis } = parts;
    this.forCharge = { counters, unknownApis, peek: false };
    this.forPeek = { counters, unknownApis, peek: true };
    this.counterListener = {
      onCleared: (key) => {
        denials.clear(key, clockMs());
        lastKnown.cleared(key);
        leases.cleared(key);
        checkpoints?.clear(key);
      },
      onExhausted: (exhaustion) => lastKnown.noteRemote(exhaustion),
      onSubscribed: () => denials.clearAll(clockMs()),
    };
  }

  limit(request: LimitRequest): Promise<LimitAnswer> {
    return this.decide(request, CHARGE);
  }

  peek(request: LimitRequest): Promise<LimitAnswer> {
    return this.decide(request, PEEK);
  }

  /** Decides each request separately, with one call to the store for all. */
  async limitMany(requests: readonly LimitRequest[]): Promise<(LimitAnswer | Problem)[]> {
    const { operations, clockMs } = this.parts;
    const startedMs = clockMs();
    const asked: PendingDecision[] = [];
    const places: number[] = [];
    const answers = requests.map((request, place) =>
      this.attempt(request, () => {
        assertLimitRequest(request);
        const of = operations.find(request);
        if (of === undefined) return this.decide(request, CHARGE);
        const pending = this.begin(of, request, CHARGE, startedMs);
        if ('success' in pending) return pending;
        const outcome = this.charging.chargeEarly(pending, startedMs);
        if (outcome !== undefined) return this.conclude(pending, outcome, CHARGE);
        asked.push(pending);
        places.push(place);
        return undefined;
      }),
    );
    const replies = asked.length === 0 ? [] : await this.charging.chargeAll(asked);
    for (const [i, pending] of asked.entries()) {
      answers[places[i] as number] = this.attempt(pending.request, () =>
        this.conclude(pending, this.charging.conclude(pending, replies[i] as StoreReply, startedMs), CHARGE),
      );
    }
    const isComplete = !answers.some((answer) => answer instanceof Promise);
    if (isComplete) return answers as (LimitAnswer | Problem)[];
    return Promise.all(answers as Promise<LimitAnswer | Problem>[]);
  }

  limitTogether(
    requests: readonly (TogetherRequest | Problem)[],
    options: TogetherOptions,
  ): Promise<(LimitAnswer | Problem)[]> {
    return this.together.decide(requests, options);
  }

  async reserve(body: ReserveRequest): Promise<LimitAnswer & { expiresAt: number | null }> {
    const { expiresInMs, ...request } = parseBody(reserveRequestSchema, body);
    let isReplay = false;
    // Read before the decision, so that the reservation never expires earlier than promised.
    const expiresAt = Math.floor(this.parts.nowMs()) + expiresInMs;
    const answer = await this.decide(request, {
      peek: false,
      reserveMs: expiresInMs,
      onReplay: () => {
        isReplay = true;
      },
    });
    // Only the receipt knows when the first reservation of a repeated id expires.
    const isReserved = answer.success && answer.policies.length > 0 && !isReplay;
    return { ...answer, expiresAt: isReserved ? expiresAt : null };
  }

  async limitsOf(tenantKey: string, api: string): Promise<TenantLimits> {
    const { limits, revision } = await this.parts.policies.limitsOf(tenantKey, api);
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
    parseBody(capacityReportSchema, report);
    const { catalogue } = this.options.policies;
    if (catalogue === undefined) throw new TollgateError('not-ready');
    const record = catalogue.pool(report.api, report.pool);
    if (record === undefined) {
      throw new TollgateError('pool-unknown', { detail: `API ${report.api} has no pool ${report.pool}` });
    }
    this.parts.pools.report(compilePool(report.api, record), report);
  }

  takeOffenders(max: number): Offender[] {
    return this.parts.offenders.take(max);
  }

  takePeaks(max: number): LimitPeak[] {
    return this.parts.peaks.take(max);
  }

  /** Returns the exhausted counters to publish to other nodes. */
  takeExhaustions(): Exhaustion[] {
    return this.parts.lastKnown.takeExhaustions();
  }

  /** Replays local charges to the store, which is available again. */
  recovered(): void {
    const { replay, degraded } = this.parts;
    void replay.replayAll().then(() => degraded.end());
  }

  /** Replays local charges and refunds unused leases. */
  async close(): Promise<void> {
    const { pools, replay, leases } = this.parts;
    pools.close();
    await Promise.all([replay.replayAll(), leases.close()]);
  }

  /** Rejects with a TollgateError as `DecisionPlane.limit`. */
  private decide(request: LimitRequest, options: DecideOptions): Promise<LimitAnswer> {
    const { operations } = this.parts;
    try {
      assertLimitRequest(request);
      const of = operations.find(request);
      // A cached tenant saves an await; each await costs as much as resolving the limits.
      if (of === undefined)
        return operations.load(request).then((loaded) => this.decideFor(loaded, request, options));
      return Promise.resolve(this.decideFor(of, request, options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  private decideFor(
    of: TenantOperation,
    request: LimitRequest,
    options: DecideOptions,
  ): LimitAnswer | Promise<LimitAnswer> {
    const startedMs = this.parts.clockMs();
    const pending = this.begin(of, request, options, startedMs);
    if ('success' in pending) return pending;
    return this.conclude(pending, this.charging.charge(pending, startedMs), options);
  }

  private conclude(
    pending: PendingDecision,
    outcome: StoreOutcome | Promise<StoreOutcome>,
    options: DecideOptions,
  ): LimitAnswer | Promise<LimitAnswer> {
    return outcome instanceof Promise
      ? outcome.then(
          (decided) => this.answerOrRetry(pending, decided, options),
          (error: unknown) => {
            pending.pass?.finish(false, [], []);
            throw error;
          },
        )
      : this.answerOrRetry(pending, outcome, options);
  }

  /** Decides again by the common part of a shared limit if only floors denied the request, which charged nothing then. */
  private answerOrRetry(
    pending: PendingDecision,
    outcome: StoreOutcome,
    options: DecideOptions,
  ): LimitAnswer | Promise<LimitAnswer> {
    const limits = outcome.kind === 'decided' ? withoutSpentFloors(pending, outcome.results) : undefined;
    if (limits === undefined) return this.answer(pending, outcome, options);
    const next = { ...pending, ...limits };
    return this.conclude(next, this.charging.charge(next, this.parts.clockMs()), options);
  }

  /** Returns the checks of a request that the store must decide, or the answer of any other one. */
  private begin(
    of: TenantOperation,
    request: LimitRequest,
    { peek, reserveMs }: DecideOptions,
    startedMs: number,
  ): PendingDecision | LimitAnswer {
    const { nextRequestId, nowMs, pools } = this.parts;
    const resolution = resolve(of, request, nowMs(startedMs), peek ? this.forPeek : this.forCharge);
    const context = {
      revision: of.revision,
      requestId: request.requestId ?? nextRequestId(),
      subject: request.subject,
      reason: resolution.reason,
    };
    if (resolution.kind !== 'limited') return this.uncounted(request, of, resolution, context, peek);
    const { operation, cost, limits } = resolution;
    const isLimited = limits.applied.length > 0;
    const hasPool = operation.pool !== undefined;
    const pass = peek || !hasPool ? undefined : PoolPass.enter(pools, operation, of.at, cost);
    const hasRoom = !hasPool || (peek ? PoolPass.wouldEnter(pools, operation, cost) : pass !== undefined);
    const mayBeRetry = !peek && request.requestId !== undefined && isLimited;
    if (!hasRoom && !mayBeRetry) {
      return this.uncounted(request, of, { success: false, reason: 'POOL_EXHAUSTED', cost }, context, peek);
    }
    if (!isLimited) {
      const { reason, rule } = resolution;
      return this.uncounted(request, of, { success: true, reason, cost, rule }, context, peek);
    }
    let charged = withBorrowing(limits, pass, nowMs);
    const receipt = peek ? undefined : receiptOf(of.record, request, operation, context.requestId, reserveMs);
    if (!peek && receipt === undefined) {
      for (let next: AppliedLimits | undefined = charged; next !== undefined; ) {
        charged = next;
        const local = this.charging.chargeLocally(charged, startedMs);
        next = local && withoutSpentFloors(charged, local.results);
        if (local !== undefined && next === undefined)
          return this.counted(request, of, charged.applied, cost, context, pass, local);
      }
    }
    const { applied, checks } = charged;
    return {
      request,
      of,
      applied,
      checks,
      cost,
      context,
      peek,
      receipt,
      tenant: of.tenant,
      requiresEarlierCharge: !hasRoom,
      pass,
    };
  }

  private answer(pending: PendingDecision, outcome: StoreOutcome, { onReplay }: DecideOptions): LimitAnswer {
    const { request, of, applied, cost, context, peek, pass, receipt } = pending;
    if (outcome.kind === 'new') {
      return this.uncounted(request, of, { success: false, reason: 'POOL_EXHAUSTED', cost }, context, peek);
    }
    if (outcome.kind === 'conflict') {
      pass?.finish(false, [], []);
      throw new TollgateError('request-id-reused', { detail: `requestId ${context.requestId}` });
    }
    if (outcome.kind === 'replay') onReplay?.();
    return this.counted(request, of, applied, cost, context, pass, outcome, peek, receipt !== undefined);
  }

  /** The answer of a request whose counters were checked. */
  private counted(
    request: LimitRequest,
    of: TenantOperation,
    applied: readonly AppliedLimit[],
    cost: number,
    context: AnswerContext,
    pass: PoolPass | undefined,
    { nowUs, results, kind, isDegraded, isLeased }: StoreOutcome,
    peek = false,
    hasReceipt = false,
  ): LimitAnswer {
    const counted = countedAnswer(applied, results, nowUs, cost, context);
    pass?.finish(counted.success && kind !== 'replay', applied, results);
    const answer = isDegraded ? degradedAnswer(counted) : counted;
    if (peek || kind === 'replay') return answer;
    const { log } = this.parts;
    const flags = log.recordsTraffic ? trafficFlagsOf(of, isLeased, hasReceipt) : 0;
    log.count(request, answer, nowUs, of, flags);
    if (!isDegraded) log.note(of, applied, results, answer.success, nowUs);
    return answer;
  }

  private uncounted(
    request: LimitRequest,
    of: TenantOperation,
    outcome: Uncounted,
    context: AnswerContext,
    peek: boolean,
  ): LimitAnswer {
    const answer = uncountedAnswer(outcome, context);
    if (peek) return answer;
    const { log, nowMs } = this.parts;
    log.count(request, answer, nowMs() * 1000, of, log.recordsTraffic ? trafficFlagsOf(of, false, false) : 0);
    return answer;
  }

  /** Of one request of a batch: the answer, or the problem it failed with. */
  private attempt<A>(request: LimitRequest, run: () => A | Promise<A>): A | Problem | Promise<A | Problem> {
    const toProblem = (error: unknown) => this.problemOf(request, error);
    try {
      const answer = run();
      return answer instanceof Promise ? answer.catch(toProblem) : answer;
    } catch (error) {
      return toProblem(error);
    }
  }

  private problemOf(request: unknown, error: unknown): Problem {
    const { requestId } = (request ?? {}) as { requestId?: unknown };
    const id = typeof requestId === 'string' ? requestId : undefined;
    if (error instanceof TollgateError) return error.toProblem(id);
    this.options.onError('a request failed', error);
    return problem('internal', id === undefined ? {} : { requestId: id });
  }
}
