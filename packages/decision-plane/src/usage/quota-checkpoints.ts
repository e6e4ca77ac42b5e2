import { Generations, getOrAdd } from '@tollgate/contracts/maps';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import {
  type Amended,
  type Check,
  type CheckResult,
  type Unavailable,
  within,
} from '@tollgate/limiter/stores';
import {
  NO_READING,
  type QuotaCheckpoint,
  type QuotaCounter,
  type QuotaStore,
  type QuotaReading as StoredReading,
  type StoredUsage,
} from '../policy-redis/quota-store.js';
import { Flusher } from './flusher.js';

/** At least this many counters are kept, at most twice as many. All are written to the store within a second. */
const COUNTERS_PER_GENERATION = 25_000;

/** Changed counters that wait while the store is unavailable; further ones are not written until they change again. */
const MAX_CHANGED = 50_000;

const READ_WITHIN_MS = 25;

/** The same where no decision waits: the store may be in another region. */
const LATER_WITHIN_MS = 1000;

/** A counter is read at once after its first refund, then at most this often. */
const REFRESH_EVERY_MS = 1000;

const MAX_REFRESHES = 200;

/** Longest wait for the checkpoints after the counters were connected or the store was emptied; then `onUnavailable` decides. */
const RESTORED_WITHIN_MS = 15_000;

/** Longest time until a refund is in the checkpoint. */
const REFUND_WRITTEN_AFTER_MS = 3000;

/** Every quota counter's key contains one of these. */
const QUOTA_STEMS = (['quota', 'attempts_quota'] as const).map(
  (kind) => `:${algorithmOf(kind).stateVersion}:`,
);

export type QuotaReading = Pick<Amended, 'available' | 'nowUs'> &
  Pick<CheckResult, 'remaining' | 'resetAfterUs' | 'attempts'>;

interface Counter extends QuotaCheckpoint {
  used: number;
  atUs: number;
  loweredAtUs: number;
  changed: boolean;
  refreshedAtMs: number;
  /** Null if only its reset is known. */
  check: Check | null;
  /** The policy of the reading; another policy may count differently. */
  policyId: number | undefined;
}

export interface QuotaCheckpointsOptions {
  store: Pick<QuotaStore, 'write' | 'read' | 'readRestoreMark'>;
  /** Reads a counter; the cost of the check is not used. */
  readCounter: (check: Check) => Promise<QuotaReading | Unavailable>;
  onError: (message: string, error: unknown) => void;
  /** Unix ms; default: the process's clock. */
  nowMs?: () => number;
  /** Longest wait of a decision for a checkpoint, ms; default: 25. */
  readWithinMs?: number | undefined;
  /** {@link CounterStore.connections}; default: counters are never lost. */
  connections?: () => number;
}

export interface KnownUsage {
  readonly used: number;
  /** The store's time of the reading, microseconds since the Unix epoch; 0: there is no reading. */
  readonly atUs: number;
  /** False: the checkpoint could not be read in time; other nodes may have read a higher usage. */
  readonly isComplete: boolean;
}

/**
 * Keeps the usage of each quota counter in its period, locally and, within a second, in a store that all nodes read, for when
 * the counter store loses counters. A lost counter never lowers its checkpoint. After a refund the counter is read again and
 * the reading replaces the checkpoint, unless it is neither 0 nor at least half of it: that is more likely a loss than a
 * refund, so the counter is only forgotten locally.
 */
export class QuotaCheckpoints extends Flusher {
  private readonly counters = new Generations<Counter>(COUNTERS_PER_GENERATION);
  private readonly nowMs: () => number;
  private readonly refundedAtMs = new Generations<number>(COUNTERS_PER_GENERATION);
  private changed = new Map<string, Counter>();
  /** Changed since the last journal entry. */
  private readonly unjournaled = new Map<string, Counter>();
  private lastRestoreMark: string | null | undefined;
  private isEmptied = false;
  /** The connections when the store was last read with its restore mark; undefined: never, or it was emptied since. */
  private restoredFor: number | undefined;
  /** The connections that wait for that since `awaitedSinceMs`. */
  private awaitedFor: number | undefined;
  private awaitedSinceMs = 0;
  private readonly toRefresh = new Set<string>();
  private readonly reads = new Map<string, Promise<StoredUsage | null>>();

  /** How often the checkpoint store was restored from its journal since the start. */
  storeRestores = 0;

  constructor(private readonly options: QuotaCheckpointsOptions) {
    super();
    this.nowMs = options.nowMs ?? Date.now;
  }

  /** Changes whenever counters may have lost usage, or lost usage may be found that was not found before. */
  get generation(): number {
    return this.connections + this.storeRestores;
  }

  /** Whether the store was read since the counters were connected, and contains all checkpoints. */
  get isRestored(): boolean {
    return this.restoredFor === this.connections;
  }

