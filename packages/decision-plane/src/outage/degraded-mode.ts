import { getOrAdd } from '@tollgate/contracts/maps';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import { shareOf, type WirePolicy, withoutPenalty } from '@tollgate/limiter/rules';
import {
  type Amended,
  type Amendment,
  type Check,
  type CheckResult,
  type ClockUs,
  MemoryStore,
  type ReceiptOrder,
  type StoreRequest,
} from '@tollgate/limiter/stores';
import type { AppliedLimit } from '../counters/counter-book.js';
import { type LastKnown, LocalShares } from './local-shares.js';

/** Over all tenants. A request that needs more is denied. */
const MAX_LOCAL_KEYS = 50_000;

/** The checks of one request exceed `MAX_LOCAL_KEYS` by less than this. */
const SLACK_KEYS = 1000;

/** Retry time of requests that are denied without being counted: the store may be available again by then. */
const DENY_WAIT_US = 1_000_000;

const PRUNE_EVERY_US = 1_000_000;

const NONE: ReadonlySet<string> = new Set();

export interface DegradedDecision {
  nowUs: number;
  results: CheckResult[];
  /** The request was decided here before; these are the results of that time. */
  isReplay: boolean;
  /** The request id belongs to a different request; nothing was decided. */
  isConflict: boolean;
}

/**
 * Decides without the store, limit by limit according to its `onUnavailable`. `share` spends this node's share of the
 * remaining units at the store's last reading (remaining ÷ nodes), and of units refilled since, by the same model as in the
 * store: together the nodes admit at most what was left, provided that their readings are of the same time.
 *
 * A share is spent once, however often the store becomes unavailable, until the store decides by that counter again. Limits
 * that are not enforced allow the request and are not counted.
 */
export class DegradedMode {
  readonly journal: OutageJournal;
  /** Allowed requests by receipt key. Replayed as requests: the store, or another node, may have charged them already. */
  readonly unreplayedRequests = new Map<string, StoreRequest>();
  /** Number of those requests by counter. */
  private readonly unreplayedByKey = new Map<string, number>();
  private readonly counters: MemoryStore;
  private readonly maxKeys: number;
  private readonly local: LocalShares;
  private prunedAtUs = 0;
  private shares = new WeakMap<WirePolicy, WirePolicy>();
  /** The maximum of live nodes in this outage: a node that left has spent its share. */
  private nodes = 1;

  constructor(
    private readonly lastKnown: LastKnown,
    { maxKeys = MAX_LOCAL_KEYS, ...clock }: { clockUs?: ClockUs; maxKeys?: number } = {},
  ) {
    this.maxKeys = maxKeys;
    this.local = new LocalShares(maxKeys);
    this.counters = new MemoryStore({ ...clock, maxKeys: maxKeys + SLACK_KEYS });
    this.journal = new OutageJournal({ ...clock, maxKeys: maxKeys + SLACK_KEYS });
  }

  /** @param unknown keys of counters whose usage is unknown: they have no share */
  charge(
    applied: readonly AppliedLimit[],
    nodes: number,
    peek: boolean,
    receipt?: ReceiptOrder,
    unknown: ReadonlySet<string> = NONE,
  ): DegradedDecision {
    this.noteNodes(nodes);
    const enforced = applied.filter(({ mode }) => mode === 'enforce');
    const shared = enforced.filter(({ limit }) => limit.stored.onUnavailable === 'share');
    const withoutShare = shared.filter(({ check }) => unknown.has(check.key) || !this.hasRoomFor(check.key));
    const isDenied =
      withoutShare.length > 0 || enforced.some(({ limit }) => limit.stored.onUnavailable === 'deny');
    const checks = shared.map(({ check }) => ({ ...check, policy: this.shareFor(check.policy) }));
    if (withoutShare.length === 0) for (const { key, policy } of checks) this.beginShare(key, policy);
    const reply = this.counters.chargeNow({
      checks,
      peek: peek || isDenied,
      ...(receipt === undefined || isDenied ? {} : { receipt }),
    });
    const { replayed: isReplay, conflict: isConflict = false } = reply;
    for (const { key, policy } of checks) {
      if (this.counters.stateOf(key) !== undefined) this.local.set(key, policy);
    }
    if (reply.allowed && !peek && !isDenied && !isReplay && !isConflict) {
      // Replayed without the penalty: the store's denial of an admitted request is not the caller's.
      const charged = shared.flatMap(({ check }) =>
        check.look === true ? [] : [{ ...check, policy: withoutPenalty(check.policy) }],
      );
      this.record(charged, receipt);
    }
    return {
      nowUs: reply.nowUs,
      results: resultsOf(applied, reply.checks, withoutShare),
      isReplay,
      isConflict,
    };
  }

