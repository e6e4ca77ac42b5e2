import { TollgateError } from '@tollgate/contracts';
import type {
  Amendment,
  CheckResult,
  ClockUs,
  Decided,
  DecisionStore,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
} from '@tollgate/limiter/stores';
import { DEFAULT_DEADLINE_MS } from '@tollgate/limiter/stores';
import type { Pool } from '@tollgate/policy';
import { TRAFFIC_FLAGS } from '@tollgate/replay';
import { type AppliedLimit, type AppliedLimits, CounterBook } from '../counters/counter-book.js';
import { KeyBudget, type ServerMemory } from '../counters/key-budget.js';
import { LeaseBook } from '../counters/lease-book.js';
import { LimitCrossings } from '../counters/limit-crossings.js';
import { LimitPeaks } from '../counters/limit-peaks.js';
import { DegradedMode, uniformResults } from '../outage/degraded-mode.js';
import { LastKnown } from '../outage/local-shares.js';
import { ChargeReplay } from '../outage/recovery.js';
import type { PoolAnswer, PoolReport } from '../pools/exchange.js';
import { PoolBook, type Schedule } from '../pools/pool-book.js';
import { DecisionLog, type DecisionSampler } from '../usage/decision-log.js';
import { HeavyHitters } from '../usage/heavy-hitters.js';
import type { QuotaCheckpoints } from '../usage/quota-checkpoints.js';
import { QuotaRestores } from '../usage/quota-restores.js';
import type { TrafficRecorder } from '../usage/traffic-recorder.js';
import type { UsageAggregator } from '../usage/usage-aggregator.js';
import { DenialCache } from './denial-cache.js';
import type { OnStale, UnknownApis } from './requests.js';
import { type TenantOperation, TenantOperations } from './tenant-operations.js';
import { type PolicyView, TenantPolicies } from './tenant-policies.js';

export interface EngineOptions {
  nodeId: string;
  /** New at each start of the process. */
  epoch: string;
  store: DecisionStore;
  deadlineMs?: number | undefined;
  exchangePool: (pool: Pool, report: PoolReport) => Promise<PoolAnswer>;
  policies: PolicyView;
  usage: Pick<UsageAggregator, 'tally' | 'addCrossings'>;
  /** Default: no decisions are sampled. */
  sampler?: DecisionSampler;
  /** Default: traffic is not recorded. */
  traffic?: Pick<TrafficRecorder, 'record'>;
  /** Default: quota usage is as durable as the store. */
  checkpoints?: QuotaCheckpoints;
  /** Live nodes that share the limits, at least 1. */
  nodes: () => number;
  /** Called with the store's reply to each decision, also when it was unavailable. */
  onReply: (reply: StoreReply) => void;
  onBudgetSpent: (tenant: string, cause: string) => void;
  onError: (message: string, error: unknown) => void;
  /** Default: keep. */
  onStale?: OnStale | undefined;
  /** Default: deny. */
  unknownApis?: UnknownApis | undefined;
  keysPerTenant?: number | undefined;
  /** Default: unbounded. */
  memory?: ServerMemory;
  thresholds?: readonly number[] | undefined;
  /** Unix ms by the store's clock; default: the process's clock. @param monotonicMs `performance.now()`, just read */
  nowMs?: (monotonicMs?: number) => number;
  /** Replaces all clocks. */
  clockUs?: ClockUs;
  /** Default: the process's timers. */
  schedule?: Schedule;
}

export type EngineParts = ReturnType<typeof engineParts>;

