import { Generations, getOrAdd } from '@tollgate/contracts/maps';
import { algorithmOf, type Period } from '@tollgate/limiter/algorithms';
import { tenantOfKey } from '@tollgate/limiter/rules';
import {
  type Amended,
  type Check,
  type CheckResult,
  type OwedCheck,
  type StoreReply,
  type Unavailable,
  within,
} from '@tollgate/limiter/stores';
import type { AppliedLimit } from '../counters/counter-book.js';
import type { KnownUsage, QuotaCheckpoints } from './quota-checkpoints.js';

const WAITING_PER_GENERATION = 10_000;
const LOOKED_UP_PER_GENERATION = 10_000;
const VERIFIED_PER_GENERATION = 65_536;
const RETRY_AFTER_US = 1_000_000;

/** Time until refunds made before a counter began at 0 are in its checkpoint. */
const REFUND_WRITTEN_AFTER_US = 3_000_000;

export interface QuotaRestoresOptions {
  checkpoints: Pick<
    QuotaCheckpoints,
    | 'find'
    | 'generation'
    | 'hasPendingRefund'
    | 'isAwaited'
    | 'isRestored'
    | 'note'
    | 'storeRestores'
    | 'tenantOf'
    | 'usedUnder'
  >;
  restore: (check: Check, used: number) => Promise<boolean>;
  /** Reads a counter within the deadline of decisions. */
  peek: (check: Check) => Promise<StoreReply>;
  /** Longest wait of a decision for a counter to be raised, ms. */
  deadlineMs: number;
  nowUs: () => number;
}

interface Waiting {
  readonly periodEndMs: number;
  /** The store's time. */
  readonly retryAtUs: number;
}

/** Whether a counter contains all that is known of its usage; `unknown`: it is at 0, and its checkpoint is not known. */
type Verification = 'verified' | 'unknown' | Unavailable;

/** Keys of enforced counters whose usage is unknown; or the counters are unavailable. */
export type Verified = { readonly available: true; readonly unknown: ReadonlySet<string> } | Unavailable;

interface Lookup {
  readonly periodEndMs: number;
  /** `storeRestores` at the time of the lookup. */
  storeRestores: number;
  atUs: number;
  charged: number;
  chargedAtUs: number;
}

/**
 * Raises quota counters that lost usage to their known usage: before the first decision by a counter in a period and a
 * connection of the counters (docs/adr/0077-quota-verification.md), when a counter begins at 0, when it is below a reading of
 * this node, and before charges of an outage are replayed. Charges since the last reading are added. Until the checkpoint
 * is read and the counter raised, the next decisions by it retry; so does the next decision after the checkpoint store was
 * restored.
 */
export class QuotaRestores {
  private readonly waiting = new Generations<Waiting>(WAITING_PER_GENERATION);
  private readonly lookedUp = new Generations<Lookup>(LOOKED_UP_PER_GENERATION);
  /** End of the period in which a counter was verified, Unix ms, by key. */
  private verified = new Generations<number>(VERIFIED_PER_GENERATION);
  private verifiedIn = 0;
  private readonly verifying = new Map<string, Promise<Verification>>();
  private unreadableUntilUs = 0;

  constructor(private readonly options: QuotaRestoresOptions) {}

  /** The quotas to {@link verify} before a decision; undefined: none, which is the usual case. */
  unverified(applied: readonly AppliedLimit[]): readonly AppliedLimit[] | undefined {
    let found: AppliedLimit[] | undefined;
    for (const one of applied) {
      if (one.limit.kind !== 'quota' || this.isVerified(one.check)) continue;
      found ??= [];
      found.push(one);
    }
    return found;
  }

  /** Raises the counters to their checkpoints if they are at 0. Never rejects; waits no longer than decisions do. */
  async verify(unverified: readonly AppliedLimit[], tenant: string | undefined): Promise<Verified> {
    const results = await Promise.all(
      unverified.map(({ check, of }) => this.verifyCounter(check, of?.tenant ?? tenant)),
    );
    const unknown = new Set<string>();
    for (const [i, result] of results.entries()) {
      const { mode, check } = unverified[i] as AppliedLimit;
      if (typeof result === 'object') return result;
      if (result === 'unknown' && mode === 'enforce') unknown.add(check.key);
    }
    return { available: true, unknown };
  }

