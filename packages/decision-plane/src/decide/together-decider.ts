import { createHash } from 'node:crypto';
import {
  assertLimitRequest,
  type FixedWindowPolicy,
  type LimitAnswer,
  MAX_COST,
  type Problem,
  type TenantRecord,
  TollgateError,
} from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import {
  compileLimit,
  counterKey,
  dimensionValue,
  overflowKey,
  tenantTag,
  toWire,
} from '@tollgate/limiter/rules';
import type { Check, CheckResult, ReceiptOrder } from '@tollgate/limiter/stores';
import { EffectiveLimit, LIVE } from '@tollgate/policy';
import { TRAFFIC_FLAGS } from '@tollgate/replay';
import { LRUCache } from 'lru-cache';
import { type AppliedLimit, withoutSpentFloors } from '../counters/counter-book.js';
import type { Charging, CheckSet, StoreOutcome } from './charging.js';
import type { EngineParts } from './engine-parts.js';
import {
  type AnswerContext,
  countedAnswer,
  degradedAnswer,
  type Uncounted,
  uncountedAnswer,
} from './limit-answer.js';
import type { TogetherOptions, TogetherRequest } from './requests.js';
import { PoolPass, receiptOf, resolve, withBorrowing } from './resolve.js';
import { type TenantOperation, trafficFlagsOf } from './tenant-operations.js';
import type { TenantPolicy } from './tenant-policies.js';

/** Whether a tenant may have a counter with this key. */
type AdmitKey = (tenant: string, key: string, nowMs: number) => boolean;

interface Member {
  readonly request: TogetherRequest;
  readonly at: TenantPolicy;
  readonly of: TenantOperation;
  applied: readonly AppliedLimit[];
  readonly cost: number;
  readonly pass: PoolPass | undefined;
  readonly receipt: ReceiptOrder | undefined;
  /** Indexes of its limits among the merged limits of the group. */
  indexes: readonly number[];
  readonly context: AnswerContext;
  /** The answer if no counter has to be checked. */
  readonly uncounted: LimitAnswer | undefined;
}

type GroupOutcome = Pick<StoreOutcome, 'nowUs' | 'results' | 'isDegraded' | 'isLeased'>;

/** Decides several requests as one: all are charged or none. A counter that several requests use is charged their sum. */
export class TogetherDecider {
  private readonly overrides = new OverrideLimits();

  constructor(
    private readonly parts: EngineParts,
    private readonly charging: Charging,
  ) {}

  /**
   * Answers in order. `success` is the request's own; it was charged only if all succeeded.
   * @throws TollgateError as `DecisionPlane.limit`, except `tenant-unknown` and `api-unknown`, which are returned as problems
   */
  async decide(
    requests: readonly (TogetherRequest | Problem)[],
    { unknownCaller }: TogetherOptions,
  ): Promise<(LimitAnswer | Problem)[]> {
    const requestId = this.parts.nextRequestId();
    const found: (readonly [TogetherRequest, TenantOperation] | Problem)[] = [];
    for (const request of requests) {
      const of = 'code' in request ? request : (this.find(request) ?? (await this.load(request)));
      found.push('code' in request || 'code' in of ? (of as Problem) : [request, of]);
    }
    const { members, known } = this.beginAll(found, requestId);
    const isDenied =
      known.some(({ uncounted }) => uncounted?.success === false) ||
      (unknownCaller === 'deny' && known.length < members.length);
    const outcome = await this.outcomeOf(known, isDenied);
    return this.answers(members, outcome, isDenied);
  }

  /** Decides again by the common part of shared limits while only floors deny. */
  private async outcomeOf(known: readonly Member[], isDenied: boolean): Promise<GroupOutcome> {
    try {
      for (;;) {
        const merged = mergedLimits(known);
        if (merged.length === 0) {
          return { nowUs: this.parts.nowMs() * 1000, results: [], isDegraded: false, isLeased: false };
        }
        const outcome = await this.chargeMerged(checkSetOf(known, merged, isDenied));
        if (withoutSpentFloors({ applied: merged }, outcome.results) === undefined) return outcome;
        for (const member of known) {
          const next = withoutSpentFloors(member, resultsOf(member, outcome));
          if (next !== undefined) member.applied = next.applied;
        }
      }
    } catch (error) {
      for (const { pass } of known) pass?.finish(false, [], []);
      throw error;
    }
  }

  private beginAll(
    found: readonly (readonly [TogetherRequest, TenantOperation] | Problem)[],
    requestId: string,
  ) {
    const members: (Member | Problem)[] = [];
    const known: Member[] = [];
    try {
      for (const one of found) {
        if ('code' in one) {
          members.push(one);
          continue;
        }
        const [request, of] = one;
        const context = { revision: of.at.revision, requestId, subject: request.subject };
        const member = this.beginKnown(request, of, context);
        members.push(member);
        if (!('code' in member)) known.push(member);
      }
    } catch (error) {
      for (const { pass } of known) pass?.finish(false, [], []);
      throw error;
    }
    return { members, known };
  }

