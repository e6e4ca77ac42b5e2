import { TollgateError } from '@tollgate/contracts';
import type { CheckResult, Decided, ReceiptOrder, StoreReply, StoreRequest } from '@tollgate/limiter/stores';
import type { AppliedLimit, AppliedLimits } from '../counters/counter-book.js';
import type { LeaseBook } from '../counters/lease-book.js';
import { uniformResults } from '../outage/degraded-mode.js';
import type { EngineParts } from './engine-parts.js';

/** Reply used while local (outage) charges have not been replayed to the store. */
const NOT_REPLAYED: StoreReply = { available: false, reason: 'suspended' };

/** Reply used while the usage of an emptied quota counter is unknown. */
const UNRESTORED: StoreReply = { available: false, reason: 'unrestored' };

/** Checks that are charged together or not at all. */
export interface CheckSet extends AppliedLimits {
  readonly peek: boolean;
  readonly receipt: ReceiptOrder | undefined;
  /** Undefined: derived from the counters' keys. */
  readonly tenant: string | undefined;
  /** Charges nothing: allows the request only if its id was charged before. */
  readonly requiresEarlierCharge: boolean;
}

export interface StoreOutcome {
  readonly nowUs: number;
  readonly results: readonly CheckResult[];
  /**
   * `replay`: the request id was charged before; these are the results of that time. `conflict`: the request id belongs to a
   * different request. `new`: only a retry was admitted, and this is none. Nothing was decided by the last two.
   */
  readonly kind: 'decided' | 'replay' | 'conflict' | 'new';
  readonly isDegraded: boolean;
  readonly isLeased: boolean;
}

/** Charges by the fastest source that can: leases, cached denials, the store, or local shares in an outage. */
export class Charging {
  constructor(private readonly parts: EngineParts) {}

  /**
   * The outcome under a stale policy, by a cached denial or by leases that cover all checks; undefined: {@link charge}. Not for
   * a peek, nor for a request with a receipt.
   * @param startedMs monotonic, just read: clocks are a large part of the cost of a local decision
   */
  chargeLocally({ applied, checks }: AppliedLimits, startedMs: number): StoreOutcome | undefined {
    const { denials, leases, nowMs } = this.parts;
    const stale = this.staleOutcome(applied, startedMs);
    if (stale !== undefined) return stale;
    const denial = denials.find(checks, startedMs);
    if (denial !== undefined) return outcomeOf(denial);
    const results = spendLeases(leases, applied, startedMs);
    if (results === undefined) return undefined;
    const { check, slot } = applied[0] as AppliedLimit;
    const nowUs = leases.storeNowUs(check.key, startedMs, slot) ?? nowMs(startedMs) * 1000;
    return { nowUs, results, kind: 'decided', isDegraded: false, isLeased: true };
  }

  /**
   * @param startedMs monotonic, just read
   * @throws TollgateError `overloaded`, asynchronously: nothing was charged
   */
  charge(set: CheckSet, startedMs: number): StoreOutcome | Promise<StoreOutcome> {
    return this.chargeEarly(set, startedMs) ?? this.chargeStore(set, startedMs);
  }

  /** Calls the store once for sets that {@link chargeEarly} left to it; {@link conclude} each reply. */
  chargeAll(sets: readonly CheckSet[]): Promise<readonly StoreReply[]> {
    const { store, deadlineMs } = this.parts;
    const requests = sets.map((set) => storeRequestOf(set, deadlineMs));
    return store.chargeAll?.(requests) ?? Promise.all(requests.map((request) => store.charge(request)));
  }

  /** As {@link charge}, but undefined for a usual request, which the store has to decide. */
  chargeEarly(set: CheckSet, startedMs: number): StoreOutcome | Promise<StoreOutcome> | undefined {
    const { degraded, replay, restores } = this.parts;
    const stale = this.staleOutcome(set.applied, startedMs);
    if (stale !== undefined) return stale;
    if (set.receipt !== undefined && degraded.hasReceipt(set.receipt.key)) {
      replay.retryRequested();
      return this.chargeDegraded(set);
    }
    if (set.requiresEarlierCharge) return this.findEarlierCharge(set, startedMs);
    const replayed = replay.prepare(set.checks);
    if (replayed !== undefined) return this.chargeAfter(replayed, set, startedMs);
    return restores?.unverified(set.applied) === undefined ? undefined : this.chargeVerified(set, startedMs);
  }

  private staleOutcome(applied: readonly AppliedLimit[], startedMs: number): StoreOutcome | undefined {
    const { onStale, policies, nowMs } = this.parts;
    if (onStale === 'keep') return undefined;
    const atMs = nowMs(startedMs);
    if (!policies.isStale(atMs)) return undefined;
    return degradedOutcome(atMs * 1000, uniformResults(applied, onStale === 'allow'));
  }

  private async chargeAfter(
    replayed: false | Promise<boolean>,
    set: CheckSet,
    startedMs: number,
  ): Promise<StoreOutcome> {
    if (await replayed) return this.chargeVerified(set, startedMs);
    this.parts.onReply(NOT_REPLAYED);
    return this.chargeDegraded(set);
  }

  /** Decides once the quota counters contain all known usage. */
  private async chargeVerified(set: CheckSet, startedMs: number): Promise<StoreOutcome> {
    const { restores, onReply } = this.parts;
    const unverified = restores?.unverified(set.applied);
    if (restores === undefined || unverified === undefined) return this.chargeStore(set, startedMs);
    const verified = await restores.verify(unverified, set.tenant);
    if (!verified.available) return this.conclude(set, verified, startedMs);
    if (verified.unknown.size === 0) return this.chargeStore(set, startedMs);
    onReply(UNRESTORED);
    return this.chargeDegraded(set, restores.isAwaited ? verified.unknown : undefined);
  }

