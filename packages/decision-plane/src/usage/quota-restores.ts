import { algorithmOf } from '../algorithms/index.js';
import type { AppliedLimit } from '../decide/counter-book.js';
import { Generations } from '../store/bounded-keys.js';
import type { Amended, Check, CheckResult, OwedCheck } from '../store/decision-store.js';
import { tenantOfKey } from '../store/keys.js';
import type { KnownUsage, QuotaCheckpoints } from './quota-checkpoints.js';

const WAITING_PER_GENERATION = 10_000;
const LOOKED_UP_PER_GENERATION = 10_000;
const RETRY_AFTER_US = 1_000_000;

/** Time until refunds made before a counter began at 0 are in its checkpoint. */
const REFUND_WRITTEN_AFTER_US = 3_000_000;

export interface QuotaRestoresOptions {
  checkpoints: Pick<
    QuotaCheckpoints,
    'find' | 'hasPendingRefund' | 'storeRestores' | 'usedUnder' | 'tenantOf' | 'note'
  >;
  restore: (check: Check, used: number) => Promise<boolean>;
  nowUs: () => number;
}

interface Waiting {
  readonly periodEndMs: number;
  /** The store's time. */
  readonly retryAtUs: number;
}

interface Lookup {
  readonly periodEndMs: number;
  /** `storeRestores` at the time of the lookup. */
  storeRestores: number;
  atUs: number;
  charged: number;
  chargedAtUs: number;
}

/**
 * Raises quota counters that lost usage to their known usage: when a counter begins at 0, when it is below a reading of
 * this node, and before charges of an outage are replayed. Charges since the last reading are added. Until the checkpoint
 * is read and the counter raised, the next decisions by it retry; so does the next decision after the checkpoint store was
 * restored.
 */
export class QuotaRestores {
  private readonly waiting = new Generations<Waiting>(WAITING_PER_GENERATION);
  private readonly lookedUp = new Generations<Lookup>(LOOKED_UP_PER_GENERATION);
  private unreadableUntilUs = 0;

  constructor(private readonly options: QuotaRestoresOptions) {}

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

  /** The counters are raised to the known usage first. */
  withKnown(owed: readonly Check[]): Promise<readonly OwedCheck[]> {
    return Promise.all(
      owed.map(async (check) => {
        if (!isQuota(check)) return check;
        const { used, isComplete } = await this.find(check);
        if (!isComplete) this.retryAt(check, 0);
        return { ...check, known: used };
      }),
    );
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
    const { checkpoints, restore } = this.options;
    const waiting = this.isWaiting(key, periodEndMs) ? this.waiting.get(key) : undefined;
    // Until the counter is raised, each charge adds to the lost usage.
    this.addCharge(key, periodEndMs, policy.kind === 'quota' ? check.cost : 0, nowUs);
    if (waiting !== undefined && nowUs < waiting.retryAtUs) return;
    // Refunds may have emptied the counter. Waits for them once only: with constant refunds the wait would never end.
    const hasPendingRefund = waiting === undefined && checkpoints.hasPendingRefund(key);
    const retryAtUs = nowUs + (hasPendingRefund ? REFUND_WRITTEN_AFTER_US : RETRY_AFTER_US);
    this.waiting.set(key, { periodEndMs, retryAtUs });
    if (hasPendingRefund) return;
    // Recorded before the lookup, so that a restore of the checkpoint store meanwhile causes another lookup.
    const entry = this.entry(key, periodEndMs);
    if (entry !== undefined) Object.assign(entry, { storeRestores: checkpoints.storeRestores, atUs: nowUs });
    const { used, isComplete } = this.withCharged(
      key,
      periodEndMs,
      await checkpoints.find(tenant, key, periodEndMs, false),
    );
    const isRestored = used <= counted || (await restore(check, used));
    if (!isComplete || !isRestored) return;
    if (this.isWaiting(key, periodEndMs)) this.waiting.delete(key);
    if (used <= counted) return;
    checkpoints.note(tenant, check, periodEndMs, used, nowUs);
    this.forgetCharges(key, periodEndMs);
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

function isQuota({ policy }: Check): boolean {
  return policy.kind === 'quota' || policy.kind === 'attempts_quota';
}

/** Unix ms. */
function periodEndOf({ policy }: Check, nowUs: number): number {
  const { resetAfterUs } = algorithmOf(policy.kind).step(undefined, policy, 0, nowUs, 0);
  return Math.round((nowUs + resetAfterUs) / 1000);
}
