import { createHash } from 'node:crypto';
import {
  type FixedWindowPolicy,
  type LimitAnswer,
  MAX_COST,
  type Problem,
  type TenantRecord,
  TollgateError,
} from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import { flatResults } from '../outage/degraded-mode.js';
import { compileLimit } from '../policy/compile.js';
import { assertRequest } from '../policy/request-checks.js';
import { EffectiveLimit } from '../policy/tier-policy.js';
import type { Check, CheckResult, ReceiptOrder } from '../store/decision-store.js';
import { counterKey, dimensionValue, overflowKey } from '../store/keys.js';
import type { DeciderParts } from './decider.js';
import { type AnswerContext, countedAnswer, uncountedAnswer } from './limit-answer.js';
import { PoolPass, withBorrowing } from './pool-pass.js';
import type { TogetherOptions, TogetherRequest } from './requests.js';
import { type AdmitKey, type Applied, receiptOf, resolve, type TenantPolicy } from './resolve.js';
import {
  type Asked,
  decideHere,
  learnQuotas,
  NOT_ASKED,
  noteReply,
  storeRequestOf,
} from './store-decision.js';

/** The limits of several requests as those of one: each counter once. */
export class MergedChecks {
  readonly applied: Applied[] = [];
  private readonly places = new Map<string, number>();

  /**
   * Adds a request's limits. @returns where in `applied` each of them is
   * @throws TollgateError `body-invalid` when they would charge a counter more than one request may cost
   */
  add(applied: readonly Applied[]): number[] {
    return applied.map((one) => {
      const place = this.places.get(one.check.key);
      if (place === undefined) {
        this.places.set(one.check.key, this.applied.length);
        return this.applied.push(one) - 1;
      }
      const before = this.applied[place] as Applied;
      this.applied[place] = { ...before, check: sum(before, one) };
      return place;
    });
  }
}

function sum({ limit, check: a }: Applied, { check: b }: Applied): Check {
  if (a.look === true) return b.look === true ? { ...a, cost: Math.max(a.cost, b.cost) } : b;
  // A slot is a slot, however many parts of a request take it.
  if (b.look === true || limit.kind === 'concurrency') return a;
  const cost = a.cost + b.cost;
  if (cost <= MAX_COST) return { ...a, cost };
  const message = `the requests together cost more than ${MAX_COST}`;
  throw new TollgateError('body-invalid', { errors: [{ field: 'cost', message }] });
}

/** How limits are called that a caller brings along. */
export const CALLERS_LIMIT = 'caller-limit';

/** Limits of callers, by API, number and window, that are kept compiled. */
const MAX_COMPILED = 1000;

/**
 * Limits that callers bring along in the place of configured ones: counted in windows aligned to the clock, by all that the
 * request says, apart from every configured limit. One that comes with another number goes on counting where it was.
 */
export class OverrideLimits {
  private readonly compiled = new LRUCache<string, EffectiveLimit>({ max: MAX_COMPILED });

  /** @param admitKey where it says no, a counter is used that the tenant's further ones share */
  apply(
    request: TogetherRequest & Required<Pick<TogetherRequest, 'override'>>,
    { tenant }: TenantRecord,
    nowMs: number,
    admitKey: AdmitKey,
  ): Applied {
    const { api, operation, subject = {}, override, cost = 1 } = request;
    const limit = this.limitOf(api, override.limit, override.windowMs, nowMs);
    // A window's length is another counter, and no name of a limit has this mark: it never meets a configured one.
    const stem = `${limit.keyStem}!${override.windowMs}`;
    const said = JSON.stringify([operation, Object.entries(subject).sort()]);
    const digest = createHash('sha256').update(said).digest('base64url');
    const ownKey = counterKey(tenant, stem, [dimensionValue('said', digest) ?? digest]);
    const key = admitKey(tenant, ownKey, nowMs) ? ownKey : overflowKey(tenant, stem);
    return { limit, mode: 'enforce', check: { key, policy: limit.policy(nowMs, 'enforce'), cost } };
  }

  private limitOf(api: string, limit: number, windowMs: number, nowMs: number): EffectiveLimit {
    const name = `${api}/${limit}/${windowMs}`;
    let compiled = this.compiled.get(name);
    if (compiled === undefined) {
      const stored = policyOf(api, limit, windowMs);
      compiled = new EffectiveLimit(() => compiledOrThrow(stored), nowMs, false, 'override');
      this.compiled.set(name, compiled);
    }
    return compiled;
  }
}