  private chargeMerged(set: CheckSet): StoreOutcome | Promise<StoreOutcome> {
    const startedMs = this.parts.clockMs();
    const isLocalAllowed =
      !set.peek && set.receipt === undefined && !set.checks.some(({ look }) => look === true);
    const local = isLocalAllowed ? this.charging.chargeLocally(set, startedMs) : undefined;
    return local ?? this.charging.charge(set, startedMs);
  }

  private find(request: TogetherRequest): TenantOperation | undefined {
    assertLimitRequest(request);
    return this.parts.operations.find(request);
  }

  private async load(request: TogetherRequest): Promise<TenantOperation | Problem> {
    try {
      return await this.parts.operations.load(request);
    } catch (error) {
      return unknownProblemOf(error);
    }
  }

  private beginKnown(
    request: TogetherRequest,
    of: TenantOperation,
    context: AnswerContext,
  ): Member | Problem {
    try {
      return this.begin(request, of, context);
    } catch (error) {
      return unknownProblemOf(error);
    }
  }

  private begin(request: TogetherRequest, of: TenantOperation, context: AnswerContext): Member {
    const { nowMs, pools, counters, unknownApis } = this.parts;
    const { look = false, override } = request;
    const { at } = of;
    const plain = { request, at, of, context, pass: undefined, receipt: undefined, applied: [], indexes: [] };
    const uncounted = (outcome: Uncounted): Member => ({
      ...plain,
      cost: outcome.cost,
      uncounted: uncountedAnswer(outcome, context),
    });
    // Also of a limit that the caller sent, subjects can be denied or exempt.
    const access = override === undefined ? undefined : of.rules?.accessOf(request.subject, nowMs());
    if (override !== undefined && !of.isSuspended && access === undefined) {
      const admitKey = look ? this.parts.isKeyAdmitted : this.parts.admitKey;
      const applied = this.overrides.apply({ ...request, override }, at.tenant, nowMs(), admitKey);
      return { ...plain, applied: [looking(applied, look)], cost: request.cost ?? 1, uncounted: undefined };
    }
    const resolution = resolve(of, request, nowMs(), { counters, unknownApis, peek: look });
    if (resolution.kind !== 'limited') return uncounted(resolution);
    const { operation, cost, reason, rule } = resolution;
    const pass = look ? undefined : PoolPass.enter(pools, operation, at, cost);
    const hasRoom = look ? PoolPass.wouldEnter(pools, operation, cost) : pass !== undefined;
    if (!hasRoom) return uncounted({ success: false, reason: 'POOL_EXHAUSTED', cost });
    if (resolution.limits.applied.length === 0) {
      return { ...uncounted({ success: true, reason, cost, rule }), pass };
    }
    return {
      ...plain,
      applied: withBorrowing(resolution.limits, pass, nowMs).applied.map((one) => looking(one, look)),
      cost,
      context: { ...context, reason },
      pass,
      receipt: look ? undefined : receiptOf(at.tenant, request, operation, context.requestId, 0),
      uncounted: undefined,
    };
  }

  private answers(
    members: readonly (Member | Problem)[],
    outcome: GroupOutcome,
    isDenied: boolean,
  ): (LimitAnswer | Problem)[] {
    const answers = members.map((member) => ('code' in member ? member : this.answerOf(member, outcome)));
    const isCharged = !isDenied && answers.every((answer) => 'code' in answer || answer.success);
    for (const [i, member] of members.entries()) {
      if ('code' in member) continue;
      const isAlone = members.length === 1 && member.request.override === undefined;
      const flags = isAlone ? 0 : TRAFFIC_FLAGS.together;
      this.conclude(member, answers[i] as LimitAnswer, outcome, isCharged, flags);
    }
    return answers;
  }

  private answerOf(member: Member, outcome: GroupOutcome): LimitAnswer {
    if (member.uncounted !== undefined) return member.uncounted;
    const results = resultsOf(member, outcome);
    const answer = countedAnswer(member.applied, results, outcome.nowUs, member.cost, member.context);
    return outcome.isDegraded ? degradedAnswer(answer) : answer;
  }

  /** Allowed but not charged, because another one was denied, is not reported as usage. */
  private conclude(
    member: Member,
    answer: LimitAnswer,
    outcome: GroupOutcome,
    isCharged: boolean,
    flags: number,
  ): void {
    const { request, of, applied, pass, receipt } = member;
    const results = resultsOf(member, outcome);
    pass?.finish(isCharged, applied, results);
    if (request.look === true || answer.success !== isCharged) return;
    const { log } = this.parts;
    const { nowUs, isLeased } = outcome;
    const all = log.recordsTraffic ? flags | trafficFlagsOf(of, isLeased, receipt !== undefined) : 0;
    log.count(request, answer, nowUs, of, all);
    if (outcome.isDegraded || request.override !== undefined || applied.length === 0) return;
    log.note(of, applied, results, answer.success, nowUs);
  }
}

