import type { LimitRequest, TenantRecord } from '@tollgate/contracts';
import { counterKey, globalTag, overflowKey, tenantTag, withoutPenalty } from '@tollgate/limiter/rules';
import type { Check, CheckResult } from '@tollgate/limiter/stores';
import { type EffectiveLimit, type LimitMode, modeOf, type SubjectRules } from '@tollgate/policy';
import { HashedCache, hashOn } from './hashed-cache.js';
import type { KeyBudget } from './key-budget.js';
import type { Lease, LeaseSlot } from './lease-book.js';
import type { ThresholdSlot } from './limit-crossings.js';
import type { Peak, PeakSlot } from './limit-peaks.js';

/** About 400 bytes each. */
const MAX_COUNTERS = 131_072;

export interface AppliedLimit {
  readonly limit: EffectiveLimit;
  readonly mode: LimitMode;
  readonly check: Check;
  /** Undefined for a limit that the caller sent. */
  readonly of?: TenantLimit;
  /** Undefined for a counter that is not the request's own. */
  readonly slot?: LeaseSlot;
  /** Of a floor: the common part, which decides once the floor is spent. */
  readonly otherwise?: AppliedLimit;
}

/** Limits of a request: `checks[i]` belongs to `applied[i]`. */
export interface AppliedLimits {
  readonly applied: readonly AppliedLimit[];
  readonly checks: readonly Check[];
}

/**
 * The limits for another attempt of a request that only floors denied: with the common part of each of them. Undefined: something else
 * denied it, or nothing did.
 */
export function withoutSpentFloors(
  { applied }: Pick<AppliedLimits, 'applied'>,
  results: readonly CheckResult[],
): AppliedLimits | undefined {
  let hasSpent = false;
  for (let i = 0; i < applied.length; i++) {
    const { mode, otherwise } = applied[i] as AppliedLimit;
    if (mode !== 'enforce' || results[i]?.allowed !== false) continue;
    if (otherwise === undefined) return undefined;
    hasSpent = true;
  }
  if (!hasSpent) return undefined;
  const next = applied.map((one, i) => (results[i]?.allowed === false ? (one.otherwise ?? one) : one));
  return { applied: next, checks: next.map(({ check }) => check) };
}

let limits = 0;

/** A limit of one tenant, for its own requests or those of a child. */
export class TenantLimit implements PeakSlot, ThresholdSlot {
  peak: Peak | undefined;
  thresholds: readonly number[] | undefined;
  /** Start of the hash of its counters. */
  readonly hash = Math.imul(++limits, 0x9e3779b1);
  /** Its only counter, if it has no dimensions. */
  alone: Counter | undefined;
  readonly tenant: string;
  private readonly tag: string;

  constructor(
    readonly limit: EffectiveLimit,
    readonly record: TenantRecord,
    /** Whether further requests will use this object, and so its counters. */
    readonly isKept: boolean,
    /** Rules of subjects for the API of the limit; undefined: none. */
    readonly rules: SubjectRules | undefined,
    /** Whether it limits the requests of a child of `record`. */
    readonly isParents = false,
    /** Of the counter of a limit without dimensions. */
    readonly values: readonly string[] = [],
    /** Of a floor: the common part of its limit. */
    readonly otherwise?: TenantLimit,
  ) {
    this.tenant = record.tenant;
    this.tag = limit.isGlobal ? globalTag(limit.stored.api) : tenantTag(record);
  }

  /**
   * Id of the rule that changed the limit for a subject; undefined: none did.
   * @param limit in effect for the subject
   */
  ruleOf(limit: EffectiveLimit, subject: LimitRequest['subject'], nowMs: number): string | undefined {
    if (limit.source !== 'subject_rule') return undefined;
    return this.rules?.changingRuleOf(limit.stored, limit.dimensions, subject, nowMs);
  }

  keyOf(values: readonly string[]): string {
    return counterKey(this.tag, this.limit.keyStem, values);
  }

  overflowKey(): string {
    return overflowKey(this.tag, this.limit.keyStem);
  }
}

/** A counter of a tenant's limit, with the check of its last request. */
export class Counter implements LeaseSlot {
  lease: Lease | undefined;
  /** Period of the key budget in which its key was admitted. */
  admittedIn = -1;
  private last: AppliedLimit | undefined;
  private lastAlone: AppliedLimits | undefined;

  constructor(
    readonly of: TenantLimit,
    readonly value: string,
    readonly key: string,
    readonly mode: LimitMode,
  ) {}

  /** @param limit in effect for the request: that of `of`, or changed */
  applied(limit: EffectiveLimit, units: number, nowMs: number): AppliedLimit {
    const { of, key, mode, last } = this;
    const policy = limit.policy(nowMs, mode);
    if (last !== undefined && last.check.cost === units && last.check.policy === policy) return last;
    this.last = { limit, mode, check: { key, policy, cost: units }, of, slot: this };
    return this.last;
  }

  /** For a request with one limit. @param one from this counter */
  alone(one: AppliedLimit): AppliedLimits {
    if (this.lastAlone?.applied[0] !== one) this.lastAlone = { applied: [one], checks: [one.check] };
    return this.lastAlone;
  }

  overflow(limit: EffectiveLimit, units: number, nowMs: number): AppliedLimit {
    // The own key decides the mode, also in overflow: the shared key would enforce the limit for all callers or for none.
    const { of, mode } = this;
    // Without a penalty: one caller's denials would block all others that share the key.
    const policy = withoutPenalty(limit.policy(nowMs, mode));
    return { limit, mode, check: { key: of.overflowKey(), policy, cost: units }, of };
  }
}

/** Counters of recent requests: their keys are built, hashed and admitted once. */
export class CounterBook extends HashedCache<Counter, TenantLimit, string> {
  constructor(private readonly budget: KeyBudget) {
    super(MAX_COUNTERS);
  }

  /** @param value distinguishes the limit's counters @param values returns the encoded values of the key */
  counter(of: TenantLimit, value: string, values: () => readonly string[]): Counter {
    const hash = hashOn(of.hash, value);
    const known = this.get(hash, of, value);
    if (known !== undefined) return known;
    const counter = newCounter(of, value, values());
    if (of.isKept) this.add(hash, counter, of, value);
    return counter;
  }

  /** The counter of a limit without dimensions. */
  counterAlone(of: TenantLimit): Counter {
    of.alone ??= newCounter(of, '', of.values);
    return of.alone;
  }

  /**
   * A check of `units`; on the limit's overflow counter if the tenant's key budget is spent. A peek spends none of it.
   * @param limit in effect for the request
   */
  check(counter: Counter, limit: EffectiveLimit, units: number, nowMs: number, peek: boolean): AppliedLimit {
    const { of, key } = counter;
    if (of.limit.dimensions.length > 0) {
      const period = this.budget.periodAt(nowMs);
      if (counter.admittedIn !== period) {
        const admit = peek ? 'isAdmitted' : 'admit';
        if (!this.budget[admit](of.tenant, key, nowMs)) return counter.overflow(limit, units, nowMs);
        if (!peek) counter.admittedIn = period;
      }
    }
    return counter.applied(limit, units, nowMs);
  }

  protected override matches(counter: Counter, of: TenantLimit, value: string): boolean {
    return counter.of === of && counter.value === value;
  }
}

function newCounter(of: TenantLimit, value: string, values: readonly string[]): Counter {
  const key = of.keyOf(values);
  return new Counter(of, value, key, modeOf(of.limit, key));
}