  private chargeStore(set: CheckSet, startedMs: number): Promise<StoreOutcome> {
    const { store, deadlineMs } = this.parts;
    return store
      .charge(storeRequestOf(set, deadlineMs))
      .then((reply) => this.conclude(set, reply, startedMs));
  }

  /** A retry of a charged request gets the same answer without using the pool again. */
  private async findEarlierCharge(set: CheckSet, startedMs: number): Promise<StoreOutcome> {
    const { store, deadlineMs, nowMs } = this.parts;
    const isNew = (): StoreOutcome => {
      return { nowUs: nowMs() * 1000, results: [], kind: 'new', isDegraded: false, isLeased: false };
    };
    if (set.receipt === undefined) return isNew();
    const lookup = { ...set, peek: true, receipt: { ...set.receipt, expiresAfterMs: 0 } };
    const reply = await store.charge(storeRequestOf(lookup, deadlineMs));
    const isKnown = reply.available && (reply.replayed || reply.conflict === true);
    return isKnown ? this.conclude(set, reply, startedMs) : isNew();
  }

  /** The outcome of the store's reply to a set. Rejects with TollgateError `overloaded`. */
  conclude(set: CheckSet, reply: StoreReply, startedMs: number): StoreOutcome | Promise<StoreOutcome> {
    const { onReply, replay } = this.parts;
    if (!reply.available && reply.reason === 'overloaded') return Promise.reject(overloaded());
    onReply(reply);
    if (!reply.available) return this.chargeDegraded(set);
    replay.onStoreAnswered();
    if (reply.conflict !== true) this.remember(set, reply, startedMs);
    return outcomeOf(reply);
  }

  /** @param unknown keys of counters whose usage is not known yet */
  private chargeDegraded(set: CheckSet, unknown?: ReadonlySet<string>): StoreOutcome | Promise<StoreOutcome> {
    const { restores, degraded, lastKnown, nodes } = this.parts;
    const decide = () => {
      const local = degraded.charge(set.applied, nodes(), set.peek, set.receipt, unknown);
      return degradedOutcome(local.nowUs, local.results, kindOf(local.isReplay, local.isConflict));
    };
    if (unknown !== undefined) return decide();
    // Without the usage of a quota that is unknown here, this node would spend its share of an unused quota.
    const learning = restores?.learn(
      set.tenant,
      set.applied,
      (key) => degraded.hasReading(key),
      (...reading) => lastKnown.note(...reading),
    );
    return learning === undefined ? decide() : learning.then(decide);
  }

  private remember({ applied, checks, peek, receipt }: CheckSet, reply: Decided, startedMs: number): void {
    const { denials, lastKnown, degraded, clockMs } = this.parts;
    if (!reply.replayed) {
      degraded.onStoreDecided(checks, reply.allowed && !peek);
      lastKnown.remember(checks, reply.checks, reply.nowUs);
    }
    if (!reply.allowed && receipt === undefined && !peek) {
      denials.remember(
        applied.map(({ limit }) => limit),
        checks,
        reply,
        startedMs,
        clockMs(),
      );
    }
  }
}

/** The store answers, so local shares would admit units that it still has. */
function overloaded(): TollgateError {
  return new TollgateError('overloaded', { detail: 'The process lacks CPU to reach the counters in time' });
}

function kindOf(isReplay: boolean, isConflict: boolean): StoreOutcome['kind'] {
  if (isConflict) return 'conflict';
  return isReplay ? 'replay' : 'decided';
}

function outcomeOf({ nowUs, checks, replayed, conflict }: Decided): StoreOutcome {
  return {
    nowUs,
    results: checks,
    kind: kindOf(replayed, conflict === true),
    isDegraded: false,
    isLeased: false,
  };
}

function degradedOutcome(
  nowUs: number,
  results: readonly CheckResult[],
  kind: StoreOutcome['kind'] = 'decided',
): StoreOutcome {
  return { nowUs, results, kind, isDegraded: true, isLeased: false };
}

function storeRequestOf({ applied, checks, peek, receipt }: CheckSet, defaultMs: number): StoreRequest {
  const deadlineMs = longestDeadlineMs(applied, defaultMs);
  return {
    checks,
    peek,
    ...(receipt === undefined ? {} : { receipt }),
    ...(deadlineMs === defaultMs ? {} : { deadlineMs }),
  };
}

function longestDeadlineMs(applied: readonly AppliedLimit[], defaultMs: number): number {
  let longestMs: number | undefined;
  for (const { limit, mode } of applied) {
    if (mode !== 'enforce') continue;
    const { deadlineMs = defaultMs } = limit.stored;
    if (longestMs === undefined || deadlineMs > longestMs) longestMs = deadlineMs;
  }
  return longestMs ?? defaultMs;
}

/** For all limits or for none; undefined if a limit has no lease, or too little left. */
function spendLeases(
  leases: LeaseBook,
  applied: readonly AppliedLimit[],
  clockMs: number,
): CheckResult[] | undefined {
  // Most limits are strict.
  if (applied[0]?.limit.stored.consistency?.mode !== 'leased') return undefined;
  const results: CheckResult[] = [];
  for (const { limit, mode, check, slot } of applied) {
    const { consistency } = limit.stored;
    if (consistency?.mode !== 'leased' || mode !== 'enforce') break;
    const result = leases.spend(check, consistency.leaseMs, clockMs, slot);
    if (result === undefined) break;
    results.push(result);
  }
  if (results.length === applied.length) return results;
  for (let i = 0; i < results.length; i++) leases.unspend((applied[i] as AppliedLimit).check);
  return undefined;
}
