import { Generations } from '../policy/generations.js';
import type { Check } from '../store/decision-store.js';
import type { QuotaCheckpoints } from './quota-checkpoints.js';

/** Counters that wait for another attempt, at least; at most twice as many. */
const WAITING_PER_GENERATION = 10_000;

/** Counters that were seen to begin anew and are remembered, at least; at most twice as many. */
const BEGUN_PER_GENERATION = 10_000;

/** Between two attempts at one counter. */
const AGAIN_AFTER_US = 1_000_000;

/** What was given back before a counter began anew is in its checkpoint by then. */
const SETTLED_AFTER_US = 3_000_000;

export interface QuotaRestoresOptions {
  checkpoints: Pick<QuotaCheckpoints, 'find' | 'isUnsettled' | 'putBacks'>;
  /** Raises a counter that lost what was used; false: the store did not answer. */
  restore: (check: Check, used: number) => Promise<boolean>;
}

interface Waiting {
  readonly periodEndMs: number;
  /** The store's time. */
  readonly againAtUs: number;
}

/** A counter that began anew and was looked up. */
interface Begun {
  readonly periodEndMs: number;
  /** How often what is known had been put back by then. */
  readonly putBacks: number;
}

/**
 * Raises quota counters that begin anew to what is known to be used of them, in case that they were lost. Where that cannot
 * be known or done at once, the next decisions by the counter try again. So does the next one after the checkpoints, lost
 * with the counters, were put back.
 */
export class QuotaRestores {
  private readonly waiting = new Generations<Waiting>(WAITING_PER_GENERATION);
  private readonly begun = new Generations<Begun>(BEGUN_PER_GENERATION);

  constructor(private readonly options: QuotaRestoresOptions) {}

  /** Whether the counter may lack what was used before it was lost. */
  isOpen(key: string, periodEndMs: number): boolean {
    return this.isWaiting(key, periodEndMs) || this.isReopened(key, periodEndMs);
  }

  /**
   * After the first charge of a counter, and each one while it {@link isOpen}. Never rejects.
   * @param counted what the store counted by then, at `nowUs` of its time
   */
  async attempt(
    tenant: string,
    check: Check,
    periodEndMs: number,
    counted: number,
    nowUs: number,
  ): Promise<void> {
    const { key } = check;
    const { checkpoints, restore } = this.options;
    const waiting = this.isWaiting(key, periodEndMs) ? this.waiting.get(key) : undefined;
    if (waiting !== undefined && nowUs < waiting.againAtUs) return;
    // What was given back may have emptied it. Only at first: where something is given back all the time, that never ends.
    const isUnsettled = waiting === undefined && checkpoints.isUnsettled(key);
    const againAtUs = nowUs + (isUnsettled ? SETTLED_AFTER_US : AGAIN_AFTER_US);
    this.waiting.set(key, { periodEndMs, againAtUs });
    if (isUnsettled) return;
    // Before it is looked up: what is put back meanwhile is looked up once more.
    this.begun.set(key, { periodEndMs, putBacks: checkpoints.putBacks });
    const { used, isSure } = await checkpoints.find(tenant, key, periodEndMs);
    // What is known may be newer than the charge, and count it: adding it would take a unit from a counter that nobody lost.
    const isRestored = used <= counted || (await restore(check, used));
    if (isSure && isRestored && this.isWaiting(key, periodEndMs)) this.waiting.delete(key);
  }

  private isWaiting(key: string, periodEndMs: number): boolean {
    return this.waiting.get(key)?.periodEndMs === periodEndMs;
  }

  private isReopened(key: string, periodEndMs: number): boolean {
    const { putBacks } = this.options.checkpoints;
    if (putBacks === 0) return false;
    const begun = this.begun.get(key);
    return begun?.periodEndMs === periodEndMs && begun.putBacks < putBacks;
  }
}
