import { algorithmOf } from '../algorithms/index.js';
import type { Applied } from '../decide/resolve.js';
import { shareOf, type WirePolicy } from '../policy/compile.js';
import type { ClockUs } from '../store/clocks.js';
import type {
  Amended,
  Amendment,
  Check,
  CheckResult,
  ReceiptOrder,
  StoreRequest,
} from '../store/decision-store.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import type { LastKnown } from './last-known.js';
import { OutageJournal } from './outage-journal.js';

/** A fifth of the room is for tenants with few shares. */
const RESERVED_PART = 5;

/** The part of the free room that a tenant may have where only the reserved fifth is left. */
const RESERVE_DIVISOR = 100;

/**
 * The shares that a node spends during an outage, by counter key: at most `maxKeys`. A share that is spent must not be
 * evicted, or it could be spent again. Instead, the number that one tenant may have falls with the free room: free room
 * minus the reserved fifth, and at least a hundredth of the free room. One tenant thus gets at most two fifths of all, and
 * hundreds of tenants have to flood the node at once before another one gets no share.
 *
 * A tenant is the hash tag of a key. Limits on all tenants together count as one further tenant per API.
 */
export class LocalShares {
  private readonly shares = new Map<string, WirePolicy>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly maxKeys: number) {}

  get size(): number {
    return this.shares.size;
  }

  get(key: string): WirePolicy | undefined {
    return this.shares.get(key);
  }

  has(key: string): boolean {
    return this.shares.has(key);
  }

  entries(): Iterable<[string, WirePolicy]> {
    return this.shares;
  }

  /** Whether the tenant of `key` may begin one more share. */
  hasRoomFor(key: string): boolean {
    const free = this.maxKeys - this.shares.size;
    if (free <= 0) return false;
    const allowed = Math.max(free - this.maxKeys / RESERVED_PART, free / RESERVE_DIVISOR);
    return (this.counts.get(tagOf(key)) ?? 0) < allowed;
  }

  set(key: string, share: WirePolicy): void {
    if (!this.shares.has(key)) this.count(key, 1);
    this.shares.set(key, share);
  }

  delete(key: string): void {
    if (this.shares.delete(key)) this.count(key, -1);
  }

  private count(key: string, change: number): void {
    const tag = tagOf(key);
    const count = (this.counts.get(tag) ?? 0) + change;
    if (count > 0) this.counts.set(tag, count);
    else this.counts.delete(tag);
  }
}

function tagOf(key: string): string {
  return key.slice(1, key.indexOf('}'));
}

/** Shares of counters on one node, over all tenants. A request that needs one more, or more than its tenant may have, is refused. */
const MAX_LOCAL_KEYS = 50_000;

/** The checks of one request go beyond that by fewer than this. */
const SLACK_KEYS = 1000;

/** When a caller that is refused without being counted may ask again: by then the store may be back. */
const DENY_WAIT_US = 1_000_000;

/** Counters of which nothing is used any more are looked for so often, when there is no room. */
const PRUNE_EVERY_US = 1_000_000;

export interface LocalDecision {
  nowUs: number;
  results: CheckResult[];
  /** The request was decided here before: this is the answer of that time. */
  replayed: boolean;
  /** The request id belongs to a different request: nothing was decided. */
  conflict: boolean;
}

/**
 * Decides without the store, limit by limit as its `onUnavailable` says. `share` spends this node's part of what was left
 * when the store last spoke of the counter (remaining ÷ nodes), and its part of what comes back since, by the same model
 * that runs in the store: over all nodes no more than was left, as far as their readings are of one moment. `deny`
 * refuses; `allow` lets pass and counts nothing. Still all or nothing: what one limit refuses is charged on none.
 *
 * A counter's share is spent once, however often the store comes and goes, until the store decided by that counter again.
 * Once the store has applied the journal, only a reading of the remaining share is kept, so that a later outage starts with
 * free room. Limits that are not enforced allow the request and are not counted.
 */