/** The parts that decide a request, built once per node. */
export function engineParts(options: EngineOptions) {
  const { nodeId, epoch, store, nodes, checkpoints, onError, clockUs } = options;
  const nowMs: (monotonicMs?: number) => number =
    clockUs === undefined ? (options.nowMs ?? Date.now) : () => clockUs() / 1000;
  const clockMs = clockUs === undefined ? () => performance.now() : nowMs;
  const nowUs = () => Math.round(nowMs() * 1000);
  const amend = (amendment: Amendment) => store.amend(amendment);
  const decide = (request: StoreRequest) => store.decide(request);
  const { keysPerTenant, memory, thresholds, onBudgetSpent, usage, sampler, traffic } = options;
  const budget = new KeyBudget({ onSpent: onBudgetSpent, keysPerTenant, memory });
  const policies = new TenantPolicies(options.policies, nowMs);
  const lastKnown = new LastKnown();
  const degraded = new DegradedMode(lastKnown, { clockUs: clockUs ?? nowUs });
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const restores =
    checkpoints &&
    new QuotaRestores({
      checkpoints,
      restore: async (check, used) => (await amend({ op: 'restore', check, used })).available,
      peek: (check) => decide({ checks: [check], peek: true }),
      deadlineMs,
      nowUs,
    });
  const replay = new ChargeReplay({
    degraded,
    decide,
    amend,
    clockMs,
    ...(restores && {
      withKnown: (owed) => restores.withKnown(owed),
      onApplied: (...applied) => restores.applied(...applied),
    }),
  });
  const leases = new LeaseBook({
    amend,
    mayLease: restores && ((check) => restores.mayLease(check)),
    nodes,
    clockMs,
    onReading: (...reading) => lastKnown.note(...reading),
  });
  const pools = new PoolBook({
    nodeId,
    exchange: options.exchangePool,
    liveNodes: nodes,
    onError,
    clockMs,
    schedule: options.schedule,
  });
  const offenders = new HeavyHitters();
  const peaks = new LimitPeaks();
  const crossings = new LimitCrossings({ thresholds });
  const nextRequestId = requestIds(epoch);
  return {
    store,
    deadlineMs,
    policies,
    operations: new TenantOperations(policies, nowMs),
    counters: new CounterBook(budget),
    pools,
    leases,
    denials: new DenialCache(),
    degraded,
    replay,
    lastKnown,
    checkpoints,
    restores,
    log: new DecisionLog({ usage, crossings, offenders, peaks, sampler, traffic, checkpoints, restores }),
    offenders,
    peaks,
    admitKey: budget.admit.bind(budget),
    isKeyAdmitted: budget.isAdmitted.bind(budget),
    nextRequestId,
    nodes,
    onReply: options.onReply,
    onStale: options.onStale ?? 'keep',
    unknownApis: options.unknownApis ?? 'deny',
    nowMs,
    clockMs,
  };
}

/** The last two digits of request ids. */
const LAST_DIGITS = Array.from({ length: 36 ** 2 }, (_, n) => n.toString(36).padStart(2, '0'));

/** Numbers the requests of this process. Formats only two digits each: a number's text costs as much as its lease. */
function requestIds(epoch: string): () => string {
  let requests = 0;
  let start = '';
  return () => {
    const last = requests % LAST_DIGITS.length;
    if (last === 0) start = `req_${epoch}${(requests / LAST_DIGITS.length).toString(36)}`;
    requests++;
    return start + LAST_DIGITS[last];
  };
}

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
  /** The request id was charged before; these are the results of that time. */
  readonly isReplay: boolean;
  /** The request id belongs to a different request; nothing was decided. */
  readonly isConflict: boolean;
  readonly isDegraded: boolean;
  readonly isLeased: boolean;
}

/** Sum of `TRAFFIC_FLAGS` for a recorded decision. */
export function trafficFlagsOf({ policy }: TenantOperation, isLeased: boolean, hasReceipt: boolean): number {
  const isPooled = typeof policy === 'object' && policy.pool !== undefined;
  return (
    (isLeased ? TRAFFIC_FLAGS.leased : 0) |
    (isPooled ? TRAFFIC_FLAGS.pooled : 0) |
    (hasReceipt ? TRAFFIC_FLAGS.receipt : 0)
  );
}

/** Neither a lease nor a cached denial decides, and no outage: the store has to. */
export const ASK_STORE = Symbol('ask the store');

/** Decides by the fastest source that can: leases, cached denials, the store, or local shares in an outage. */
export class StoreDecisions {
  constructor(private readonly parts: EngineParts) {}

  /**
   * The outcome under a stale policy, by a cached denial or by leases that cover all checks; undefined: {@link decide}. Not for
   * a peek, nor for a request with a receipt.
   * @param startedMs monotonic, just read: clocks are a large part of the cost of a local decision
   */
  decideLocally({ applied, checks }: AppliedLimits, startedMs: number): StoreOutcome | undefined {
    const { denials, leases, nowMs } = this.parts;
    const stale = this.staleOutcome(applied, startedMs);
    if (stale !== undefined) return stale;
    const denial = denials.find(checks, startedMs);
    if (denial !== undefined) return outcomeOf(denial);
    const results = spendLeases(leases, applied, startedMs);
    if (results === undefined) return undefined;
    const { check, slot } = applied[0] as AppliedLimit;
    const nowUs = leases.storeNowUs(check.key, startedMs, slot) ?? nowMs(startedMs) * 1000;
    return { nowUs, results, isReplay: false, isConflict: false, isDegraded: false, isLeased: true };
  }

  /**
   * @param startedMs monotonic, just read @returns undefined for a retry that was not charged before
   * @throws TollgateError `overloaded`, asynchronously: nothing was charged
   */
  decide(set: CheckSet, startedMs: number): StoreOutcome | undefined | Promise<StoreOutcome | undefined> {
    const outcome = this.decideEarly(set, startedMs);
    return outcome === ASK_STORE ? this.decideByStore(set, startedMs) : outcome;
  }

  /** Calls the store once for sets that {@link decideEarly} left to it; {@link conclude} each reply. */
  askStore(sets: readonly CheckSet[]): Promise<readonly StoreReply[]> {
    const { store, deadlineMs } = this.parts;
    const requests = sets.map((set) => storeRequestOf(set, deadlineMs));
    return store.decideAll?.(requests) ?? Promise.all(requests.map((request) => store.decide(request)));
  }

