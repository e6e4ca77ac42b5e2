import { algorithmOf } from '../algorithms/index.js';
import { Generations } from '../policy/generations.js';
import type { Amended, Check, CheckResult, Unavailable } from '../store/decision-store.js';
import type {
  QuotaCheckpoint,
  QuotaCounter,
  QuotaStore,
  QuotaReading as StoredReading,
} from '../store/quota-store.js';

const FLUSH_EVERY_MS = 1000;

/** Counters remembered at least; at most twice as many. All are in the store within a second. */
const COUNTERS_PER_GENERATION = 25_000;

/** Changed counters that wait to be written while the store is away; what comes beyond is lost until it changes again. */
const MAX_CHANGED = 50_000;

const READ_WITHIN_MS = 25;

/** A counter that was given something back is looked at at once, and then no more often than this. */
const LOOK_EVERY_MS = 1000;

/** Counters looked at in one flush. */
const LOOKS_AT_ONCE = 200;

/** By then, a checkpoint is what was left by what was given back. */
const SETTLED_AFTER_MS = 3000;

/** What the names of quota counters have in common. */
const QUOTA_STEMS = (['quota', 'attempts_quota'] as const).map(
  (kind) => `:${algorithmOf(kind).stateVersion}:`,
);

/** A quota counter as the store has it. */
export type QuotaReading = Pick<Amended, 'available' | 'nowUs'> &
  Pick<CheckResult, 'remaining' | 'resetAfterUs' | 'attempts'>;

interface Counter extends QuotaCheckpoint {
  used: number;
  atUs: number;
  loweredAtUs: number;
  changed: boolean;
  lookedAtMs: number;
  /** What it is looked at by; null where only its reset is known. */
  check: Check | null;
  /** The policy that `used` was read under; another one may count it differently. */
  policyId: number | undefined;
}

export interface QuotaCheckpointsOptions {
  store: Pick<QuotaStore, 'write' | 'read' | 'readRestoreMark'>;
  /** Reads a counter; the cost of the check is not used. */
  readCounter: (check: Check) => Promise<QuotaReading | Unavailable>;
  onError: (message: string, error: unknown) => void;
  /** Unix ms; left out: the process's clock. */
  nowMs?: () => number;
  /** How long a decision waits for a checkpoint, ms; 25 unless given. */
  readWithinMs?: number;
}

const NOTHING: StoredReading = { used: 0, atUs: 0, loweredAtUs: 0 };

/** What is known to be used of a counter. */
export interface KnownUse {
  readonly used: number;
  /** The store's time of the reading, microseconds since the Unix epoch; 0: there is none. */
  readonly atUs: number;
  /** False: the store could not be asked in time, other nodes may have seen more. */
  readonly isSure: boolean;
}

/**
 * Remembers what was used of each quota counter in its period, here and, within a second, where all nodes find it: for when
 * the counters' store loses them. A counter that was lost never lowers it. After a give the counter is looked at, and what
 * is found takes the place of what was seen before; unless that is less than half of it, and not nothing: so little is left
 * by a loss, and by few gives. Then it is only forgotten here.
 */
export class QuotaCheckpoints {
  private readonly counters = new Generations<Counter>(COUNTERS_PER_GENERATION);
  private readonly nowMs: () => number;
  /** When it was last told that something was given back. */
  private readonly cleared = new Generations<number>(COUNTERS_PER_GENERATION);
  private changed = new Map<string, Counter>();
  /** Changed, and not yet in the journal. */
  private readonly untold = new Map<string, Counter>();
  private lastPutBack: string | null | undefined;
  private readonly toLookAt = new Set<string>();
  private readonly reads = new Map<string, Promise<StoredReading | null>>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  /** How often the store was found filled again since this node has started. */
  putBacks = 0;

  constructor(private readonly options: QuotaCheckpointsOptions) {
    this.nowMs = options.nowMs ?? Date.now;
  }

