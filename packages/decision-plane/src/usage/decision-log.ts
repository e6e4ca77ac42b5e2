import {
  type DecisionSample,
  type LimitAnswer,
  type LimitRequest,
  type LimitResult,
  type Outcome,
  type TenantRecord,
} from '@tollgate/contracts';
import { dimensionValue } from '@tollgate/limiter/rules';
import type { Check, CheckResult } from '@tollgate/limiter/stores';
import type { AppliedLimit } from '../counters/counter-book.js';
import type { LimitCrossings } from '../counters/limit-crossings.js';
import type { LimitPeaks } from '../counters/limit-peaks.js';
import type { HeavyHitters } from './heavy-hitters.js';
import type { QuotaCheckpoints } from './quota-checkpoints.js';
import type { QuotaRestores } from './quota-restores.js';
import type { TrafficRecorder } from './traffic-recorder.js';
import type { UsageAggregator, UsageTally } from './usage-aggregator.js';

/** A uniform sample of a stream by algorithm L of Kim-Hung Li (1994); a skipped item costs one subtraction. */
export class Reservoir<T> {
  private items: T[] = [];
  private skip = 0;
  private weight = 1;

  /** @param random returns 0 up to 1 */
  constructor(
    private readonly size: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Call it once for each item: whether it must be {@link put}. */
  wants(): boolean {
    if (this.items.length < this.size) return true;
    if (this.size === 0) return false;
    if (this.skip > 0) {
      this.skip--;
      return false;
    }
    return true;
  }

  put(item: T): void {
    if (this.items.length < this.size) {
      this.items.push(item);
      if (this.items.length < this.size) return;
    } else {
      this.items[Math.floor(this.random() * this.size)] = item;
    }
    this.weight *= this.positive() ** (1 / this.size);
    this.skip = Math.floor(Math.log(this.positive()) / Math.log1p(-this.weight));
  }

  take(): T[] {
    const { items } = this;
    this.items = [];
    this.skip = 0;
    this.weight = 1;
    return items;
  }

  private positive(): number {
    return 1 - this.random();
  }
}

/** Sampled decisions per second. */
export interface SampleSizes {
  allowed: number;
  denied: number;
}

const DEFAULT_SIZES: SampleSizes = { allowed: 50, denied: 100 };

/** Denied decisions have a reservoir of their own, so that few are all kept. */
export class DecisionSampler {
  private readonly allowed: Reservoir<DecisionSample>;
  private readonly denied: Reservoir<DecisionSample>;

  constructor(sizes: Partial<SampleSizes> = {}) {
    this.allowed = new Reservoir(sizes.allowed ?? DEFAULT_SIZES.allowed);
    this.denied = new Reservoir(sizes.denied ?? DEFAULT_SIZES.denied);
  }

  note(request: LimitRequest, answer: LimitAnswer, outcome: Outcome, nowUs: number): void {
    const reservoir = answer.success ? this.allowed : this.denied;
    if (reservoir.wants()) reservoir.put(sampleOf(request, answer, outcome, nowUs));
  }

  take(): DecisionSample[] {
    return [...this.allowed.take(), ...this.denied.take()];
  }
}

function sampleOf(
  { tenant, api, operation, subject }: LimitRequest,
  answer: LimitAnswer,
  outcome: Outcome,
  nowUs: number,
): DecisionSample {
  const { requestId, cost, reason, rule, policy, policies, retryAfter, delayMs, revision } = answer;
  return {
    requestId,
    atMs: Math.floor(nowUs / 1000),
    tenant,
    api,
    operation,
    ...(subject === undefined ? {} : { subject: valuesOf(subject) }),
    cost,
    outcome,
    reason,
    ...(rule === undefined ? {} : { rule }),
    limit: policy,
    policies: policies.map(({ name, label, limit, remaining, reset, mode, success }) => ({
      name,
      ...(label === undefined ? {} : { label }),
      limit,
      remaining,
      reset,
      mode,
      success,
    })),
    retryAfter,
    delayMs,
    revision,
  };
}

function valuesOf(subject: Readonly<Record<string, string>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [dimension, value] of Object.entries(subject)) {
    const written = dimensionValue(dimension, value);
    if (written !== undefined) values[dimension] = written;
  }
  return values;
}

export interface DecisionLogParts {
  usage: Pick<UsageAggregator, 'tally' | 'addCrossings'>;
  crossings: LimitCrossings;
  offenders: HeavyHitters;
  peaks: LimitPeaks;
  sampler: Pick<DecisionSampler, 'note'> | undefined;
  traffic: Pick<TrafficRecorder, 'record'> | undefined;
  checkpoints: Pick<QuotaCheckpoints, 'note'> | undefined;
  restores: Pick<QuotaRestores, 'charged'> | undefined;
}

/** Refers to the tally of the last decision of a tenant's operation, to find it without its names. */
export interface TallySlot {
  /** Limit of the tally. */
  tallied: string | null | undefined;
  tally: UsageTally | undefined;
}

/** Where the decided request came from. */
export interface RecordedOperation {
  readonly tenant: string;
  readonly record: TenantRecord;
}

export class DecisionLog {
  /** Otherwise, flags of decisions are not used. */
  readonly recordsTraffic: boolean;

  constructor(private readonly parts: DecisionLogParts) {
    this.recordsTraffic = parts.traffic !== undefined;
  }

