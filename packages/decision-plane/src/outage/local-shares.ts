import { Generations } from '@tollgate/contracts/maps';
import type { WirePolicy } from '@tollgate/limiter/rules';
import type { Check, CheckResult, Exhaustion } from '@tollgate/limiter/stores';

export interface LastReading {
  /** Negative past the limit. */
  readonly remaining: number;
  /** The store's time, microseconds since the Unix epoch. */
  readonly nowUs: number;
  /** When the usage is 0 again; the reading is invalid from then on. */
  readonly resetAtUs: number;
}

/** At least this many readings are kept, at most twice as many. */
const KEYS_PER_GENERATION = 50_000;

const EXHAUSTED_PER_GENERATION = 25_000;

/** Unpublished exhaustions; further ones are published when they are read again. */
const MAX_UNPUBLISHED = 1000;

/** Counters that reset earlier are not published: the message would arrive too late. */
const MIN_RESET_US = 2_000_000;

/** A published reading is published again after this, if it has not fallen before. */
const REPUBLISH_AFTER_US = 30_000_000;

/** Smaller limits are published only when exhausted: other nodes' shares of half of them are small. */
const MIN_HALVED_CAPACITY = 10;

interface Published {
  readonly remaining: number;
  /** The store's time until which it need not be published again. */
  readonly untilUs: number;
}

/**
 * Last readings of recently used counters: this node's own, and those of other nodes about counters that run short. A node
 * publishes a counter each time half of the last published rest is spent, and when it is exhausted.
 */
export class LastKnown {
  private readonly own = new Generations<LastReading>(KEYS_PER_GENERATION);
  /** The rest of shares that this node spent, kept separately so that store requests do not evict them. */
  private readonly spent = new Generations<LastReading>(KEYS_PER_GENERATION);
  private readonly others = new Generations<LastReading>(EXHAUSTED_PER_GENERATION);
  private readonly published = new Generations<Published>(EXHAUSTED_PER_GENERATION);
  private unpublished = new Map<string, Exhaustion>();

  remember(checks: readonly Check[], results: readonly CheckResult[], nowUs: number): void {
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i];
      const result = results[i];
      if (check !== undefined && result !== undefined) this.note(check, result, nowUs);
    }
  }

  /** An older reading does not replace a newer one. */
  note(
    { key, policy: { kind, capacity } }: Check,
    { remaining, resetAfterUs }: Pick<CheckResult, 'remaining' | 'resetAfterUs'>,
    nowUs: number,
  ): void {
    const resetAtUs = nowUs + resetAfterUs;
    const before = this.own.get(key);
    if (before === undefined || before.nowUs <= nowUs) this.own.set(key, { remaining, nowUs, resetAtUs });
    // A permit may be released at any moment.
    const isLasting = kind !== 'concurrency' && resetAfterUs >= MIN_RESET_US;
    const isShort = remaining <= 0 || (capacity >= MIN_HALVED_CAPACITY && remaining * 2 <= capacity);
    if (isShort && isLasting) this.noteShort(key, Math.max(0, remaining), nowUs, resetAtUs);
  }

  noteRemote({ key, remaining, nowUs, resetAtUs }: Exhaustion): void {
    const known = this.others.get(key);
    if (known === undefined || known.nowUs < nowUs) this.others.set(key, { remaining, nowUs, resetAtUs });
  }

  /** Valid until the store decides by the counter. */
  noteSpent(key: string, reading: LastReading): void {
    this.spent.set(key, reading);
  }

  takeExhaustions(): Exhaustion[] {
    if (this.unpublished.size === 0) return [];
    const exhaustions = [...this.unpublished.values()];
    this.unpublished = new Map();
    return exhaustions;
  }

  /** Until the store decides by a counter of which a share was spent, readings of other nodes can only lower the share. */
  find(key: string, nowUs: number): LastReading | undefined {
    const own = this.own.get(key);
    const remote = this.others.get(key);
    const newest = own === undefined || (remote !== undefined && remote.nowUs > own.nowUs) ? remote : own;
    const valid = newest === undefined || newest.resetAtUs <= nowUs ? undefined : newest;
    const spent = this.spent.get(key);
    if (spent === undefined || spent.resetAtUs <= nowUs || (own !== undefined && own.nowUs > spent.nowUs)) {
      return valid;
    }
    return valid === undefined || valid.remaining >= spent.remaining ? spent : valid;
  }

  /** Called after a refund or reset. The reading is kept: without it a node would spend its share of an unused limit. */
  cleared(key: string): void {
    this.published.delete(key);
    this.unpublished.delete(key);
  }

  private noteShort(key: string, remaining: number, nowUs: number, resetAtUs: number): void {
    const published = this.published.get(key);
    const isDue =
      published === undefined ||
      nowUs >= published.untilUs ||
      (remaining < published.remaining && remaining * 2 <= published.remaining);
    if (!isDue || this.unpublished.size >= MAX_UNPUBLISHED) return;
    this.published.set(key, { remaining, untilUs: Math.min(resetAtUs, nowUs + REPUBLISH_AFTER_US) });
    this.unpublished.set(key, { key, remaining, nowUs, resetAtUs });
  }
}

const RESERVED_PART = 5;

/** When only the fifth that is reserved for tenants with few shares is left, a tenant may use this fraction of it. */
const RESERVE_DIVISOR = 100;

/**
 * The shares that a node spends during an outage. A spent share must not be evicted, or it could be spent again: instead,
 * the number of shares per tenant (a key's hash tag) falls with the free space. One tenant gets at most two fifths of all
 * shares, and hundreds of tenants have to flood the node before another tenant gets none.
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