export class DegradedMode {
  /** What was admitted here, and the store has to be told of. */
  readonly journal: OutageJournal;
  /**
   * So too, of requests with a receipt, by its key: the store is asked for them under their ids, as it may have charged them
   * before its answer was lost, or another node may have.
   */
  readonly admitted = new Map<string, StoreRequest>();
  /** How many of these concern a counter. */
  private readonly admittedOf = new Map<string, number>();
  private readonly counters: MemoryStore;
  private readonly maxKeys: number;
  /** The counters that something is spent of here. */
  private readonly local: LocalShares;
  private prunedAtUs = 0;
  private shares = new WeakMap<WirePolicy, WirePolicy>();
  /** The most nodes that were seen in this outage: one that leaves has spent its part, one that joins has none yet. */
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

  /** @param nodes live nodes that share the limits, at least 1 */
  decide(applied: readonly Applied[], nodes: number, peek: boolean, receipt?: ReceiptOrder): LocalDecision {
    this.noteNodes(nodes);
    const enforced = applied.filter(({ mode }) => mode === 'enforce');
    const shared = enforced.filter(({ limit }) => limit.stored.onUnavailable === 'share');
    const crowdedOut = shared.filter(({ check }) => !this.hasRoomFor(check.key));
    const isDenied = enforced.some(({ limit }) => limit.stored.onUnavailable === 'deny');
    const isRefused = isDenied || crowdedOut.length > 0;
    const checks = shared.map(({ check }) => ({ ...check, policy: this.shareFor(check.policy) }));
    if (crowdedOut.length === 0) for (const { key, policy } of checks) this.beginShare(key, policy);
    const reply = this.counters.decideNow({
      checks,
      peek: peek || isRefused,
      ...(receipt === undefined || isRefused ? {} : { receipt }),
    });
    const { replayed, conflict = false } = reply;
    for (const { key, policy } of checks) {
      if (this.counters.stateOf(key) !== undefined) this.local.set(key, policy);
    }
    const isCharged = reply.allowed && !peek && !isRefused && !replayed && !conflict;
    if (isCharged)
      this.note(
        shared.flatMap(({ check }) => (check.look === true ? [] : [check])),
        receipt,
      );
    const results = resultsOf(applied, reply.checks, crowdedOut);
    return { nowUs: reply.nowUs, results, replayed, conflict };
  }

  /** The store knows the request of this receipt now. */
  forgetRequest(receiptKey: string): void {
    this.takeRequest(receiptKey);
    this.counters.receipts.delete(receiptKey);
  }

  /** Whether a request with an id was admitted by this counter, and the store does not know it yet. */
  isAwaited(key: string): boolean {
    return this.admittedOf.has(key);
  }

  /** Whether this node has a reading of the counter, or already spends a share of it. */
  knows(key: string): boolean {
    return this.local.has(key) || this.lastKnown.find(key, this.counters.clockUs()) !== undefined;
  }

  /** Whether a request of this receipt was decided here: the store does not know it. */
  holds(receiptKey: string): boolean {
    const { counters } = this;
    return counters.receipts.size > 0 && counters.findReceipt(receiptKey, counters.clockUs()) !== undefined;
  }

  /** Applies a change to what was charged here; of what is given back whole, the store is told nothing. */
  async amend(amendment: Amendment): Promise<Amended> {
    const reply = await this.counters.amend(amendment);
    if (!('receiptKey' in amendment) || reply.status !== 'applied') return reply;
    const status = this.counters.findReceipt(amendment.receiptKey, reply.nowUs)?.status;
    if (status === undefined || status === 'charged') return reply;
    const request = this.takeRequest(amendment.receiptKey);
    if (request !== undefined && amendment.op === 'settle') {
      // What it came to; nobody asks for it under its id any more.
      const { cost } = amendment;
      this.journal.note(request.checks.map((check) => ({ ...check, cost })));
    }
    return reply;
  }

  /**
   * The store has decided by these counters, knowing all that was admitted here: their shares are over. Where it does not
   * know yet, what it admitted meanwhile is taken from the share.
   */
  answered(checks: readonly Check[], isCharged: boolean): void {
    if (this.local.size === 0) return;
    for (const { key, cost, look } of checks) {
      const share = this.local.get(key);
      if (share === undefined) continue;
      if (!this.journal.isOpen(key)) this.drop(key);
      else if (isCharged && look !== true)
        void this.counters.amend({ op: 'charge', checks: [{ key, policy: share, cost }] });
    }
  }

