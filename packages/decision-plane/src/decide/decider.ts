import { type LimitAnswer, type LimitRequest, type TenantRecord, TollgateError } from '@tollgate/contracts';
import { type DegradedMode, flatResults, type LocalDecision } from '../outage/degraded-mode.js';
import type { LastKnown } from '../outage/last-known.js';
import type { Repayments } from '../outage/recovery.js';
import { assertRequest } from '../policy/request-checks.js';
import type { PoolBook } from '../pools/pool-book.js';
import type { Check, Decided, DecisionStore, ReceiptOrder, StoreReply } from '../store/decision-store.js';
import type { DecisionLog } from '../usage/decision-log.js';
import type { QuotaRestores } from '../usage/quota-restores.js';
import type { DenialCache } from './denial-cache.js';
import type { LeaseBook } from './lease-book.js';
import { type AnswerContext, countedAnswer, uncountedAnswer } from './limit-answer.js';
import { PoolPass, withBorrowing } from './pool-pass.js';
import type { OnStale, UnknownApis } from './requests.js';
import type { TenantPolicies, TenantPolicy } from './resolve.js';
import { type AdmitKey, type Applied, type Resolution, receiptOf, resolve } from './resolve.js';
import { decideHere, learnQuotas, NOT_ASKED, noteReply, storeRequestOf } from './store-decision.js';

export interface DeciderParts {
  store: DecisionStore;
  /** How long a decision waits for the store where no limit sets it, ms. */
  deadlineMs: number;
  policies: TenantPolicies;
  pools: PoolBook;
  leases: LeaseBook;
  denials: DenialCache;
  degraded: DegradedMode;
  repayments: Repayments;
  lastKnown: LastKnown;
  /** Left out: quotas are as good as the store. */
  restores: QuotaRestores | undefined;
  log: DecisionLog;
  admitKey: AdmitKey;
  nextRequestId: () => string;
  /** Nodes that share the limits, at least 1. */
  nodes: () => number;
  /** Told whether the store answered, for each decision that it was asked for. */
  onReply: (reply: StoreReply) => void;
  onStale: OnStale;
  unknownApis: UnknownApis;
  /** Unix ms. */
  nowMs: () => number;
  /** Monotonic ms. */
  clockMs: () => number;
}

/** A decision in the making. */
interface Case {
  readonly request: LimitRequest;
  readonly tenant: TenantRecord;
  readonly applied: readonly Applied[];
  readonly checks: readonly Check[];
  readonly cost: number;
  readonly context: AnswerContext;
  readonly peek: boolean;
  readonly receipt: ReceiptOrder | undefined;
  readonly pass: PoolPass | undefined;
  /** The pool has no room: passes only if it was charged before. */
  readonly isOutOfPool: boolean;
}

export interface DecideOptions {
  /** Look only: nothing is charged. */
  peek?: boolean;
  /** Held until it is settled or released, ms at most; 0: charged for good. */
  reserveMs?: number;
}

/** Decides requests: finds their limits, asks what has to be asked, and answers. */
export class Decider {
  constructor(private readonly parts: DeciderParts) {}

  /** @throws TollgateError as `DecisionPlane.limit` */
  async decide(
    request: LimitRequest,
    { peek = false, reserveMs = 0 }: DecideOptions = {},
  ): Promise<LimitAnswer> {
    assertRequest(request);
    const { policies } = this.parts;
    // One pause, the store's, where the tenant is at hand: each further one costs as much as resolving does.
    const at = policies.atHand(request.tenant) ?? (await policies.read(request.tenant));
    const begun = this.begin(at, request, peek, reserveMs);
    if ('success' in begun) return begun;
    const { store, deadlineMs, clockMs, degraded, repayments, onReply, onStale } = this.parts;
    if (onStale !== 'keep' && policies.isStale(this.parts.nowMs())) return this.staleAnswer(begun, onStale);
    // Read once: of a decision that asks nobody, clocks are a good part.
    const askedAtMs = clockMs();
    const known = this.answerHere(begun, askedAtMs);
    if (known !== undefined) return known;
    const { checks, receipt } = begun;
    if (receipt !== undefined && degraded.holds(receipt.key)) {
      repayments.requestWanted();
      return await this.degradedAnswer(begun);
    }
    if (begun.isOutOfPool) return await this.answerOutOfPool(begun, askedAtMs);
    const repaid = repayments.before(checks);
    if (repaid !== undefined && !(await repaid)) {
      onReply(NOT_ASKED);
      return await this.degradedAnswer(begun);
    }
    const reply = await store.decide(storeRequestOf(begun, deadlineMs));
    return this.decided(begun, reply, askedAtMs);
  }

  /** A retry of what was charged before is answered as then: it takes nothing of the pool. */
  private async answerOutOfPool(begun: Case, askedAtMs: number): Promise<LimitAnswer> {
    const { request, receipt, cost, context, peek } = begun;
    if (receipt !== undefined) {
      const { store, deadlineMs } = this.parts;
      const look = { ...begun, peek: true, receipt: { ...receipt, expiresAfterMs: 0 } };
      const reply = await store.decide(storeRequestOf(look, deadlineMs));
      if (reply.available && (reply.replayed || reply.conflict))
        return await this.decided(begun, reply, askedAtMs);
    }
    return this.uncounted(request, { success: false, reason: 'POOL_EXHAUSTED', cost }, context, peek);
  }