  /** Whether units may be leased from the counter. Never rejects. */
  async mayLease(check: Check): Promise<boolean> {
    return !isQuota(check) || this.isVerified(check) || (await this.verifyCounter(check)) === 'verified';
  }

  /** Whether a counter whose usage is unknown denies; later, its limit's `onUnavailable` decides. */
  get isAwaited(): boolean {
    return this.options.checkpoints.isAwaited;
  }

  /** Called after each charge. Never rejects. @param mayLag the reading may be lower than an earlier one without a loss */
  charged(
    tenant: string,
    check: Check,
    periodEndMs: number,
    used: number,
    nowUs: number,
    mayLag: boolean,
  ): Promise<void> | undefined {
    // The first charge of a period, or the first since the counters were lost.
    const isFirst = used <= check.cost;
    if (!isFirst && !this.mayLackUsage(check.key, periodEndMs)) {
      if (mayLag || used >= this.options.checkpoints.usedUnder(check, periodEndMs)) return undefined;
      const entry = this.entry(check.key, periodEndMs);
      if (entry !== undefined && nowUs < entry.atUs + RETRY_AFTER_US) return undefined;
    }
    return this.attempt(tenant, check, periodEndMs, used, nowUs);
  }

  /** Whether the counter may lack usage from before a loss. */
  mayLackUsage(key: string, periodEndMs: number): boolean {
    return this.isWaiting(key, periodEndMs) || this.isOutdated(key, periodEndMs);
  }

  /**
   * The counters are raised to the known usage first. Undefined: charge them later, because nodes that find usage in a counter
   * do not look for its checkpoint, which is expected to be restored.
   */
  async withKnown(owed: readonly Check[]): Promise<readonly OwedCheck[] | undefined> {
    let isUnknown = false;
    const known = await Promise.all(
      owed.map(async (check) => {
        if (!isQuota(check)) return check;
        const { used, isComplete } = await this.find(check);
        if (!isComplete) this.retryAt(check, 0);
        if (!isComplete && used === 0) isUnknown = true;
        return { ...check, known: used };
      }),
    );
    return isUnknown && this.isAwaited ? undefined : known;
  }

  /** Called when the store has applied replayed charges. @param owed in the order of `reply.readings` */
  applied(owed: readonly OwedCheck[], { nowUs, readings = [] }: Amended): void {
    for (const [i, check] of owed.entries()) {
      const reading = readings[i];
      // `remaining` of a quota of failures also excludes attempts in flight, which may not fail.
      if (check.policy.kind !== 'quota' || reading === undefined) continue;
      const periodEndMs = Math.round((nowUs + reading.resetAfterUs) / 1000);
      if (check.known !== undefined && check.known > 0) this.forgetCharges(check.key, periodEndMs);
      this.addCharge(check.key, periodEndMs, check.cost, nowUs);
      const { checkpoints } = this.options;
      checkpoints.note(
        this.tenantOf(check.key),
        check,
        periodEndMs,
        check.policy.capacity - reading.remaining,
        nowUs,
      );
    }
  }

  /** For a degraded decision: reads the usage of quotas of which this node has no reading. Never rejects. */
  learn(
    tenant: string | undefined,
    applied: readonly AppliedLimit[],
    isKnown: (key: string) => boolean,
    onReading: (
      check: Check,
      reading: Pick<CheckResult, 'remaining' | 'resetAfterUs'>,
      nowUs: number,
    ) => void,
  ): Promise<unknown> | undefined {
    const nowUs = this.options.nowUs();
    if (nowUs < this.unreadableUntilUs) return undefined;
    const unknown = applied.filter(
      ({ limit, mode, check }) =>
        limit.kind === 'quota' &&
        mode === 'enforce' &&
        limit.stored.onUnavailable === 'share' &&
        !isKnown(check.key),
    );
    if (unknown.length === 0) return undefined;
    return Promise.all(
      unknown.map(async ({ check, of }) => {
        const { used, isComplete } = await this.find(check, of?.tenant ?? tenant);
        if (!isComplete) this.unreadableUntilUs = nowUs + RETRY_AFTER_US;
        if (!isComplete && used === 0) return;
        const resetAfterUs = periodEndOf(check, nowUs) * 1000 - nowUs;
        onReading(check, { remaining: check.policy.capacity - used, resetAfterUs }, nowUs);
      }),
    );
  }