function policyOf(api: string, limit: number, windowMs: number): FixedWindowPolicy {
  return {
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
}

function compiledOrThrow(stored: FixedWindowPolicy) {
  const result = compileLimit(stored);
  if (result.ok) return result.limit;
  throw new Error(`a caller's limit of ${stored.limit} per ${stored.windowMs} ms cannot be compiled`);
}

export interface TogetherParts extends DeciderParts {
  /** As `admitKey`, for what only looks. */
  isAdmitted: AdmitKey;
}

/** One of the requests, in the making. */
interface Member {
  readonly request: TogetherRequest;
  readonly at: TenantPolicy;
  readonly applied: readonly Applied[];
  readonly cost: number;
  readonly pass: PoolPass | undefined;
  readonly receipt: ReceiptOrder | undefined;
  /** Where its limits are among those of all. */
  places: readonly number[];
  /** The answer where no counter is asked. */
  readonly flat: LimitAnswer | undefined;
}

/** What came of all their limits together. */
interface Outcome {
  readonly nowUs: number;
  readonly results: readonly CheckResult[];
  readonly degraded: boolean;
}

/**
 * Decides several requests as one, of one tenant or of several: all are charged, or none. A counter that several of them meet
 * is charged their sum. They have no request ids: what takes slots holds them until their lease ends.
 */
export class TogetherDecider {
  private readonly overrides = new OverrideLimits();

  constructor(private readonly parts: TogetherParts) {}

  /**
   * The answer to each, in order: `success` is its own; what refused none was charged all the same only if none refused.
   * @param requests a problem stands for one whose caller is not known
   * @throws TollgateError as `DecisionPlane.limit`, but for `tenant-unknown`, which is an answer
   */
  async decide(
    requests: readonly (TogetherRequest | Problem)[],
    { unknownCaller }: TogetherOptions,
  ): Promise<(LimitAnswer | Problem)[]> {
    const { nextRequestId } = this.parts;
    const requestId = nextRequestId();
    const found: (readonly [TogetherRequest, TenantPolicy] | Problem)[] = [];
    for (const request of requests) {
      const at = 'code' in request ? request : (this.atHand(request) ?? (await this.read(request)));
      found.push('code' in request || 'code' in at ? (at as Problem) : [request, at]);
    }
    const { members, known, merged } = this.beginAll(found, requestId);
    const isRefused =
      known.some(({ flat }) => flat?.success === false) ||
      (unknownCaller === 'refuse' && known.length < members.length);
    const asked = this.askedFor(known, merged, isRefused);
    const outcome = merged.length === 0 ? this.nothingAsked() : await this.ask(asked);
    return this.answers(members, outcome, isRefused, requestId);
  }

  private beginAll(
    found: readonly (readonly [TogetherRequest, TenantPolicy] | Problem)[],
    requestId: string,
  ) {
    const members: (Member | Problem)[] = [];
    const known: Member[] = [];
    const merged = new MergedChecks();
    try {
      for (const one of found) {
        const member = 'code' in one ? one : this.begin(...one, { revision: one[1].revision, requestId });
        members.push(member);
        if ('code' in member) continue;
        known.push(member);
        member.places = merged.add(member.applied);
      }
    } catch (error) {
      for (const { pass } of known) pass?.settle(false, [], []);
      throw error;
    }
    return { members, known, merged: merged.applied };
  }

  private atHand(request: TogetherRequest): TenantPolicy | undefined {
    assertRequest(request);
    return this.parts.policies.atHand(request.tenant);
  }

  private async read({ tenant }: TogetherRequest): Promise<TenantPolicy | Problem> {
    try {
      return await this.parts.policies.read(tenant);
    } catch (error) {
      if (error instanceof TollgateError && error.code === 'tenant-unknown') return error.toProblem();
      throw error;
    }
  }

  private begin(request: TogetherRequest, at: TenantPolicy, context: AnswerContext): Member {
    const { nowMs, admitKey, isAdmitted, pools, unknownApis } = this.parts;
    const { look = false, override, cost: sent = 1 } = request;
    const admit = look ? isAdmitted : admitKey;
    const plain = { request, at, pass: undefined, receipt: undefined, applied: [], places: [] };
    const flat = (success: boolean, reason: LimitAnswer['reason'], cost: number): Member => ({
      ...plain,
      cost,
      flat: uncountedAnswer({ success, reason, cost }, context),
    });
    if (at.tenant.status === 'suspended') return flat(false, 'BLOCKED', sent);
    if (override !== undefined) {
      const applied = this.overrides.apply({ ...request, override }, at.tenant, nowMs(), admit);
      return { ...plain, applied: [looking(applied, look)], cost: sent, flat: undefined };
    }
    const resolution = resolve(at.policy, at.tenant, request, nowMs(), { admitKey: admit, unknownApis });
    if (resolution.kind === 'blocked') return flat(false, 'BLOCKED', sent);
    if (resolution.kind === 'no_limit') return flat(true, resolution.reason, resolution.cost);
    const { operation, cost } = resolution;
    const pass = look ? undefined : PoolPass.enter(pools, operation, at, cost);
    const hasRoom = look ? PoolPass.wouldEnter(pools, operation, cost) : pass !== undefined;
    if (!hasRoom) return flat(false, 'POOL_EXHAUSTED', cost);
    if (resolution.applied.length === 0) return { ...flat(true, 'WITHIN_LIMIT', cost), pass };
    return {
      ...plain,
      applied: withBorrowing(resolution.applied, pass, nowMs).map((one) => looking(one, look)),
      cost,
      pass,
      receipt: look ? undefined : receiptOf(at.tenant.tenant, request, operation, context.requestId, 0),
      flat: undefined,
    };
  }

  private askedFor(members: readonly Member[], applied: readonly Applied[], isRefused: boolean): Asked {
    const checks = applied.map(({ check }) => check);
    const peek = isRefused || checks.every(({ look }) => look === true);
    const receipts = members.flatMap(({ receipt }) => receipt ?? []);
    const [first] = receipts;
    // What takes a slot must be found again, to free it: one receipt for all that is charged.
    const receipt =
      peek || first === undefined
        ? undefined
        : { ...first, keepMs: Math.max(...receipts.map(({ keepMs }) => keepMs)) };
    return { applied, checks, peek, receipt };
  }

  private async ask(asked: Asked): Promise<Outcome> {
    const { store, deadlineMs, clockMs, nowMs, repayments, onReply, onStale, policies } = this.parts;
    const { checks, peek, receipt, applied } = asked;
    if (onStale !== 'keep' && policies.isStale(nowMs())) {
      return { nowUs: nowMs() * 1000, results: flatResults(applied, onStale === 'allow'), degraded: true };
    }
    const askedAtMs = clockMs();
    const mayBeHere = !peek && receipt === undefined && !checks.some(({ look }) => look === true);
    const known = mayBeHere ? decideHere(this.parts, asked, askedAtMs) : undefined;
    if (known !== undefined) return { nowUs: known.nowUs, results: known.checks, degraded: false };
    const repaid = repayments.before(checks);
    if (repaid !== undefined && !(await repaid)) {
      onReply(NOT_ASKED);
      return await this.degraded(asked);
    }
    const reply = await store.decide(storeRequestOf(asked, deadlineMs));
    onReply(reply);
    if (!reply.available) return await this.degraded(asked);
    repayments.answered();
    noteReply(this.parts, asked, reply, askedAtMs);
    return { nowUs: reply.nowUs, results: reply.checks, degraded: false };
  }

  private async degraded({ applied, peek, receipt }: Asked): Promise<Outcome> {
    const { degraded, nodes } = this.parts;
    await learnQuotas(this.parts, undefined, applied);
    const { nowUs, results } = degraded.decide(applied, nodes(), peek, receipt);
    return { nowUs, results, degraded: true };
  }

  private nothingAsked(): Outcome {
    return { nowUs: this.parts.nowMs() * 1000, results: [], degraded: false };
  }

  private answers(
    members: readonly (Member | Problem)[],
    outcome: Outcome,
    isRefused: boolean,
    requestId: string,
  ): (LimitAnswer | Problem)[] {
    const answers = members.map((member) =>
      'code' in member ? member : this.answerOf(member, outcome, requestId),
    );
    const passes = !isRefused && answers.every((answer) => 'code' in answer || answer.success);
    for (const [i, member] of members.entries()) {
      if (!('code' in member)) this.conclude(member, answers[i] as LimitAnswer, outcome, passes);
    }
    return answers;
  }

  private answerOf(member: Member, outcome: Outcome, requestId: string): LimitAnswer {
    if (member.flat !== undefined) return member.flat;
    const context = { revision: member.at.revision, requestId };
    const results = resultsOf(member, outcome);
    const answer = countedAnswer(member.applied, results, outcome.nowUs, member.cost, context);
    return outcome.degraded ? { ...answer, used: null, reason: 'DEGRADED', degraded: true } : answer;
  }

  /** What was refused with the others, and not by itself, is told of to nobody: nothing came of it. */
  private conclude(member: Member, answer: LimitAnswer, outcome: Outcome, passes: boolean): void {
    const { request, at, applied, pass } = member;
    const results = resultsOf(member, outcome);
    pass?.settle(passes, applied, results);
    if (request.look === true || answer.success !== passes) return;
    const { log } = this.parts;
    log.count(request, answer, outcome.nowUs);
    if (outcome.degraded || request.override !== undefined || applied.length === 0) return;
    log.note(at.tenant, applied, results, answer.success, outcome.nowUs);
  }
}

function looking(applied: Applied, look: boolean): Applied {
  if (!look) return applied;
  const check: Check = { ...applied.check, look: true };
  return { ...applied, check };
}

function resultsOf({ places }: Member, { results }: Outcome): CheckResult[] {
  return places.map((place) => results[place] as CheckResult);
}
