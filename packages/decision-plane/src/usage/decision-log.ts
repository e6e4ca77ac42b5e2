import {
  type AlertRecord,
  type DecisionSample,
  type LimitAnswer,
  type LimitCrossing,
  type LimitPolicy,
  type LimitRequest,
  type LimitResult,
  nominalWindowMs,
  type Outcome,
  type TenantRecord,
} from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import type { AppliedLimit } from '../decide/counter-book.js';
import { getOrAdd } from '../store/bounded-keys.js';
import type { Check, CheckResult } from '../store/decision-store.js';
import { dimensionValue } from '../store/keys.js';
import type { HeavyHitters } from './heavy-hitters.js';
import type { LimitPeaks } from './limit-peaks.js';
import type { QuotaCheckpoints } from './quota-checkpoints.js';
import type { QuotaRestores } from './quota-restores.js';
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
  const { requestId, cost, reason, policy, policies, retryAfter, delayMs, revision } = answer;
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
    limit: policy,
    policies: policies.map(({ name, limit, remaining, reset, mode, success }) => ({
      name,
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
  checkpoints: Pick<QuotaCheckpoints, 'note'> | undefined;
  restores: Pick<QuotaRestores, 'charged'> | undefined;
}

/** Refers to the tally of the last decision of a tenant's operation, to find it without its names. */
export interface TallySlot {
  /** Limit of the tally. */
  tallied: string | null | undefined;
  tally: UsageTally | undefined;
}

export class DecisionLog {
  constructor(private readonly parts: DecisionLogParts) {}

  /** @param slot of the request's tenant and operation */
  count(request: LimitRequest, answer: LimitAnswer, nowUs: number, slot: TallySlot): void {
    const outcome = outcomeOf(answer);
    const { policy: limit } = answer;
    if (slot.tally === undefined || slot.tallied !== limit) {
      slot.tally = this.parts.usage.tally(request.tenant, request.api, request.operation, limit);
      slot.tallied = limit;
    }
    slot.tally.record(outcome, answer.cost, nowUs);
    if (answer.policies.length > 1 && !answer.degraded) this.countCandidates(request, answer, nowUs);
    this.parts.sampler?.note(request, answer, outcome, nowUs);
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
    tenant: TenantRecord,
    applied: readonly AppliedLimit[],
    results: readonly CheckResult[],
    success: boolean,
    nowUs: number,
  ): void {
    for (let i = 0; i < applied.length; i++) {
      const one = applied[i] as AppliedLimit;
      const result = results[i] as CheckResult;
      if (!success) {
        if (!result.allowed && one.mode === 'enforce') this.noteDenial(tenant.tenant, one, result, nowUs);
      } else if (result.allowed && one.mode === 'enforce') {
        this.noteCharge(tenant, one, result, nowUs);
      }
    }
  }

  private noteDenial(tenant: string, one: AppliedLimit, result: CheckResult, nowUs: number): void {
    const { limit, check } = one;
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

  private noteCharge(tenant: TenantRecord, one: AppliedLimit, result: CheckResult, nowUs: number): void {
    const { limit, check } = one;
    const crossed = this.parts.crossings.crossedBy(tenant, limit.stored, check, result, nowUs);
    if (crossed.length > 0) this.parts.usage.addCrossings(crossed);
    this.notePeak(tenant.tenant, one, result, nowUs, 0);
    if (limit.kind !== 'quota') return;
    // A lease reports the units that were left when it was granted.
    const mayLag = limit.stored.consistency?.mode === 'leased';
    this.noteQuota(tenant.tenant, check, result, nowUs, mayLag);
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

/** Reported in addition to the tenant's thresholds. */
const FULL = 100;

/** The usage thresholds of each tenant, percent, ascending. */
export class AlertThresholds {
  private readonly own = new WeakMap<TenantRecord, Map<string, readonly number[]>>();

  /** @param defaults of tenants without settings, ascending */
  constructor(private readonly defaults: readonly number[]) {}

  of(tenant: TenantRecord, { api, name }: Pick<LimitPolicy, 'api' | 'name'>): readonly number[] {
    const { alerts } = tenant;
    if (alerts === undefined) return this.defaults;
    const known = getOrAdd(this.own, tenant, () => new Map());
    return getOrAdd(known, `${api}/${name}`, () => thresholdsOf(alerts, api, name) ?? this.defaults);
  }
}

function thresholdsOf(alerts: readonly AlertRecord[], api: string, name: string): number[] | undefined {
  const setting =
    alerts.find((alert) => alert.api === api && alert.limit === name) ??
    alerts.find((alert) => alert.api === api && alert.limit === undefined) ??
    alerts.find((alert) => alert.api === undefined);
  return setting && [...new Set([...setting.percents, FULL])].sort((a, b) => a - b);
}

const DEFAULT_THRESHOLDS = [80, 100] as const;
const MAX_REMEMBERED = 50_000;
const NONE: readonly LimitCrossing[] = [];

/** Kinds whose usage only grows until the window ends, for all nodes at the same time. */
const ENDS_AT_ONCE: ReadonlySet<string> = new Set([
  'fixed_window',
  'quota',
  'attempts_fixed_window',
  'attempts_quota',
]);

/**
 * Finds the decision whose charge raised a counter's usage to a threshold. Charges of a counter by all nodes are ordered: while its usage only grows, exactly one decision crosses a threshold; a node reports a counter that
 * refills continuously once per window. The `id` names counter, threshold and window, so that consumers can drop
 * duplicates.
 */
export class LimitCrossings {
  private readonly thresholds: AlertThresholds;
  /** Number of the window in which a counter's threshold was reported last. */
  private readonly reportedIn: LRUCache<string, number>;

  /** @param options.thresholds percent, whole, 1 or more, of tenants without settings */
  constructor(options: { thresholds?: readonly number[] | undefined; maxRemembered?: number } = {}) {
    const defaults = [...(options.thresholds ?? DEFAULT_THRESHOLDS)].sort((a, b) => a - b);
    this.thresholds = new AlertThresholds(defaults);
    this.reportedIn = new LRUCache({ max: options.maxRemembered ?? MAX_REMEMBERED });
  }

  /** The highest threshold that this charge crossed. @param result after the charge */
  crossedBy(
    tenant: TenantRecord,
    stored: LimitPolicy,
    check: Check,
    result: CheckResult,
    nowUs: number,
  ): readonly LimitCrossing[] {
    const { capacity } = check.policy;
    const used = capacity - result.remaining;
    const thresholds = this.thresholds.of(tenant, stored);
    if (used * 100 < (thresholds[0] ?? Number.POSITIVE_INFINITY) * capacity) return NONE;
    const before = used - check.cost;
    const percent = thresholds.findLast((threshold) => used * 100 >= threshold * capacity);
    if (percent === undefined || before * 100 >= percent * capacity) return NONE;
    const id = this.newId(stored, check, percent, result, nowUs);
    if (id === undefined) return NONE;
    const { api, name: limit } = stored;
    const atMs = Math.floor(nowUs / 1000);
    return [{ id, tenant: tenant.tenant, api, limit, counter: check.key, percent, used, capacity, atMs }];
  }

  private newId(
    stored: LimitPolicy,
    { key, policy }: Check,
    percent: number,
    { resetAfterUs }: CheckResult,
    nowUs: number,
  ): string | undefined {
    const counter = `${key}|${percent}`;
    // The window's end identifies it on all nodes, also for months and for windows that begin with the first request.
    if (ENDS_AT_ONCE.has(policy.kind)) return `${counter}|${Math.round((nowUs + resetAfterUs) / 1000)}`;
    const window = Math.floor(nowUs / 1000 / nominalWindowMs(stored));
    if (this.reportedIn.get(counter) === window) return undefined;
    this.reportedIn.set(counter, window);
    return `${counter}|${window}`;
  }
}