  forgetRequest(receiptKey: string): void {
    this.takeRequest(receiptKey);
    this.counters.receipts.delete(receiptKey);
  }

  hasUnreplayedRequest(key: string): boolean {
    return this.unreplayedByKey.has(key);
  }

  hasReading(key: string): boolean {
    return this.local.has(key) || this.lastKnown.find(key, this.counters.clockUs()) !== undefined;
  }

  hasReceipt(receiptKey: string): boolean {
    const { counters } = this;
    return counters.receipts.size > 0 && counters.findReceipt(receiptKey, counters.clockUs()) !== undefined;
  }

  /** Amends a local charge. A charge that is refunded entirely, or whose reservation has expired, is not replayed. */
  async amend(amendment: Amendment): Promise<Amended> {
    const reply = await this.counters.amend(amendment);
    if (!('receiptKey' in amendment)) return reply;
    const status = this.counters.findReceipt(amendment.receiptKey, reply.nowUs)?.status;
    if (status === undefined || status === 'charged') return reply;
    const request = this.takeRequest(amendment.receiptKey);
    if (request !== undefined && status === 'final' && amendment.op === 'settle') {
      // Replayed without its id: a settled request is not retried.
      const { cost } = amendment;
      this.journal.note(request.checks.map((check) => ({ ...check, cost })));
    }
    return reply;
  }

  /** Shares without unreplayed charges end; other shares are charged the units that the store admitted. */
  onStoreDecided(checks: readonly Check[], isCharged: boolean): void {
    if (this.local.size === 0) return;
    for (const { key, cost, look } of checks) {
      const share = this.local.get(key);
      if (share === undefined) continue;
      if (!this.journal.isOpen(key)) this.drop(key);
      else if (isCharged && look !== true)
        void this.counters.amend({ op: 'charge', checks: [{ key, policy: share, cost }] });
    }
  }

  onReplayed(
    checks: readonly Check[],
    readings: readonly Pick<CheckResult, 'remaining' | 'resetAfterUs'>[],
    nowUs: number,
  ): void {
    for (const [i, { key }] of checks.entries()) {
      const reading = readings[i];
      if (reading !== undefined) this.replaceByReading(key, reading, nowUs);
    }
  }

  /** Replaces each share whose charges were replayed by a reading. */
  end(): void {
    const nowUs = this.counters.clockUs();
    this.prune(nowUs);
    for (const [key] of this.local.entries()) this.replaceByReading(key, UNKNOWN_READING, nowUs);
    if (this.local.size > 0) return;
    this.nodes = 1;
    this.shares = new WeakMap();
  }

  private record(checks: readonly Check[], receipt: ReceiptOrder | undefined): void {
    // Without its id, the store may charge a request twice. That only happens past the bound, and never admits too much.
    if (receipt === undefined || this.unreplayedRequests.size >= this.maxKeys) this.journal.note(checks);
    else if (checks.length > 0) {
      this.unreplayedRequests.set(receipt.key, { checks, peek: false, receipt });
      for (const { key } of checks) this.unreplayedByKey.set(key, (this.unreplayedByKey.get(key) ?? 0) + 1);
    }
  }

