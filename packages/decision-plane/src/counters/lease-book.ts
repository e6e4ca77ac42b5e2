import { algorithmOf } from '@tollgate/limiter/algorithms';
import type { Amended, Amendment, Check, CheckResult, Unavailable } from '@tollgate/limiter/stores';

const MAX_LEASES = 50_000;
const SWEEP_EVERY_MS = 100;

/** Retry time after a lease was not granted; the store decides meanwhile. */
const PAUSE_MS = 50;

/** A node leases at most 1 ÷ (this × nodes) of the rest, so that other nodes get leases too. */
const REST_DIVISOR = 2;

/** Shortest time over which demand is measured: two simultaneous requests are not a rate. */
const MIN_MEASURED_MS = 10;

export interface LeaseBookOptions {
  /** Whether units of a counter may be leased now; default: yes. */
  mayLease?: ((check: Check) => Promise<boolean>) | undefined;
  amend: (amendment: Amendment) => Promise<Amended | Unavailable>;
  nodes: () => number;
  /** Called with the store's readings, which count leased units as used. */
  onReading?: (
    check: Check,
    reading: Pick<Amended, 'remaining' | 'resetAfterUs'>,
    storeNowUs: number,
  ) => void;
  /** Monotonic ms. */
  clockMs?: () => number;
}

interface Batch {
  left: number;
  /** Expiry, monotonic ms, measured from before the request to the store. */
  readonly untilMs: number;
  /** The store's time of the charge. */
  readonly chargedAtUs: number;
}

/** Refers to the lease of a counter, to find it without its key. */
export interface LeaseSlot {
  lease: Lease | undefined;
}

export class Lease {
  /** Whether the book has dropped it. */
  isDropped = false;
  /** Spent first; then `next`. */
  current: Batch | undefined;
  next: Batch | undefined;
  /** The store's last reading: its time, this node's time of the request, the rest, the time until the reset. */
  storeNowUs = 0;
  requestedAtMs = 0;
  restInStore = 0;
  resetAfterUs = 0;
  /** Units requested since then. */
  demand = 0;
  size = 1;
  isRequesting = false;
  pausedUntilMs = 0;
  /** Refund and reset events since the last check, and whether a check is running. */
  clears = 0;
  isChecking = false;

  constructor(
    /** Its cost is not used. */
    readonly check: Check,
    readonly leaseMs: number,
  ) {}

  unitsAt(nowMs: number): number {
    const valid = [this.current, this.next].filter((batch) => batch !== undefined && nowMs < batch.untilMs);
    return valid.reduce((units, batch) => units + (batch?.left ?? 0), 0);
  }

  /** Returns a valid batch with at least `units` left; passes skipped batches to `refund`. */
  batchWith(units: number, nowMs: number, refund: (batch: Batch) => void): Batch | undefined {
    for (;;) {
      const { current } = this;
      if (current === undefined || (current.left >= units && nowMs < current.untilMs)) return current;
      if (nowMs < current.untilMs && this.next === undefined) return undefined;
      if (current.left > 0) refund(current);
      this.current = this.next;
      this.next = undefined;
    }
  }
}

/**
 * Spends units that were leased from the store. Leased units are charged when they are granted, so all nodes together never
 * lease more than the limit. They expire with their window and after `leaseMs`; the rest is then refunded. The leases of a
 * crashed node stay charged. Requests never wait for a lease: while there is none, the store decides.
 */
