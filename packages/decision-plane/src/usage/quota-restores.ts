import { algorithmOf } from '../algorithms/index.js';
import type { AppliedLimit } from '../decide/resolve.js';
import { Generations } from '../policy/generations.js';
import type { Amended, Check, CheckResult, OwedCheck } from '../store/decision-store.js';
import type { KnownUse, QuotaCheckpoints } from './quota-checkpoints.js';

/** Counters that wait for another attempt, at least; at most twice as many. */
const WAITING_PER_GENERATION = 10_000;

/** Counters that were looked up and are remembered, at least; at most twice as many. */
const LOOKED_UP_PER_GENERATION = 10_000;

/** Between two attempts at one counter, and after a checkpoint could not be read in an outage. */
const AGAIN_AFTER_US = 1_000_000;

/** Time until refunds made before a counter began at 0 are in its checkpoint. */
const SETTLED_AFTER_US = 3_000_000;

export interface QuotaRestoresOptions {
  checkpoints: Pick<
    QuotaCheckpoints,
    'find' | 'isUnsettled' | 'putBacks' | 'seenUnder' | 'tenantOf' | 'note'
  >;
  /** Raises a counter that lost what was used; false: the store did not answer. */
  restore: (check: Check, used: number) => Promise<boolean>;
  /** The store's time, microseconds since the Unix epoch. */
  nowUs: () => number;
}

interface Waiting {
  readonly periodEndMs: number;
  /** The store's time. */
  readonly againAtUs: number;
}

/** A counter that was looked up, or that this node's charges of an outage were applied to. */
interface LookedUp {
  readonly periodEndMs: number;
  /** How often what is known had been put back by then. */
  putBacks: number;
  atUs: number;
  /** Units charged on top of a possible loss, and time of the last charge: an earlier reading lacks them. */
  charged: number;
  chargedAtUs: number;
}

/**
 * Raises quota counters that lost usage to their known usage: when a counter begins at 0, when it is below the usage that
 * this node saw, and before the charges of an outage are applied. Charges made since the last reading are added, so that a
 * loss is limited to the units in no checkpoint and no journal. If the checkpoint cannot be read or the counter cannot be
 * raised, the next decisions by it try again; so does the next one after checkpoints were put back.
 */
export class QuotaRestores {
  private readonly waiting = new Generations<Waiting>(WAITING_PER_GENERATION);
  private readonly lookedUp = new Generations<LookedUp>(LOOKED_UP_PER_GENERATION);
  private unreadableUntilUs = 0;

  constructor(private readonly options: QuotaRestoresOptions) {}