  /** Whether the store is expected to be restored: a counter at 0 may have lost its usage. False after 15 s. */
  get isAwaited(): boolean {
    if (this.isRestored) return false;
    const { connections } = this;
    if (this.awaitedFor !== connections) {
      this.awaitedFor = connections;
      this.awaitedSinceMs = this.nowMs();
    }
    return this.nowMs() - this.awaitedSinceMs < RESTORED_WITHIN_MS;
  }

  private get connections(): number {
    return this.options.connections?.() ?? 0;
  }

  /** @param periodEndMs Unix ms: the decision's time plus the time until the reset @param atUs the store's time of it */
  note(tenant: string, check: Check, periodEndMs: number, used: number, atUs: number): void {
    const counter = this.open({ tenant, key: check.key, periodEndMs });
    if (counter === undefined) return;
    counter.check = check;
    if (used <= counter.used || atUs <= counter.loweredAtUs) return;
    counter.used = used;
    counter.atUs = atUs;
    counter.policyId = check.policy.id;
    this.mark(counter);
  }

  tenantOf(key: string): string | undefined {
    return this.counters.get(key)?.tenant;
  }

  /** As {@link usedIn}; 0 if the usage was read under another policy. */
  usedUnder({ key, policy }: Check, periodEndMs: number): number {
    const counter = this.counters.get(key);
    return counter?.periodEndMs === periodEndMs && counter.policyId === policy.id ? counter.used : 0;
  }

  /** The highest usage in the period that this node has read; 0: none. */
  usedIn(key: string, periodEndMs: number): number {
    const counter = this.counters.get(key);
    return counter?.periodEndMs === periodEndMs ? counter.used : 0;
  }

  /**
   * The usage in the period that any node has read, for a counter that may have been lost. Never rejects.
   * @param isAwaited whether a decision waits for it
   */
  async find(tenant: string, key: string, periodEndMs: number, isAwaited = true): Promise<KnownUsage> {
    const remembered = this.counters.get(key);
    // Copied before the lookup: readings recorded meanwhile may be of the lost counter.
    const own: StoredReading = remembered?.periodEndMs === periodEndMs ? { ...remembered } : NO_READING;
    const found = await this.read({ tenant, key, periodEndMs }, isAwaited);
    const stored = found?.reading ?? null;
    const changed = this.changed.get(key);
    // A lower value waits to be written: it overrides the stored one.
    if (changed?.periodEndMs === periodEndMs && changed.loweredAtUs > 0)
      return { used: changed.used, atUs: changed.atUs, isComplete: true };
    // Another node has lowered it since this node's reading.
    const isOutdated = stored !== null && stored.loweredAtUs > own.atUs;
    const { used, atUs } = stored !== null && (isOutdated || stored.used > own.used) ? stored : own;
    return { used, atUs, isComplete: found?.restoreMark != null };
  }

  /** Called after a refund by any node: reads the counter again if it is known. */
  clear(key: string): void {
    if (!QUOTA_STEMS.some((stem) => key.includes(stem))) return;
    this.refundedAtMs.set(key, this.nowMs());
    const counter = this.counters.get(key);
    if (counter === undefined) return;
    if (this.nowMs() - counter.refreshedAtMs >= REFRESH_EVERY_MS) void this.refresh(counter);
    else this.toRefresh.add(key);
  }

  /** Whether a recent refund may be in neither the local usage nor the checkpoint. */
  hasPendingRefund(key: string): boolean {
    const refundedAtMs = this.refundedAtMs.get(key);
    if (refundedAtMs === undefined || this.nowMs() - refundedAtMs >= REFUND_WRITTEN_AFTER_MS) return false;
    const refreshedAtMs = this.counters.get(key)?.refreshedAtMs ?? Number.NEGATIVE_INFINITY;
    return refreshedAtMs < refundedAtMs || this.toRefresh.has(key);
  }

  /** Called after a reset: the counter must not be restored. Never rejects; retries while the store is unavailable. */
  async forget(tenant: string, key: string, periodEndMs: number): Promise<void> {
    const counter = this.open({ tenant, key, periodEndMs });
    if (counter === undefined) return;
    this.lower(counter, 0, Math.max(Math.round(this.nowMs() * 1000), counter.atUs + 1));
    await this.flush();
  }

  /** Takes up to `max` counters that changed since the last journal entry, oldest change first. */
  takeUnjournaled(max: number): QuotaCheckpoint[] {
    const taken: QuotaCheckpoint[] = [];
    for (const [name, { tenant, key, periodEndMs, used, atUs, loweredAtUs }] of this.unjournaled) {
      if (taken.length === max) break;
      this.unjournaled.delete(name);
      taken.push({ tenant, key, periodEndMs, used, atUs, loweredAtUs });
    }
    return taken;
  }

  returnUnjournaled(taken: readonly QuotaCheckpoint[]): void {
    for (const { key, periodEndMs } of taken) {
      const counter = this.counters.get(key);
      if (counter?.periodEndMs === periodEndMs && this.unjournaled.size < MAX_CHANGED)
        this.unjournaled.set(key, counter);
    }
  }