export class LeaseBook {
  private readonly leases = new Map<string, Lease>();
  private readonly clockMs: () => number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: LeaseBookOptions) {
    this.clockMs = options.clockMs ?? (() => performance.now());
  }

  /**
   * Spends the check's cost; undefined: the store must decide. Requests more units in the background.
   * @param slot of the check's counter
   */
  spend(check: Check, leaseMs: number, nowMs = this.clockMs(), slot?: LeaseSlot): CheckResult | undefined {
    let lease = this.find(check.key, slot);
    if (lease === undefined || lease.check.policy !== check.policy) {
      lease = this.begin(check, leaseMs, lease);
      if (lease === undefined) return undefined;
    }
    lease.demand += check.cost;
    const batch = lease.batchWith(check.cost, nowMs, (skipped) => this.refund(check, skipped));
    if (batch === undefined) {
      this.requestMore(lease, nowMs);
      return undefined;
    }
    batch.left -= check.cost;
    if (batch.left * 4 < lease.size && lease.next === undefined) this.requestMore(lease, nowMs);
    return {
      allowed: true,
      over: false,
      remaining: lease.restInStore + batch.left + (lease.next?.left ?? 0),
      waitUs: 0,
      resetAfterUs: Math.max(0, Math.round(lease.resetAfterUs - (nowMs - lease.requestedAtMs) * 1000)),
    };
  }

  /** Undoes `spend` for a request that is not decided by leases after all. */
  unspend(check: Check): void {
    const lease = this.leases.get(check.key);
    if (lease === undefined || lease.check.policy !== check.policy) return;
    lease.demand -= check.cost;
    // Also if the batch was replaced meanwhile: both batches are charged.
    if (lease.current !== undefined) lease.current.left += check.cost;
    else void this.options.amend({ op: 'refund', checks: [check], atUs: lease.storeNowUs });
  }

  /**
   * Called after a refund or reset of the counter. If the store counts fewer used units than are leased here, the lease ends
   * without a refund. Refunds of other nodes' leases change nothing.
   */
  cleared(key: string): void {
    const lease = this.leases.get(key);
    if (lease === undefined) return;
    lease.clears++;
    if (!lease.isChecking) void this.checkCharged(lease);
  }

  /** The store's time by the last reading of a lease; undefined without one. @param slot of the counter */
  storeNowUs(key: string, nowMs = this.clockMs(), slot?: LeaseSlot): number | undefined {
    const lease = this.find(key, slot);
    if (lease === undefined || lease.storeNowUs === 0) return undefined;
    return Math.round(lease.storeNowUs + (nowMs - lease.requestedAtMs) * 1000);
  }

  get leasedUnits(): number {
    const nowMs = this.clockMs();
    let units = 0;
    for (const lease of this.leases.values()) units += lease.unitsAt(nowMs);
    return units;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    const leases = [...this.leases.values()];
    for (const lease of leases) this.drop(lease);
    await Promise.all(leases.map((lease) => this.end(lease)));
  }

  private begin(check: Check, leaseMs: number, former: Lease | undefined): Lease | undefined {
    if (former === undefined && this.leases.size >= MAX_LEASES) return undefined;
    // The limit changed: the former lease was charged under the former policy.
    if (former !== undefined) {
      this.drop(former);
      void this.end(former);
    }
    const lease = new Lease(check, leaseMs);
    this.leases.set(check.key, lease);
    this.timer ??= setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
    return lease;
  }

  private find(key: string, slot: LeaseSlot | undefined): Lease | undefined {
    if (slot?.lease !== undefined && !slot.lease.isDropped) return slot.lease;
    const lease = this.leases.get(key);
    if (slot !== undefined) slot.lease = lease;
    return lease;
  }

  private drop(lease: Lease): void {
    lease.isDropped = true;
    this.leases.delete(lease.check.key);
  }

  private requestMore(lease: Lease, nowMs: number): void {
    if (lease.isRequesting || nowMs < lease.pausedUntilMs) return;
    lease.isRequesting = true;
    void this.acquire(lease);
  }

  private async acquire(lease: Lease): Promise<void> {
    const { check, size: cost } = lease;
    const { amend, mayLease } = this.options;
    if (mayLease !== undefined && !(await mayLease(check))) {
      lease.isRequesting = false;
      lease.pausedUntilMs = this.clockMs() + PAUSE_MS;
      return;
    }
    const requestedAtMs = this.clockMs();
    const reply = await amend({ op: 'take', check: { ...check, cost } });
    lease.isRequesting = false;
    const batch = reply.available && reply.units > 0 ? batchOf(lease, reply, requestedAtMs) : undefined;
    if (batch !== undefined && this.leases.get(check.key) !== lease) {
      await this.refund(check, batch);
      return;
    }
    if (reply.available) this.measure(lease, reply, requestedAtMs);
    if (batch === undefined) lease.pausedUntilMs = this.clockMs() + PAUSE_MS;
    else if (lease.current === undefined) lease.current = batch;
    else lease.next = batch;
  }

  /** Sizes the next batch to last half a term and to leave enough for other nodes. */
  private measure(lease: Lease, reply: Amended, requestedAtMs: number): void {
    const elapsedMs = Math.max(MIN_MEASURED_MS, requestedAtMs - lease.requestedAtMs);
    const wanted = Math.ceil(((lease.demand / elapsedMs) * lease.leaseMs) / 2);
    this.options.onReading?.(lease.check, reply, reply.nowUs);
    lease.storeNowUs = reply.nowUs;
    lease.requestedAtMs = requestedAtMs;
    lease.restInStore = Math.max(0, reply.remaining);
    lease.resetAfterUs = reply.resetAfterUs;
    lease.demand = 0;
    const fair = Math.floor(lease.restInStore / (REST_DIVISOR * this.options.nodes()));
    lease.size = Math.max(1, Math.min(wanted, fair));
    // Leasing single units costs more than it saves.
    if (fair < 2) lease.pausedUntilMs = requestedAtMs + PAUSE_MS;
  }

  private async checkCharged(lease: Lease): Promise<void> {
    const { check } = lease;
    lease.isChecking = true;
    for (let seen = 0; seen < lease.clears; ) {
      seen = lease.clears;
      const reply = await this.options.amend({ op: 'take', check: { ...check, cost: 0 } });
      if (this.leases.get(check.key) === lease && !this.isCharged(lease, reply)) {
        // A batch in flight was charged after the reset: it is refunded when it arrives.
        this.drop(lease);
        lease.current = undefined;
        lease.next = undefined;
      }
    }
    lease.clears = 0;
    lease.isChecking = false;
  }

  private isCharged(lease: Lease, reply: Amended | Unavailable): boolean {
    if (!reply.available) return false;
    const { policy } = lease.check;
    const used = policy.capacity - reply.remaining;
    const leased = lease.unitsAt(this.clockMs());
    // A counter that refills continuously may count less than was leased without having been reset.
    return algorithmOf(policy.kind).endsAtOnce ? used >= leased : used > 0 || leased === 0;
  }

  private sweep(): void {
    const nowMs = this.clockMs();
    for (const lease of this.leases.values()) {
      const batch = lease.batchWith(0, nowMs, (skipped) => this.refund(lease.check, skipped));
      if (batch === undefined && !lease.isRequesting && nowMs >= lease.pausedUntilMs) this.drop(lease);
    }
    if (this.leases.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async end(lease: Lease): Promise<void> {
    const batches = [lease.current, lease.next].filter((batch) => batch !== undefined);
    lease.current = undefined;
    lease.next = undefined;
    await Promise.all(batches.map((batch) => this.refund(lease.check, batch)));
  }

  private async refund(check: Check, batch: Batch): Promise<void> {
    const { left: cost, chargedAtUs: atUs } = batch;
    batch.left = 0;
    if (cost > 0) await this.options.amend({ op: 'refund', checks: [{ ...check, cost }], atUs });
  }
}

function batchOf({ check, leaseMs }: Lease, reply: Amended, requestedAtMs: number): Batch {
  const { units, nowUs, resetAfterUs } = reply;
  const termMs = algorithmOf(check.policy.kind).endsAtOnce ? Math.min(leaseMs, resetAfterUs / 1000) : leaseMs;
  return { left: units, untilMs: requestedAtMs + termMs, chargedAtUs: nowUs };
}