  /** Called when the store has applied the charges admitted here by these counters, with their new readings. */
  applied(
    checks: readonly Check[],
    readings: readonly Pick<CheckResult, 'remaining' | 'resetAfterUs'>[],
    nowUs: number,
  ): void {
    for (const [i, { key }] of checks.entries()) {
      const reading = readings[i];
      if (reading !== undefined) this.replaceByReading(key, reading, nowUs);
    }
  }

  /** The outage is over: of shares whose journal is applied, a reading stays. */
  end(): void {
    const nowUs = this.counters.clockUs();
    this.prune(nowUs);
    for (const [key] of this.local.entries()) this.replaceByReading(key, WHOLE, nowUs);
    if (this.local.size > 0) return;
    this.nodes = 1;
    this.shares = new WeakMap();
  }

  private note(checks: readonly Check[], receipt: ReceiptOrder | undefined): void {
    // Charged without its id past the bound: the store may charge it twice, which admits too little and never too much.
    if (receipt === undefined || this.admitted.size >= this.maxKeys) this.journal.note(checks);
    else if (checks.length > 0) {
      this.admitted.set(receipt.key, { checks, peek: false, receipt });
      for (const { key } of checks) this.admittedOf.set(key, (this.admittedOf.get(key) ?? 0) + 1);
    }
  }

  private takeRequest(receiptKey: string): StoreRequest | undefined {
    const request = this.admitted.get(receiptKey);
    this.admitted.delete(receiptKey);
    for (const { key } of request?.checks ?? []) {
      const left = (this.admittedOf.get(key) ?? 1) - 1;
      if (left > 0) this.admittedOf.set(key, left);
      else this.admittedOf.delete(key);
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

  // Keeps the remaining share as if it were the remaining limit, so that the next outage continues with it.
  // Slots are not charged to the store: they stay until they are released.
  private replaceByReading(
    key: string,
    { remaining, resetAfterUs }: Pick<CheckResult, 'remaining' | 'resetAfterUs'>,
    nowUs: number,
  ): void {
    const share = this.local.get(key);
    if (share === undefined || share.kind === 'concurrency') return;
    if (this.journal.isOpen(key) || this.isAwaited(key)) return;
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

  // The first request of an outage finds its share spent as far as the whole was: charged at the time of that reading, so
  // that what comes back since comes back by the model. What was taken past the limit counts too: who waits in a queue
  // then has been told when to run.
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
    let share = this.shares.get(policy);
    if (share === undefined) {
      share = shareOf(policy, this.nodes);
      this.shares.set(policy, share);
    }
    return share;
  }
}

/** Where the store was not asked about a counter. */
const WHOLE = { remaining: Number.POSITIVE_INFINITY, resetAfterUs: 0 };

/** The same answer of every limit that is enforced; the others pass. */
export function flatResults(applied: readonly Applied[], isAllowed: boolean): CheckResult[] {
  return applied.map(({ mode, check }) => (isAllowed || mode !== 'enforce' ? passed(check) : REFUSED));
}

const REFUSED: CheckResult = {
  allowed: false,
  over: false,
  remaining: 0,
  waitUs: DENY_WAIT_US,
  resetAfterUs: DENY_WAIT_US,
};

function passed({ policy }: Check): CheckResult {
  return { allowed: true, over: false, remaining: policy.capacity, waitUs: 0, resetAfterUs: 0 };
}

/** What each limit answers; `shared`: of those that are decided by shares, in order. */
function resultsOf(
  applied: readonly Applied[],
  shared: readonly CheckResult[],
  crowdedOut: readonly Applied[],
): CheckResult[] {
  const sharedResults = shared[Symbol.iterator]();
  return applied.map((one): CheckResult => {
    const { limit, mode, check } = one;
    if (mode !== 'enforce' || limit.stored.onUnavailable === 'allow') return passed(check);
    if (limit.stored.onUnavailable === 'deny') return REFUSED;
    const result = sharedResults.next().value ?? passed(check);
    return crowdedOut.includes(one) ? REFUSED : result;
  });
}

/** The state of which `units` are spent, or as many as it can hold. */
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