  /** The counter in that period; undefined if a later period has begun. */
  private open(named: QuotaCounter): Counter | undefined {
    const { key, periodEndMs } = named;
    let counter = this.counters.get(key);
    if (counter === undefined || counter.periodEndMs < periodEndMs) {
      const initial = { ...NO_READING, refreshedAtMs: Number.NEGATIVE_INFINITY };
      counter = { ...named, ...initial, changed: false, check: null, policyId: undefined };
      this.counters.set(key, counter);
    }
    return counter.periodEndMs === periodEndMs ? counter : undefined;
  }

  private mark(counter: Counter): void {
    if (this.unjournaled.size < MAX_CHANGED) this.unjournaled.set(counter.key, counter);
    if (counter.changed || this.changed.size >= MAX_CHANGED) return;
    counter.changed = true;
    this.changed.set(counter.key, counter);
  }

  private lower(counter: Counter, used: number, atUs: number): void {
    if (atUs <= counter.atUs) return;
    counter.used = used;
    counter.atUs = atUs;
    counter.loweredAtUs = atUs;
    this.mark(counter);
  }

  private async refreshRefunded(): Promise<void> {
    for (const key of [...this.toRefresh].slice(0, MAX_REFRESHES)) {
      this.toRefresh.delete(key);
      const counter = this.counters.get(key);
      if (counter !== undefined) await this.refresh(counter);
    }
  }

  private async refresh(counter: Counter): Promise<void> {
    const { check, key, periodEndMs, used: known } = counter;
    if (check === null) return;
    counter.refreshedAtMs = this.nowMs();
    const reply = await this.options.readCounter(check);
    if (!reply.available) {
      if (this.toRefresh.size < MAX_CHANGED) this.toRefresh.add(key);
      return;
    }
    const used = check.policy.capacity - reply.remaining - (reply.attempts ?? 0);
    const isPeriod = Math.round((reply.nowUs + reply.resetAfterUs) / 1000) === periodEndMs;
    if (!isPeriod || used >= known) return;
    if (used === 0 || used * 2 >= known) {
      this.lower(counter, used, reply.nowUs);
    } else if (this.counters.get(key) === counter) {
      this.counters.delete(key);
      this.changed.delete(key);
      this.unjournaled.delete(key);
    }
  }

  protected async write(): Promise<void> {
    await this.refreshRefunded();
    await this.watchRestores();
    await this.writeChanged();
  }

  private async writeChanged(): Promise<void> {
    const { changed } = this;
    this.changed = new Map();
    for (const counter of changed.values()) counter.changed = false;
    try {
      if (changed.size > 0) await this.options.store.write([...changed.values()]);
    } catch (error) {
      // Counters that were dropped or replaced meanwhile are not written.
      for (const counter of changed.values())
        if (this.counters.get(counter.key) === counter) this.mark(counter);
      this.options.onError('cannot write quota checkpoints', error);
    }
  }

  /** Reads whether the store is restored. Never rejects. */
  async watchRestores(): Promise<void> {
    const { connections } = this;
    const mark = await this.options.store.readRestoreMark().catch(() => undefined);
    if (mark !== undefined) this.noteMark(mark, connections);
    // The next mark is new.
    else this.lastRestoreMark ??= null;
  }

  /** @param connections when the store was read */
  private noteMark(mark: string | null, connections: number): void {
    if (mark === null) {
      this.lastRestoreMark ??= null;
      this.restoredFor = undefined;
      if (this.isEmptied) return;
      this.isEmptied = true;
      this.awaitedFor = undefined;
      // The store may be restored to an earlier state than this node knows.
      for (const counter of this.counters.values()) if (counter.atUs > 0) this.mark(counter);
      return;
    }
    // A restored store knows usage that it did not know when counters were looked up before.
    if (this.lastRestoreMark !== undefined && this.lastRestoreMark !== mark) this.storeRestores++;
    this.lastRestoreMark = mark;
    this.isEmptied = false;
    this.restoredFor = connections;
  }

  /** Null: it could not be read in time. */
  private async read(counter: QuotaCounter, isAwaited: boolean): Promise<StoredUsage | null> {
    const { readWithinMs = READ_WITHIN_MS } = this.options;
    const withinMs = isAwaited ? readWithinMs : Math.max(readWithinMs, LATER_WITHIN_MS);
    const name = `${counter.periodEndMs} ${counter.key}`;
    const read = getOrAdd(this.reads, name, () =>
      this.readMarked(counter)
        .catch(() => null)
        .finally(() => this.reads.delete(name)),
    );
    return (await within(withinMs, read)) ?? null;
  }

  private async readMarked(counter: QuotaCounter): Promise<StoredUsage> {
    const { connections } = this;
    const found = await this.options.store.read(counter);
    this.noteMark(found.restoreMark, connections);
    return found;
  }
}