  private takeRequest(receiptKey: string): StoreRequest | undefined {
    const request = this.unreplayedRequests.get(receiptKey);
    this.unreplayedRequests.delete(receiptKey);
    for (const { key } of request?.checks ?? []) {
      const left = (this.unreplayedByKey.get(key) ?? 1) - 1;
      if (left > 0) this.unreplayedByKey.set(key, left);
      else this.unreplayedByKey.delete(key);
    }
    return request;
  }

  private hasRoomFor(key: string): boolean {
    if (this.local.has(key) || this.local.hasRoomFor(key)) return true;
    const nowUs = this.counters.clockUs();
    if (nowUs - this.prunedAtUs >= PRUNE_EVERY_US) this.prune(nowUs);
    return this.local.hasRoomFor(key);
  }

  private prune(nowUs: number): void {
    this.prunedAtUs = nowUs;
    for (const [key, policy] of this.local.entries()) {
      const { remaining } = this.counters.step({ key, policy, cost: 0 }, 0, nowUs, 0);
      if (remaining >= policy.capacity && !this.journal.isOpen(key)) this.drop(key);
    }
  }

  // Stores the rest of the share as if it were the rest of the limit, so that the next outage continues with it.
  // Permits are not replayed: they stay until they are released.
  private replaceByReading(
    key: string,
    { remaining, resetAfterUs }: Pick<CheckResult, 'remaining' | 'resetAfterUs'>,
    nowUs: number,
  ): void {
    const share = this.local.get(key);
    if (share === undefined || share.kind === 'concurrency') return;
    if (this.journal.isOpen(key) || this.hasUnreplayedRequest(key)) return;
    const left = this.counters.step({ key, policy: share, cost: 0 }, 0, this.counters.clockUs(), 0);
    this.lastKnown.noteSpent(key, {
      remaining: Math.min(remaining, left.remaining * this.nodes),
      nowUs,
      resetAtUs: nowUs + Math.max(resetAfterUs, left.resetAfterUs),
    });
    this.drop(key);
  }

  private drop(key: string): void {
    this.counters.forget(key);
    this.local.delete(key);
  }

  // Charges a new share with the usage of the last reading, at the time of that reading, so that refills since then follow
  // the model. Usage beyond the limit counts too: queued requests already have their start times.
  private beginShare(key: string, share: WirePolicy): void {
    if (this.counters.stateOf(key) !== undefined) return;
    const reading = this.lastKnown.find(key, this.counters.clockUs());
    if (reading === undefined) return;
    const spent = share.capacity - Math.floor(reading.remaining / this.nodes);
    if (spent <= 0) return;
    const state = spentState(share, spent, reading.nowUs);
    if (state !== undefined) this.counters.write({ key, policy: share }, state);
  }

  private noteNodes(nodes: number): void {
    if (nodes <= this.nodes) return;
    this.nodes = nodes;
    this.shares = new WeakMap();
  }

  private shareFor(policy: WirePolicy): WirePolicy {
    return getOrAdd(this.shares, policy, () => shareOf(policy, this.nodes));
  }
}

/** Used where the store gave no reading: the share alone bounds the rest. */
const UNKNOWN_READING = { remaining: Number.POSITIVE_INFINITY, resetAfterUs: 0 };

/** The same result for all enforced limits; limits that are not enforced allow. */
export function uniformResults(applied: readonly AppliedLimit[], isAllowed: boolean): CheckResult[] {
  return applied.map(({ mode, check }) => (isAllowed || mode !== 'enforce' ? allowed(check) : DENIED));
}

const DENIED: CheckResult = {
  allowed: false,
  over: false,
  remaining: 0,
  waitUs: DENY_WAIT_US,
  resetAfterUs: DENY_WAIT_US,
};

function allowed({ policy }: Check): CheckResult {
  return { allowed: true, over: false, remaining: policy.capacity, waitUs: 0, resetAfterUs: 0 };
}

