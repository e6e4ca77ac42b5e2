import type { Amended, Amendment, Check, CheckResult, Unavailable } from '../store/decision-store.js';

/** Counters that a node holds leases of at once; one more is decided by the store. */
const MAX_LEASES = 50_000;

/** A lease that has run out, or is not asked for, is looked after this often. */
const SWEEP_EVERY_MS = 100;

/** A counter of which nothing could be leased is not asked again for this long: the store decides meanwhile. */
const PAUSE_MS = 50;

/** A node leases at most 1 ÷ (this × nodes) of what is left in the store: other nodes need some too. */
const PARTS_OF_REST = 2;

/** Demand is measured over this at least: two requests at one moment are not a rate. */
const MEASURED_OVER_MS = 10;

/** Kinds whose charges are over when their window ends; what others are charged comes back bit by bit. */
const ENDS_WITH_WINDOW: ReadonlySet<string> = new Set(['fixed_window', 'quota']);

export interface LeaseBookOptions {
  amend: (amendment: Amendment) => Promise<Amended | Unavailable>;
  /** Nodes that share the limits, at least 1. */
  nodes: () => number;
  /** Told what the store says of a counter, what is leased here being charged, and when. */
  onReading?: (
    check: Check,
    reading: Pick<Amended, 'remaining' | 'resetAfterUs'>,
    storeNowUs: number,
  ) => void;
  /** Monotonic, ms. */
  clockMs?: () => number;
}

/** Units charged together. */
interface Batch {
  left: number;
  /** Until when they may be spent, monotonic ms: counted from before they were asked for. */
  readonly untilMs: number;
  /** The store's time of the charge. */
  readonly chargedAtUs: number;
}

/** What a node may spend of one counter by itself. All of it is charged in the store already. */
class Lease {
  /** Spent first; the next one when it is spent or over. */
  current: Batch | undefined;
  next: Batch | undefined;
  /** As the store told with the last batch: its time, ours when it was asked, what was left, until when something is used. */
  storeNowUs = 0;
  askedAtMs = 0;
  restInStore = 0;
  resetAfterUs = 0;
  /** Asked for since then. */
  demand = 0;
  size = 1;
  asking = false;
  pausedUntilMs = 0;
  /** How often it was told that the counter has more room, and whether the store is being asked why. */
  clears = 0;
  checking = false;

  constructor(
    /** The counter; its cost is meaningless. */
    readonly check: Check,
    readonly leaseMs: number,
  ) {}

  heldAt(nowMs: number): number {
    const valid = [this.current, this.next].filter((batch) => batch !== undefined && nowMs < batch.untilMs);
    return valid.reduce((held, batch) => held + (batch?.left ?? 0), 0);
  }

  /** A batch with `units` left; those before it that are over are handed to `giveBack`. */
  batchWith(units: number, nowMs: number, giveBack: (batch: Batch) => void): Batch | undefined {
    for (;;) {
      const { current } = this;
      if (current === undefined || (current.left >= units && nowMs < current.untilMs)) return current;
      if (nowMs < current.untilMs && this.next === undefined) return undefined;
      if (current.left > 0) giveBack(current);
      this.current = this.next;
      this.next = undefined;
    }
  }
}

/**
 * Spends capacity that was taken out of the store ahead of time. What is leased is charged when it is taken, so all nodes
 * together never hold more than the limit; it is not spent after the window that it was charged in, nor after `leaseMs`;
 * what is left then is given back. What a crashed node held stays charged.
 *
 * Nobody waits for a lease: while there is none, the store decides.
 */