  private async attempt(
    tenant: string,
    check: Check,
    periodEndMs: number,
    counted: number,
    nowUs: number,
  ): Promise<void> {
    const { key, policy } = check;
    const waiting = this.isWaiting(key, periodEndMs) ? this.waiting.get(key) : undefined;
    // Until the counter is raised, each charge adds to the lost usage.
    this.addCharge(key, periodEndMs, policy.kind === 'quota' ? check.cost : 0, nowUs);
    if (waiting !== undefined && nowUs < waiting.retryAtUs) return;
    if (!this.waitForRefund(key, periodEndMs, nowUs, waiting)) {
      await this.raise(tenant, check, periodEndMs, counted, nowUs, false);
    }
  }

  private isVerified({ key, policy }: Check): boolean {
    const { generation } = this.options.checkpoints;
    if (generation !== this.verifiedIn) {
      this.verifiedIn = generation;
      this.verified = new Generations(VERIFIED_PER_GENERATION);
    }
    return this.verified.get(key) === (policy as Partial<Period>).endMs;
  }

  private verifyCounter(check: Check, tenant = this.tenantOf(check.key)): Promise<Verification> {
    return getOrAdd(this.verifying, check.key, async () => {
      try {
        const { verifiedIn } = this;
        const result = await this.verifyNow(tenant, check);
        const { endMs } = check.policy as Partial<Period>;
        // Verified under lost connections proves nothing.
        if (
          result === 'verified' &&
          verifiedIn === this.options.checkpoints.generation &&
          endMs !== undefined
        )
          this.verified.set(check.key, endMs);
        return result;
      } finally {
        this.verifying.delete(check.key);
      }
    });
  }

  private async verifyNow(tenant: string, check: Check): Promise<Verification> {
    const { checkpoints, peek, deadlineMs } = this.options;
    const reply = await peek(check);
    const reading = reply.available ? reply.checks[0] : undefined;
    if (!reply.available || reading === undefined) return UNAVAILABLE;
    const { key, policy } = check;
    const { nowUs } = reply;
    const used = policy.capacity - reading.remaining - (reading.attempts ?? 0);
    const periodEndMs = Math.round((nowUs + reading.resetAfterUs) / 1000);
    if (used > 0 || this.waitForRefund(key, periodEndMs, nowUs, this.waiting.get(key))) return 'verified';
    const canFind = nowUs >= this.unreadableUntilUs || checkpoints.usedUnder(check, periodEndMs) > 0;
    if (!canFind && checkpoints.isRestored) return 'verified';
    const raised = await within(2 * deadlineMs, this.raise(tenant, check, periodEndMs, used, nowUs, true));
    if (raised === undefined || !raised.isRestored) return UNAVAILABLE;
    const { used: knownUsed, isComplete } = raised.known;
    if (isComplete || knownUsed > 0) return 'verified';
    if (!checkpoints.isRestored) return 'unknown';
    // While the checkpoints of counters that were not lost cannot be read, decisions must not suffer.
    this.unreadableUntilUs = nowUs + RETRY_AFTER_US;
    return 'verified';
  }

  /**
   * Refunds may have emptied the counter. Waits for them once only: with constant refunds the wait would never end.
   * @returns whether to look for its checkpoint later
   */
  private waitForRefund(
    key: string,
    periodEndMs: number,
    nowUs: number,
    waiting: Waiting | undefined,
  ): boolean {
    const isWaiting = waiting?.periodEndMs === periodEndMs;
    const hasPendingRefund = !isWaiting && this.options.checkpoints.hasPendingRefund(key);
    const retryAtUs = nowUs + (hasPendingRefund ? REFUND_WRITTEN_AFTER_US : RETRY_AFTER_US);
    this.waiting.set(key, { periodEndMs, retryAtUs });
    return hasPendingRefund;
  }