  /** As {@link decide}, except that it does not call the store for a usual request. */
  decideEarly(
    set: CheckSet,
    startedMs: number,
  ): StoreOutcome | undefined | typeof ASK_STORE | Promise<StoreOutcome | undefined> {
    const { degraded, replay, restores } = this.parts;
    const stale = this.staleOutcome(set.applied, startedMs);
    if (stale !== undefined) return stale;
    if (set.receipt !== undefined && degraded.hasReceipt(set.receipt.key)) {
      replay.retryRequested();
      return this.decideDegraded(set);
    }
    if (set.requiresEarlierCharge) return this.findEarlierCharge(set, startedMs);
    const replayed = replay.prepare(set.checks);
    if (replayed !== undefined) return this.decideAfter(replayed, set, startedMs);
    return restores?.unverified(set.applied) === undefined ? ASK_STORE : this.decideVerified(set, startedMs);
  }

  private staleOutcome(applied: readonly AppliedLimit[], startedMs: number): StoreOutcome | undefined {
    const { onStale, policies, nowMs } = this.parts;
    if (onStale === 'keep') return undefined;
    const atMs = nowMs(startedMs);
    if (!policies.isStale(atMs)) return undefined;
    return degradedOutcome(atMs * 1000, uniformResults(applied, onStale === 'allow'));
  }

  private async decideAfter(
    replayed: false | Promise<boolean>,
    set: CheckSet,
    startedMs: number,
  ): Promise<StoreOutcome> {
    if (await replayed) return this.decideVerified(set, startedMs);
    this.parts.onReply(NOT_REPLAYED);
    return this.decideDegraded(set);
  }

  /** Decides once the quota counters contain all known usage. */
  private async decideVerified(set: CheckSet, startedMs: number): Promise<StoreOutcome> {
    const { restores, onReply } = this.parts;
    const unverified = restores?.unverified(set.applied);
    if (restores === undefined || unverified === undefined) return this.decideByStore(set, startedMs);
    const verified = await restores.verify(unverified, set.tenant);
    if (!verified.available) return this.conclude(set, verified, startedMs);
    if (verified.unknown.size === 0) return this.decideByStore(set, startedMs);
    onReply(UNRESTORED);
    return this.decideDegraded(set, restores.isAwaited ? verified.unknown : undefined);
  }

  private decideByStore(set: CheckSet, startedMs: number): Promise<StoreOutcome> {
    const { store, deadlineMs } = this.parts;
    return store
      .decide(storeRequestOf(set, deadlineMs))
      .then((reply) => this.conclude(set, reply, startedMs));
  }

  /** A retry of a charged request gets the same answer without using the pool again. */
  private async findEarlierCharge(set: CheckSet, startedMs: number): Promise<StoreOutcome | undefined> {
    const { store, deadlineMs } = this.parts;
    if (set.receipt === undefined) return undefined;
    const lookup = { ...set, peek: true, receipt: { ...set.receipt, expiresAfterMs: 0 } };
    const reply = await store.decide(storeRequestOf(lookup, deadlineMs));
    const isKnown = reply.available && (reply.replayed || reply.conflict === true);
    return isKnown ? this.conclude(set, reply, startedMs) : undefined;
  }

  /** The outcome of the store's reply to a set. Rejects with TollgateError `overloaded`. */
  conclude(set: CheckSet, reply: StoreReply, startedMs: number): StoreOutcome | Promise<StoreOutcome> {
    const { onReply, replay } = this.parts;
    if (!reply.available && reply.reason === 'overloaded') return Promise.reject(overloaded());
    onReply(reply);
    if (!reply.available) return this.decideDegraded(set);
    replay.onStoreAnswered();
    if (reply.conflict !== true) this.remember(set, reply, startedMs);
    return outcomeOf(reply);
  }

  /** @param unknown keys of counters whose usage is not known yet */
  private decideDegraded(set: CheckSet, unknown?: ReadonlySet<string>): StoreOutcome | Promise<StoreOutcome> {
    const { restores, degraded, lastKnown, nodes } = this.parts;
    const decide = () => {
      const local = degraded.decide(set.applied, nodes(), set.peek, set.receipt, unknown);
      return degradedOutcome(local.nowUs, local.results, local.isReplay, local.isConflict);
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

function outcomeOf({ nowUs, checks, replayed, conflict }: Decided): StoreOutcome {
  return {
    nowUs,
    results: checks,
    isReplay: replayed,
    isConflict: conflict === true,
    isDegraded: false,
    isLeased: false,
  };
}

function degradedOutcome(
  nowUs: number,
  results: readonly CheckResult[],
  isReplay = false,
  isConflict = false,
): StoreOutcome {
  return { nowUs, results, isReplay, isConflict, isDegraded: true, isLeased: false };
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