  /**
   * Called after each charge. Never rejects.
   * @param used units that the store counts after the charge, at `nowUs` of its time
   * @param mayLag the reading may be lower than an earlier one although nothing is lost
   */
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
    if (!isFirst && !this.isOpen(check.key, periodEndMs)) {
      if (mayLag || used >= this.options.checkpoints.seenUnder(check, periodEndMs)) return undefined;
      const entry = this.entry(check.key, periodEndMs);
      if (entry !== undefined && nowUs < entry.atUs + AGAIN_AFTER_US) return undefined;
    }
    return this.attempt(tenant, check, periodEndMs, used, nowUs);
  }

  /** Whether the counter may lack what was used before it was lost. */
  isOpen(key: string, periodEndMs: number): boolean {
    return this.isWaiting(key, periodEndMs) || this.isReopened(key, periodEndMs);
  }

  /** Adds the known usage to charges admitted without the store: the counters are raised to it first. */
  withKnown(owed: readonly Check[]): Promise<readonly OwedCheck[]> {
    return Promise.all(
      owed.map(async (check) => {
        if (!isQuota(check)) return check;
        const { used, isSure } = await this.find(check);
        if (!isSure) this.waitAgain(check, 0);
        return { ...check, known: used };
      }),
    );
  }

  /** The store has applied it. `reply.readings`: where each counter stands, in the order of `owed`. */
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

  /**
   * Reads the usage of quota counters that are unknown to this node, for a decision without the store. Undefined: there is
   * nothing to read; resolves within the time that a checkpoint may take. Never rejects.
   * @param tenant undefined: derived from the counters' keys
   */
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
      unknown.map(async ({ check }) => {
        const { used, isSure } = await this.find(check, tenant);
        if (!isSure) this.unreadableUntilUs = nowUs + AGAIN_AFTER_US;
        if (!isSure && used === 0) return;
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
    if (waiting !== undefined && nowUs < waiting.againAtUs) return;
    // Refunds may have emptied it. Waits for them only once: with constant refunds the wait would never end.
    const isUnsettled = waiting === undefined && checkpoints.isUnsettled(key);
    const againAtUs = nowUs + (isUnsettled ? SETTLED_AFTER_US : AGAIN_AFTER_US);
    this.waiting.set(key, { periodEndMs, againAtUs });
    if (isUnsettled) return;
    // Before it is looked up: what is put back meanwhile is looked up once more.
    const entry = this.entry(key, periodEndMs);
    if (entry !== undefined) Object.assign(entry, { putBacks: checkpoints.putBacks, atUs: nowUs });
    const { used, isSure } = this.withCharged(
      key,
      periodEndMs,
      await checkpoints.find(tenant, key, periodEndMs),
    );
    const isRestored = used <= counted || (await restore(check, used));
    if (!isSure || !isRestored) return;
    if (this.isWaiting(key, periodEndMs)) this.waiting.delete(key);
    if (used <= counted) return;
    checkpoints.note(tenant, check, periodEndMs, used, nowUs);
    this.forgetCharges(key, periodEndMs);
  }

  private async find(check: Check, tenant = this.tenantOf(check.key)): Promise<KnownUse> {
    const periodEndMs = periodEndOf(check, this.options.nowUs());
    const known = await this.options.checkpoints.find(tenant, check.key, periodEndMs);
    return this.withCharged(check.key, periodEndMs, known);
  }

  /** A reading from before this node's own charges does not count them. */
  private withCharged(key: string, periodEndMs: number, known: KnownUse): KnownUse {
    const entry = this.entry(key, periodEndMs);
    if (entry === undefined || known.used === 0 || known.atUs >= entry.chargedAtUs) return known;
    return { ...known, used: known.used + entry.charged };
  }

  private addCharge(key: string, periodEndMs: number, units: number, nowUs: number): void {
    const { putBacks } = this.options.checkpoints;
    const entry = this.entry(key, periodEndMs);
    if (entry === undefined) {
      this.lookedUp.set(key, { periodEndMs, putBacks, atUs: 0, charged: units, chargedAtUs: nowUs });
    } else {
      entry.charged += units;
      entry.chargedAtUs = nowUs;
    }
  }

  /** A reading that counts them was noted. Not while the checkpoint is to be read: it may turn out to be higher. */
  private forgetCharges(key: string, periodEndMs: number): void {
    const entry = this.entry(key, periodEndMs);
    if (entry !== undefined && !this.isWaiting(key, periodEndMs)) entry.charged = 0;
  }

  private waitAgain(check: Check, againAtUs: number): void {
    const periodEndMs = periodEndOf(check, this.options.nowUs());
    this.waiting.set(check.key, { periodEndMs, againAtUs });
  }

  private tenantOf(key: string): string {
    return this.options.checkpoints.tenantOf(key) ?? key.slice(1, key.indexOf('}'));
  }

  private entry(key: string, periodEndMs: number): LookedUp | undefined {
    const entry = this.lookedUp.get(key);
    return entry?.periodEndMs === periodEndMs ? entry : undefined;
  }

  private isWaiting(key: string, periodEndMs: number): boolean {
    return this.waiting.get(key)?.periodEndMs === periodEndMs;
  }

  private isReopened(key: string, periodEndMs: number): boolean {
    const { putBacks } = this.options.checkpoints;
    if (putBacks === 0) return false;
    const entry = this.entry(key, periodEndMs);
    return entry !== undefined && entry.putBacks < putBacks;
  }
}

function isQuota({ policy }: Check): boolean {
  return policy.kind === 'quota' || policy.kind === 'attempts_quota';
}

/** The end of the period that `nowUs` lies in, Unix ms. */
function periodEndOf({ policy }: Check, nowUs: number): number {
  const { resetAfterUs } = algorithmOf(policy.kind).step(undefined, policy, 0, nowUs, 0);
  return Math.round((nowUs + resetAfterUs) / 1000);
}