  /** @param slot of the request's tenant and operation @param flags sum of `TRAFFIC_FLAGS` */
  count(request: LimitRequest, answer: LimitAnswer, nowUs: number, slot: TallySlot, flags: number): void {
    const outcome = outcomeOf(answer);
    const { policy: limit } = answer;
    if (slot.tally === undefined || slot.tallied !== limit) {
      slot.tally = this.parts.usage.tally(request.tenant, request.api, request.operation, limit);
      slot.tallied = limit;
    }
    slot.tally.record(outcome, answer.cost, nowUs);
    if (answer.policies.length > 1 && !answer.degraded) this.countCandidates(request, answer, nowUs);
    this.parts.sampler?.note(request, answer, outcome, nowUs);
    this.parts.traffic?.record(request, answer, outcome, nowUs, flags);
  }

  /** Each candidate counts beside its limit, also where another limit decided. */
  private countCandidates(request: LimitRequest, { policies, cost }: LimitAnswer, nowUs: number): void {
    for (let i = 1; i < policies.length; i++) {
      const candidate = policies[i] as LimitResult;
      // A limit is compiled directly before its candidate.
      const live = policies[i - 1] as LimitResult;
      if (candidate.mode !== 'candidate' || candidate.name !== live.name) continue;
      const outcome = live.success ? 'allowed' : live.mode === 'shadow' ? 'shadow_denied' : 'denied';
      const { tenant, api, operation } = request;
      const tally = this.parts.usage.tally(tenant, api, operation, candidate.name);
      tally.recordCandidate(outcome, !candidate.success, cost, nowUs);
    }
  }

  /** Records a decision of the store. Not for peeks and replays. */
  note(
    of: RecordedOperation,
    applied: readonly AppliedLimit[],
    results: readonly CheckResult[],
    success: boolean,
    nowUs: number,
  ): void {
    for (let i = 0; i < applied.length; i++) {
      const one = applied[i] as AppliedLimit;
      const result = results[i] as CheckResult;
      // A limit of the parent is recorded for the parent.
      const owner = one.of ?? of;
      if (!success) {
        if (!result.allowed && one.mode === 'enforce') this.noteDenial(owner.tenant, one, result, nowUs);
      } else if (result.allowed && one.mode === 'enforce') {
        this.noteCharge(owner, one, result, nowUs);
      }
    }
  }

  private noteDenial(tenant: string, one: AppliedLimit, result: CheckResult, nowUs: number): void {
    const { limit, check } = one;
    // Names identify limits there; that of an amount is its limit's.
    if (limit.label !== undefined) return;
    const { api, name } = limit.stored;
    this.parts.offenders.record(tenant, api, name, check.key, check.cost);
    this.notePeak(tenant, one, result, nowUs, check.cost);
  }

  private notePeak(
    tenant: string,
    { limit: { stored }, check, of }: AppliedLimit,
    { remaining, attempts = 0, resetAfterUs }: CheckResult,
    nowUs: number,
    denied: number,
  ): void {
    const { capacity } = check.policy;
    const used = capacity - remaining - attempts;
    // Each request of a GCRA limit takes one unit of its capacity; only the burst beyond it measures how full it is.
    const evenly = stored.algorithm === 'gcra' ? 1 : 0;
    this.parts.peaks.record(
      tenant,
      stored,
      Math.max(0, used - evenly),
      Math.max(1, capacity - evenly),
      denied,
      Math.floor(nowUs / 1000),
      stored.algorithm === 'quota' ? Math.round((nowUs + resetAfterUs) / 1000) : undefined,
      of,
    );
  }

  private noteCharge(
    { tenant, record }: RecordedOperation,
    one: AppliedLimit,
    result: CheckResult,
    nowUs: number,
  ): void {
    const { limit, check } = one;
    if (limit.label === undefined) {
      const crossed = this.parts.crossings.crossedBy(record, limit.stored, check, result, nowUs, one.of);
      if (crossed.length > 0) this.parts.usage.addCrossings(crossed);
      this.notePeak(tenant, one, result, nowUs, 0);
    }
    if (limit.kind !== 'quota') return;
    // A lease reports the units that were left when it was granted.
    const mayLag = limit.stored.consistency?.mode === 'leased';
    this.noteQuota(tenant, check, result, nowUs, mayLag);
  }

  private noteQuota(tenant: string, check: Check, result: CheckResult, nowUs: number, mayLag: boolean): void {
    const { checkpoints, restores } = this.parts;
    if (checkpoints === undefined || restores === undefined) return;
    // Attempts in flight may end without a charge: only failed units count.
    const used = check.policy.capacity - result.remaining - (result.attempts ?? 0);
    const periodEndMs = Math.round((nowUs + result.resetAfterUs) / 1000);
    void restores.charged(tenant, check, periodEndMs, used, nowUs, mayLag);
    checkpoints.note(tenant, check, periodEndMs, used, nowUs);
  }
}

function outcomeOf({ success, degraded, reason }: LimitAnswer): Outcome {
  if (degraded) return success ? 'degraded_allowed' : 'degraded_denied';
  switch (reason) {
    case 'NO_LIMIT':
    case 'EXEMPT':
      return 'no_limit';
    case 'POOL_EXHAUSTED':
      return 'pool_denied';
    case 'SHADOW':
      return 'shadow_denied';
    case 'SOFT_LIMIT':
    case 'ELASTIC':
      return 'over_limit';
    default:
      return success ? 'allowed' : 'denied';
  }
}