function resultsOf(
  applied: readonly AppliedLimit[],
  shared: readonly CheckResult[],
  withoutShare: readonly AppliedLimit[],
): CheckResult[] {
  const sharedResults = shared[Symbol.iterator]();
  return applied.map((one): CheckResult => {
    const { limit, mode, check } = one;
    if (mode !== 'enforce' || limit.stored.onUnavailable === 'allow') return allowed(check);
    if (limit.stored.onUnavailable === 'deny') return DENIED;
    const result = sharedResults.next().value ?? allowed(check);
    return withoutShare.includes(one) ? DENIED : result;
  });
}

/** The state after a charge of `units`, or of as many as it can hold. */
function spentState(policy: WirePolicy, units: number, atUs: number): unknown {
  const { step, charge = step } = algorithmOf(policy.kind);
  let state: unknown;
  let part = Math.min(units, policy.capacity);
  for (let left = units; left > 0 && part > 0; ) {
    const next = charge(state, policy, part, atUs, 0);
    if (next.allowed) {
      state = next.state;
      left -= part;
    } else {
      part = Math.floor(part / 2);
    }
    part = Math.min(part, left);
  }
  return state;
}

/**
 * Charges admitted without the store, counted under the full limits by the same models, so that refilled units and past
 * windows drop out. An entry stays until the store has applied it.
 */
export class OutageJournal {
  private readonly uses: MemoryStore;
  private readonly entries = new Map<string, WirePolicy>();
  /** States of the counters whose replay is in flight. */
  private readonly inFlight = new Map<string, unknown>();

  /** @param options.maxKeys more than are ever noted: an entry must not be evicted */
  constructor(options: { clockUs?: ClockUs; maxKeys: number }) {
    this.uses = new MemoryStore(options);
  }

  get size(): number {
    return this.entries.size;
  }

  keys(): Iterable<string> {
    return this.entries.keys();
  }

  isOpen(key: string): boolean {
    return this.entries.has(key);
  }

  note(checks: readonly Check[]): void {
    // Permits are not replayed: running requests release them here and acquire new ones in the store.
    const uses = checks.filter(({ policy, cost }) => policy.kind !== 'concurrency' && cost > 0);
    for (const { key, policy } of uses) this.entries.set(key, policy);
    void this.uses.amend({ op: 'charge', checks: uses });
  }

  /**
   * Takes the unreplayed charges, as costs under the full limits; {@link confirm} or {@link restore} must follow. Charges
   * noted meanwhile are kept separately.
   */
  take(keys: readonly string[]): Check[] {
    return keys.flatMap((key) => {
      const policy = this.entries.get(key);
      if (policy === undefined) return [];
      const cost = this.usedUnits(key, policy);
      const state = this.uses.stateOf(key);
      this.uses.forget(key);
      if (cost <= 0) {
        this.entries.delete(key);
        return [];
      }
      this.inFlight.set(key, state);
      return [{ key, policy, cost }];
    });
  }

  /** Returns the counters that were charged again meanwhile; their entries stay. */
  confirm(checks: readonly Check[]): string[] {
    return checks.flatMap(({ key }) => {
      this.inFlight.delete(key);
      if (this.uses.stateOf(key) !== undefined) return [key];
      this.entries.delete(key);
      return [];
    });
  }

  /** The store did not answer. */
  restore(checks: readonly Check[]): void {
    for (const check of checks) {
      const { key, policy } = check;
      const since = this.usedUnits(key, policy);
      this.uses.write(check, this.inFlight.get(key));
      this.inFlight.delete(key);
      void this.uses.amend({ op: 'charge', checks: [{ key, policy, cost: since }] });
    }
  }

  /** Units charged to the counter that still count, without those in flight. */
  pendingUnits(key: string): number {
    const policy = this.entries.get(key);
    return policy === undefined ? 0 : this.usedUnits(key, policy);
  }

  private usedUnits(key: string, policy: WirePolicy): number {
    const { remaining } = this.uses.step({ key, policy, cost: 0 }, 0, this.uses.clockUs(), 0);
    return policy.capacity - remaining;
  }
}