/** @throws each other error */
function unknownProblemOf(error: unknown): Problem {
  const isUnknown =
    error instanceof TollgateError && (error.code === 'tenant-unknown' || error.code === 'api-unknown');
  if (!isUnknown) throw error;
  return error.toProblem();
}

function checkSetOf(
  members: readonly Member[],
  applied: readonly AppliedLimit[],
  isDenied: boolean,
): CheckSet {
  const checks = applied.map(({ check }) => check);
  const peek = isDenied || checks.every(({ look }) => look === true);
  const receipts = members.flatMap(({ receipt }) => receipt ?? []);
  const [first] = receipts;
  // One receipt for the whole charge, by which its permits are released.
  const receipt =
    peek || first === undefined
      ? undefined
      : { ...first, keepMs: Math.max(...receipts.map(({ keepMs }) => keepMs)) };
  return { applied, checks, peek, receipt, tenant: undefined, requiresEarlierCharge: false };
}

function looking(applied: AppliedLimit, look: boolean): AppliedLimit {
  if (!look) return applied;
  const check: Check = { ...applied.check, look: true };
  return { ...applied, check };
}

function resultsOf({ indexes }: Member, { results }: GroupOutcome): CheckResult[] {
  return indexes.map((index) => results[index] as CheckResult);
}

/** The limits of all members, whose `indexes` it sets. */
function mergedLimits(members: readonly Member[]): readonly AppliedLimit[] {
  const merged = new MergedChecks();
  for (const member of members) member.indexes = merged.add(member.applied);
  return merged.applied;
}

class MergedChecks {
  readonly applied: AppliedLimit[] = [];
  private readonly indexes = new Map<string, number>();

  /** Returns the limits' indexes in `applied`. @throws TollgateError `body-invalid` above `MAX_COST` for one counter */
  add(applied: readonly AppliedLimit[]): number[] {
    return applied.map((one) => {
      const index = this.indexes.get(one.check.key);
      if (index === undefined) {
        this.indexes.set(one.check.key, this.applied.length);
        return this.applied.push(one) - 1;
      }
      const before = this.applied[index] as AppliedLimit;
      this.applied[index] = { ...before, check: sum(before, one) };
      return index;
    });
  }
}

function sum({ limit, check: a }: AppliedLimit, { check: b }: AppliedLimit): Check {
  if (a.look === true) return b.look === true ? { ...a, cost: Math.max(a.cost, b.cost) } : b;
  // Concurrency: the group occupies one permit, however many of its requests use the limit.
  if (b.look === true || limit.kind === 'concurrency') return a;
  const cost = a.cost + b.cost;
  if (cost <= MAX_COST) return { ...a, cost };
  const message = `the requests together cost more than ${MAX_COST}`;
  throw new TollgateError('body-invalid', { errors: [{ field: 'cost', message }] });
}

const CALLERS_LIMIT = 'caller-limit';
const MAX_COMPILED = 1000;

/** Limits that callers send: clock-aligned windows per operation and subject, on counters independent of the number. */
class OverrideLimits {
  private readonly compiled = new LRUCache<string, EffectiveLimit>({ max: MAX_COMPILED });

  apply(
    request: TogetherRequest & Required<Pick<TogetherRequest, 'override'>>,
    record: TenantRecord,
    nowMs: number,
    admitKey: AdmitKey,
  ): AppliedLimit {
    const tag = tenantTag(record);
    const { api, operation, subject = {}, override, cost = 1 } = request;
    const limit = this.limitOf(api, override.limit, override.windowMs, nowMs);
    // Limit names cannot contain `!`, so these keys never collide with those of configured limits.
    const stem = `${limit.keyStem}!${override.windowMs}`;
    const described = JSON.stringify([operation, Object.entries(subject).sort()]);
    const digest = createHash('sha256').update(described).digest('base64url');
    const ownKey = counterKey(tag, stem, [dimensionValue('request', digest) ?? digest]);
    const key = admitKey(record.tenant, ownKey, nowMs) ? ownKey : overflowKey(tag, stem);
    const check = { key, policy: limit.policy(nowMs, 'enforce'), cost };
    return { limit, mode: 'enforce', check };
  }

  private limitOf(api: string, limit: number, windowMs: number, nowMs: number): EffectiveLimit {
    return getOrAdd<string, EffectiveLimit>(this.compiled, `${api}/${limit}/${windowMs}`, () => {
      const stored: FixedWindowPolicy = {
        name: CALLERS_LIMIT,
        api,
        operations: [],
        per: [],
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit,
        windowMs,
        alignment: 'clock',
      };
      const compile = () => {
        const result = compileLimit(stored);
        if (!result.ok) throw new Error(`a caller's limit of ${limit} per ${windowMs} ms cannot be compiled`);
        // A limit of 0 compiles to the lowest one, because nodes decide configured ones without a counter.
        const { policy } = result.limit;
        return limit > 0 ? result.limit : { ...result.limit, policy: toWire({ ...policy, capacity: 0 }) };
      };
      return new EffectiveLimit(compile, nowMs, LIVE, 'override');
    });
  }
}