  start(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS);
    this.timer.unref();
  }

  /**
   * Takes note of a counter as it stands after a decision.
   * @param periodEndMs when its period ends, unix ms: the decision's time and what is left until its reset
   * @param atUs the store's time of the decision
   */
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

  /** The tenant that the counter was noted for, where it is remembered. */
  tenantOf(key: string): string | undefined {
    return this.counters.get(key)?.tenant;
  }

  /** As {@link seen}, where the check's policy is the one that it was seen under; 0 under another one. */
  seenUnder({ key, policy }: Check, periodEndMs: number): number {
    const counter = this.counters.get(key);
    return counter?.periodEndMs === periodEndMs && counter.policyId === policy.id ? counter.used : 0;
  }

  /** The most that this node saw used in the period; 0: nothing. */
  seen(key: string, periodEndMs: number): number {
    const counter = this.counters.get(key);
    return counter?.periodEndMs === periodEndMs ? counter.used : 0;
  }

  /** What is used in the period as far as any node saw, for a counter that perhaps was lost. Never rejects. */
  async find(tenant: string, key: string, periodEndMs: number): Promise<KnownUse> {
    const remembered = this.counters.get(key);
    // Copied before the lookup: readings noted meanwhile may be of the counter that was lost.
    const own: StoredReading = remembered?.periodEndMs === periodEndMs ? { ...remembered } : NOTHING;
    const stored = await this.read({ tenant, key, periodEndMs });
    const changed = this.changed.get(key);
    // What is to be lowered there is as good as lowered.
    if (changed?.periodEndMs === periodEndMs && changed.loweredAtUs > 0)
      return { used: changed.used, atUs: changed.atUs, isSure: true };
    // Lowered by another node since it was seen here.
    const isOutdated = stored !== null && stored.loweredAtUs > own.atUs;
    const { used, atUs } = stored !== null && (isOutdated || stored.used > own.used) ? stored : own;
    return { used, atUs, isSure: stored !== null };
  }

  /** Something was given back to a counter, on this node or another: looks at those that are remembered. */
  clear(key: string): void {
    if (!QUOTA_STEMS.some((stem) => key.includes(stem))) return;
    this.cleared.set(key, this.nowMs());
    const counter = this.counters.get(key);
    if (counter === undefined) return;
    if (this.nowMs() - counter.lookedAtMs >= LOOK_EVERY_MS) void this.lookAt(counter);
    else this.toLookAt.add(key);
  }

  /** Whether something was given back so lately that neither what is remembered here nor the checkpoint may tell yet. */
  isUnsettled(key: string): boolean {
    const clearedAtMs = this.cleared.get(key);
    if (clearedAtMs === undefined || this.nowMs() - clearedAtMs >= SETTLED_AFTER_MS) return false;
    const lookedAtMs = this.counters.get(key)?.lookedAtMs ?? Number.NEGATIVE_INFINITY;
    return lookedAtMs < clearedAtMs || this.toLookAt.has(key);
  }

  /** The counter was reset: it must not be restored to what it was. Never rejects; tried again where the store is away. */
  async forget(tenant: string, key: string, periodEndMs: number): Promise<void> {
    const counter = this.open({ tenant, key, periodEndMs });
    if (counter === undefined) return;
    this.lower(counter, 0, Math.max(Math.round(this.nowMs() * 1000), counter.atUs + 1));
    await this.flush();
  }

  /** Writes what changed; keeps it for the next time when that fails. Never rejects. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(async () => {
      await this.lookAtSome();
      await this.write();
      await this.watchPutBacks();
    });
    return this.flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Counters that changed since they were told last, `max` at most, the longest untold first. */
  takeUntold(max: number): QuotaCheckpoint[] {
    const taken: QuotaCheckpoint[] = [];
    for (const [name, { tenant, key, periodEndMs, used, atUs, loweredAtUs }] of this.untold) {
      if (taken.length === max) break;
      this.untold.delete(name);
      taken.push({ tenant, key, periodEndMs, used, atUs, loweredAtUs });
    }
    return taken;
  }

  /** They were taken and not told. */
  tellAgain(taken: readonly QuotaCheckpoint[]): void {
    for (const { key, periodEndMs } of taken) {
      const counter = this.counters.get(key);
      if (counter?.periodEndMs === periodEndMs && this.untold.size < MAX_CHANGED)
        this.untold.set(key, counter);
    }
  }

  /** The counter in that period; undefined when a later one has begun. */
  private open(named: QuotaCounter): Counter | undefined {
    const { key, periodEndMs } = named;
    let counter = this.counters.get(key);
    if (counter === undefined || counter.periodEndMs < periodEndMs) {
      const nothing = { ...NOTHING, lookedAtMs: Number.NEGATIVE_INFINITY };
      counter = { ...named, ...nothing, changed: false, check: null, policyId: undefined };
      this.counters.set(key, counter);
    }
    return counter.periodEndMs === periodEndMs ? counter : undefined;
  }

  private mark(counter: Counter): void {
    if (this.untold.size < MAX_CHANGED) this.untold.set(counter.key, counter);
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

  private async lookAtSome(): Promise<void> {
    for (const key of [...this.toLookAt].slice(0, LOOKS_AT_ONCE)) {
      this.toLookAt.delete(key);
      const counter = this.counters.get(key);
      if (counter !== undefined) await this.lookAt(counter);
    }
  }

  private async lookAt(counter: Counter): Promise<void> {
    const { check, key, periodEndMs, used: known } = counter;
    if (check === null) return;
    counter.lookedAtMs = this.nowMs();
    const reply = await this.options.readCounter(check);
    if (!reply.available) {
      if (this.toLookAt.size < MAX_CHANGED) this.toLookAt.add(key);
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
      this.untold.delete(key);
    }
  }

  private async write(): Promise<void> {
    const { changed } = this;
    this.changed = new Map();
    for (const counter of changed.values()) counter.changed = false;
    try {
      if (changed.size > 0) await this.options.store.write([...changed.values()]);
    } catch (error) {
      // One that was dropped or replaced meanwhile is not written any more.
      for (const counter of changed.values())
        if (this.counters.get(counter.key) === counter) this.mark(counter);
      this.options.onError('cannot write quota checkpoints', error);
    }
  }

  /** A store that was emptied and filled again knows more than it did when counters that had begun anew were looked up. */
  private async watchPutBacks(): Promise<void> {
    const putBack = await this.options.store.readRestoreMark().catch(() => null);
    if (putBack === null) {
      // Emptied, or nobody fills it: what comes next is new.
      this.lastPutBack ??= null;
      return;
    }
    if (this.lastPutBack !== undefined && this.lastPutBack !== putBack) this.putBacks++;
    this.lastPutBack = putBack;
  }

  private read(counter: QuotaCounter): Promise<StoredReading | null> {
    const name = `${counter.periodEndMs} ${counter.key}`;
    let read = this.reads.get(name);
    if (read === undefined) {
      const { promise, resolve } = Promise.withResolvers<StoredReading | null>();
      const timer = setTimeout(() => resolve(null), this.options.readWithinMs ?? READ_WITHIN_MS);
      this.options.store.read(counter).then(resolve, () => resolve(null));
      read = promise.finally(() => {
        clearTimeout(timer);
        this.reads.delete(name);
      });
      this.reads.set(name, read);
    }
    return read;
  }
}