  /** Until the checkpoint is read and the counter raised, later charges retry. @param counted the counter's usage */
  private async raise(
    tenant: string,
    check: Check,
    periodEndMs: number,
    counted: number,
    nowUs: number,
    isAwaited: boolean,
  ): Promise<{ known: KnownUsage; isRestored: boolean }> {
    const { key } = check;
    const { checkpoints, restore } = this.options;
    // Recorded before the lookup, so that a restore of the checkpoint store meanwhile causes another lookup.
    const entry = this.entry(key, periodEndMs);
    if (entry !== undefined) Object.assign(entry, { storeRestores: checkpoints.storeRestores, atUs: nowUs });
    const known = this.withCharged(
      key,
      periodEndMs,
      await checkpoints.find(tenant, key, periodEndMs, isAwaited),
    );
    const { used, isComplete } = known;
    const isRestored = used <= counted || (await restore(check, used));
    if (!isComplete || !isRestored) return { known, isRestored };
    if (this.isWaiting(key, periodEndMs)) this.waiting.delete(key);
    if (used > counted) {
      checkpoints.note(tenant, check, periodEndMs, used, nowUs);
      this.forgetCharges(key, periodEndMs);
    }
    return { known, isRestored };
  }

  private async find(check: Check, tenant = this.tenantOf(check.key)): Promise<KnownUsage> {
    const periodEndMs = periodEndOf(check, this.options.nowUs());
    const known = await this.options.checkpoints.find(tenant, check.key, periodEndMs);
    return this.withCharged(check.key, periodEndMs, known);
  }

  private withCharged(key: string, periodEndMs: number, known: KnownUsage): KnownUsage {
    const entry = this.entry(key, periodEndMs);
    if (entry === undefined || known.used === 0 || known.atUs >= entry.chargedAtUs) return known;
    return { ...known, used: known.used + entry.charged };
  }

  private addCharge(key: string, periodEndMs: number, units: number, nowUs: number): void {
    const { storeRestores } = this.options.checkpoints;
    const entry = this.entry(key, periodEndMs);
    if (entry === undefined) {
      this.lookedUp.set(key, { periodEndMs, storeRestores, atUs: 0, charged: units, chargedAtUs: nowUs });
    } else {
      entry.charged += units;
      entry.chargedAtUs = nowUs;
    }
  }

  /** Called when a reading includes them, except while the checkpoint is still to be read: it may be higher. */
  private forgetCharges(key: string, periodEndMs: number): void {
    const entry = this.entry(key, periodEndMs);
    if (entry !== undefined && !this.isWaiting(key, periodEndMs)) entry.charged = 0;
  }

  private retryAt(check: Check, retryAtUs: number): void {
    const periodEndMs = periodEndOf(check, this.options.nowUs());
    this.waiting.set(check.key, { periodEndMs, retryAtUs });
  }

  private tenantOf(key: string): string {
    return this.options.checkpoints.tenantOf(key) ?? tenantOfKey(key);
  }

  private entry(key: string, periodEndMs: number): Lookup | undefined {
    const entry = this.lookedUp.get(key);
    return entry?.periodEndMs === periodEndMs ? entry : undefined;
  }

  private isWaiting(key: string, periodEndMs: number): boolean {
    return this.waiting.get(key)?.periodEndMs === periodEndMs;
  }

  private isOutdated(key: string, periodEndMs: number): boolean {
    const { storeRestores } = this.options.checkpoints;
    if (storeRestores === 0) return false;
    const entry = this.entry(key, periodEndMs);
    return entry !== undefined && entry.storeRestores < storeRestores;
  }
}

const UNAVAILABLE: Unavailable = { available: false, reason: 'deadline' };

function isQuota({ policy }: Check): boolean {
  return policy.kind === 'quota' || policy.kind === 'attempts_quota';
}

/** Unix ms. */
function periodEndOf({ policy }: Check, nowUs: number): number {
  const { resetAfterUs } = algorithmOf(policy.kind).step(undefined, policy, 0, nowUs, 0);
  return Math.round((nowUs + resetAfterUs) / 1000);
}