  private begin(
    at: TenantPolicy,
    request: LimitRequest,
    peek: boolean,
    reserveMs: number,
  ): Case | LimitAnswer {
    const { nextRequestId, nowMs, pools } = this.parts;
    const resolution = resolve(at.policy, at.tenant, request, nowMs(), this.parts);
    const context = { revision: at.revision, requestId: request.requestId ?? nextRequestId() };
    if (resolution.kind !== 'limited') return this.unlimited(request, resolution, context, peek);
    const { operation, cost } = resolution;
    const pass = peek ? undefined : PoolPass.enter(pools, operation, at, cost);
    const isOutOfPool = peek ? !PoolPass.wouldEnter(pools, operation, cost) : pass === undefined;
    const mayBeRetry = !peek && request.requestId !== undefined && resolution.applied.length > 0;
    if (isOutOfPool && !mayBeRetry) {
      return this.uncounted(request, { success: false, reason: 'POOL_EXHAUSTED', cost }, context, peek);
    }
    if (resolution.applied.length === 0) {
      return this.uncounted(request, { success: true, reason: 'WITHIN_LIMIT', cost }, context, peek);
    }
    const applied = withBorrowing(resolution.applied, pass, nowMs);
    const receipt = peek
      ? undefined
      : receiptOf(at.tenant.tenant, request, operation, context.requestId, reserveMs);
    return {
      request,
      tenant: at.tenant,
      applied,
      checks: applied.map(({ check }) => check),
      cost,
      context,
      peek,
      receipt,
      pass,
      isOutOfPool,
    };
  }

  /** The answer where the store need not be asked: a refusal that lasts, or leases that suffice. */
  private answerHere(begun: Case, nowMs: number): LimitAnswer | undefined {
    const { peek, receipt } = begun;
    if (peek || receipt !== undefined) return undefined;
    const known = decideHere(this.parts, begun, nowMs);
    return known === undefined ? undefined : this.answer(begun, known);
  }

  private decided(begun: Case, reply: StoreReply, askedAtMs: number): LimitAnswer | Promise<LimitAnswer> {
    this.parts.onReply(reply);
    if (!reply.available) return this.degradedAnswer(begun);
    this.parts.repayments.answered();
    if (reply.conflict === true) this.refuseReused(begun);
    noteReply(this.parts, begun, reply, askedAtMs);
    return this.answer(begun, reply);
  }

  private answer(begun: Case, { nowUs, checks: results, replayed }: Decided): LimitAnswer {
    const { request, tenant, applied, cost, context, peek, pass } = begun;
    const answer = countedAnswer(applied, results, nowUs, cost, context);
    pass?.settle(answer.success && !replayed, applied, results);
    if (peek || replayed) return answer;
    const { log } = this.parts;
    log.count(request, answer, nowUs);
    log.note(tenant, applied, results, answer.success, nowUs);
    return answer;
  }

  private degradedAnswer(begun: Case): LimitAnswer | Promise<LimitAnswer> {
    const learning = learnQuotas(this.parts, begun.tenant.tenant, begun.applied);
    return learning === undefined ? this.localAnswer(begun) : learning.then(() => this.localAnswer(begun));
  }

  private localAnswer(begun: Case): LimitAnswer {
    const { applied, peek, receipt } = begun;
    const { degraded, nodes } = this.parts;
    const local = degraded.decide(applied, nodes(), peek, receipt);
    if (local.conflict) this.refuseReused(begun);
    return this.degradedBy(begun, local);
  }

  /** The policy is too old to be gone by: nothing is counted. */
  private staleAnswer(begun: Case, onStale: 'deny' | 'allow'): LimitAnswer {
    const results = flatResults(begun.applied, onStale === 'allow');
    return this.degradedBy(begun, { nowUs: this.parts.nowMs() * 1000, results, replayed: false });
  }

  private degradedBy(
    { request, applied, cost, context, peek, pass }: Case,
    { nowUs, results, replayed }: Pick<LocalDecision, 'nowUs' | 'results' | 'replayed'>,
  ): LimitAnswer {
    const counted = countedAnswer(applied, results, nowUs, cost, context);
    pass?.settle(counted.success && !replayed, applied, results);
    // What is left of a share says nothing of what all nodes have used.
    const answer: LimitAnswer = { ...counted, used: null, reason: 'DEGRADED', degraded: true };
    if (!peek && !replayed) this.parts.log.count(request, answer, nowUs);
    return answer;
  }

  /** @throws TollgateError `request-id-reused` */
  private refuseReused({ pass, context: { requestId } }: Case): never {
    pass?.settle(false, [], []);
    throw new TollgateError('request-id-reused', { detail: `requestId ${requestId}` });
  }

  private unlimited(
    request: LimitRequest,
    resolution: Exclude<Resolution, { kind: 'limited' }>,
    context: AnswerContext,
    peek: boolean,
  ): LimitAnswer {
    return resolution.kind === 'no_limit'
      ? this.uncounted(
          request,
          { success: true, reason: resolution.reason, cost: resolution.cost },
          context,
          peek,
        )
      : this.uncounted(
          request,
          { success: false, reason: 'BLOCKED', cost: request.cost ?? 1 },
          context,
          peek,
        );
  }

  private uncounted(
    request: LimitRequest,
    outcome: Pick<LimitAnswer, 'success' | 'reason' | 'cost'>,
    context: AnswerContext,
    peek: boolean,
  ): LimitAnswer {
    const answer = uncountedAnswer(outcome, context);
    if (!peek) this.parts.log.count(request, answer, this.parts.nowMs() * 1000);
    return answer;
  }
}