export class LeaseBook {
  private readonly leases = new Map<string, Lease>();
  private readonly clockMs: () => number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: LeaseBookOptions) {
    this.clockMs = options.clockMs ?? (() => performance.now());
  }

  /**
   * Spends the check's cost, if it is leased; undefined: the store has to decide. Asks for more in the background.
   * @param nowMs by the book's clock
   */
  spend(check: Check, leaseMs: number, nowMs = this.clockMs()): CheckResult | undefined {
    let lease = this.leases.get(check.key);
    if (lease === undefined || lease.check.policy !== check.policy) {
      lease = this.begin(check, leaseMs, lease);
      if (lease === undefined) return undefined;
    }
    lease.demand += check.cost;
    const batch = lease.batchWith(check.cost, nowMs, (over) => this.giveBack(check, over));
    if (batch === undefined) {
      this.askForMore(lease, nowMs);
      return undefined;
    }
    batch.left -= check.cost;
    if (batch.left * 4 < lease.size && lease.next === undefined) this.askForMore(lease, nowMs);
    return {
      allowed: true,
      over: false,
      remaining: lease.restInStore + batch.left + (lease.next?.left ?? 0),
      waitUs: 0,
      resetAfterUs: Math.max(0, Math.round(lease.resetAfterUs - (nowMs - lease.askedAtMs) * 1000)),
    };
  }

  /** Takes back what `spend` spent, where the request did not pass after all. */
  unspend(check: Check): void {
    const lease = this.leases.get(check.key);
    if (lease === undefined || lease.check.policy !== check.policy) return;
    lease.demand -= check.cost;
    // A batch that took its place since is as good: both are charged.
    if (lease.current !== undefined) lease.current.left += check.cost;
    else void this.options.amend({ op: 'refund', checks: [check], atUs: lease.storeNowUs });
  }

  /**
   * The counter has more room than before. Where the store counts less than is held here, it was reset, or what was only
   * leased was given back by somebody: then nothing more is spent of it, and nothing given back to what counts anew. Units
   * that nodes give back are told in the same way, and change nothing.
   */
  cleared(key: string): void {
    const lease = this.leases.get(key);
    if (lease === undefined) return;
    lease.clears++;
    if (!lease.checking) void this.checkCharged(lease);
  }

  /** The store's time now, as far as a lease of `key` tells; undefined without one. */
  storeNowUs(key: string, nowMs = this.clockMs()): number | undefined {
    const lease = this.leases.get(key);
    if (lease === undefined || lease.storeNowUs === 0) return undefined;
    return Math.round(lease.storeNowUs + (nowMs - lease.askedAtMs) * 1000);
  }

  /** Units held now, over all counters. */
  get held(): number {
    const nowMs = this.clockMs();
    let held = 0;
    for (const lease of this.leases.values()) held += lease.heldAt(nowMs);
    return held;
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    const leases = [...this.leases.values()];
    this.leases.clear();
    await Promise.all(leases.map((lease) => this.end(lease)));
  }

  private begin(check: Check, leaseMs: number, former: Lease | undefined): Lease | undefined {
    if (former === undefined && this.leases.size >= MAX_LEASES) return undefined;
    // The limit changed: what is left was charged under the one before.
    if (former !== undefined) void this.end(former);
    const lease = new Lease(check, leaseMs);
    this.leases.set(check.key, lease);
    this.timer ??= setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
    return lease;
  }

  private askForMore(lease: Lease, nowMs: number): void {
    if (lease.asking || nowMs < lease.pausedUntilMs) return;
    lease.asking = true;
    void this.ask(lease);
  }

  private async ask(lease: Lease): Promise<void> {
    const { check, size: cost } = lease;
    const askedAtMs = this.clockMs();
    const reply = await this.options.amend({ op: 'take', check: { ...check, cost } });
    lease.asking = false;
    const batch = reply.available && reply.units > 0 ? batchOf(lease, reply, askedAtMs) : undefined;
    if (batch !== undefined && this.leases.get(check.key) !== lease) {
      await this.giveBack(check, batch);
      return;
    }
    if (reply.available) this.measure(lease, reply, askedAtMs);
    if (batch === undefined) lease.pausedUntilMs = this.clockMs() + PAUSE_MS;
    else if (lease.current === undefined) lease.current = batch;
    else lease.next = batch;
  }

  /** The next batch is to last half a term, and leaves enough for the other nodes. */
  private measure(lease: Lease, reply: Amended, askedAtMs: number): void {
    const elapsedMs = Math.max(MEASURED_OVER_MS, askedAtMs - lease.askedAtMs);
    const wanted = Math.ceil(((lease.demand / elapsedMs) * lease.leaseMs) / 2);
    this.options.onReading?.(lease.check, reply, reply.nowUs);
    lease.storeNowUs = reply.nowUs;
    lease.askedAtMs = askedAtMs;
    lease.restInStore = Math.max(0, reply.remaining);
    lease.resetAfterUs = reply.resetAfterUs;
    lease.demand = 0;
    const fair = Math.floor(lease.restInStore / (PARTS_OF_REST * this.options.nodes()));
    lease.size = Math.max(1, Math.min(wanted, fair));
    // For single units, a lease is a way round.
    if (fair < 2) lease.pausedUntilMs = askedAtMs + PAUSE_MS;
  }

  private async checkCharged(lease: Lease): Promise<void> {
    const { check } = lease;
    lease.checking = true;
    for (let seen = 0; seen < lease.clears; ) {
      seen = lease.clears;
      const reply = await this.options.amend({ op: 'take', check: { ...check, cost: 0 } });
      if (this.leases.get(check.key) === lease && !this.isCharged(lease, reply)) {
        // A batch that is on its way was charged after that: it goes back where it was taken.
        this.leases.delete(check.key);
        lease.current = undefined;
        lease.next = undefined;
      }
    }
    lease.clears = 0;
    lease.checking = false;
  }

  private isCharged(lease: Lease, reply: Amended | Unavailable): boolean {
    if (!reply.available) return false;
    const { policy } = lease.check;
    const used = policy.capacity - reply.remaining;
    const held = lease.heldAt(this.clockMs());
    // What comes back bit by bit may be less than is held, and still be the counter that it was charged to.
    return ENDS_WITH_WINDOW.has(policy.kind) ? used >= held : used > 0 || held === 0;
  }

  private sweep(): void {
    const nowMs = this.clockMs();
    for (const [key, lease] of this.leases) {
      const batch = lease.batchWith(0, nowMs, (over) => this.giveBack(lease.check, over));
      if (batch === undefined && !lease.asking && nowMs >= lease.pausedUntilMs) this.leases.delete(key);
    }
    if (this.leases.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async end(lease: Lease): Promise<void> {
    const batches = [lease.current, lease.next].filter((batch) => batch !== undefined);
    lease.current = undefined;
    lease.next = undefined;
    await Promise.all(batches.map((batch) => this.giveBack(lease.check, batch)));
  }

  private async giveBack(check: Check, batch: Batch): Promise<void> {
    const { left: cost, chargedAtUs: atUs } = batch;
    batch.left = 0;
    if (cost > 0) await this.options.amend({ op: 'refund', checks: [{ ...check, cost }], atUs });
  }
}

function batchOf({ check, leaseMs }: Lease, reply: Amended, askedAtMs: number): Batch {
  const { units, nowUs, resetAfterUs } = reply;
  const termMs = ENDS_WITH_WINDOW.has(check.policy.kind) ? Math.min(leaseMs, resetAfterUs / 1000) : leaseMs;
  return { left: units, untilMs: askedAtMs + termMs, chargedAtUs: nowUs };
}
