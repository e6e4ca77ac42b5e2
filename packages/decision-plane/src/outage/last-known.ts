import { Generations } from '../policy/generations.js';
import type { Check, CheckResult } from '../store/decision-store.js';
import type { Exhaustion } from '../store/redis/counter-channel.js';

/** What the store last said of a counter, to this node or to another. */
export interface LastReading {
  /** Signed, as the store says it. */
  readonly remaining: number;
  /** The store's time, microseconds since the Unix epoch. */
  readonly nowUs: number;
  /** When nothing is used any more: from then on the reading says nothing. */
  readonly resetAtUs: number;
}

/** Counters remembered at least; at most twice as many. */
const KEYS_PER_GENERATION = 50_000;

/** Counters that other nodes said run short: apart, so that they cannot push out own readings. */
const EXHAUSTED_PER_GENERATION = 25_000;

/** News that wait to be told; what comes beyond is told when it is met again. */
const MAX_UNTOLD = 1000;

/** What ends sooner is not worth a message: other nodes would hear of it when it is over. */
const WORTH_TELLING_US = 2_000_000;

/** How long what was told is not told again, if no more is spent. */
const TELL_AGAIN_AFTER_US = 30_000_000;

/** Of smaller limits only exhaustion is told: what others may think is left of half of them is little. */
const LEAST_HALVED = 10;

/** What was told of a counter, and until when that will do, the store's time. */
interface Told {
  readonly remaining: number;
  readonly untilUs: number;
}

/**
 * Where the counters that were asked about lately stood, by this node's own readings and by what other nodes say of those
 * that run short: each time that half of what was told last is spent, and when nothing is left. In an outage no node admits
 * what another one knew to be spent, and none takes more than twice as much as was left for what is left.
 */
export class LastKnown {
  private readonly own = new Generations<LastReading>(KEYS_PER_GENERATION);
  /** After shares that this node spent: apart, so that requests to the store cannot push them out. */
  private readonly spent = new Generations<LastReading>(KEYS_PER_GENERATION);
  private readonly others = new Generations<LastReading>(EXHAUSTED_PER_GENERATION);
  private readonly told = new Generations<Told>(EXHAUSTED_PER_GENERATION);
  private untold = new Map<string, Exhaustion>();

  /** Takes note of what the store said. */
  remember(checks: readonly Check[], results: readonly CheckResult[], nowUs: number): void {
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i];
      const result = results[i];
      if (check !== undefined && result !== undefined) this.note(check, result, nowUs);
    }
  }

  /** Takes note of what the store said of one counter; of two readings the newer one stays. */
  note(
    { key, policy: { kind, capacity } }: Check,
    { remaining, resetAfterUs }: Pick<CheckResult, 'remaining' | 'resetAfterUs'>,
    nowUs: number,
  ): void {
    const resetAtUs = nowUs + resetAfterUs;
    const before = this.own.get(key);
    if (before === undefined || before.nowUs <= nowUs) this.own.set(key, { remaining, nowUs, resetAtUs });
    // A slot may be freed at any moment.
    const lasts = kind !== 'concurrency' && resetAfterUs >= WORTH_TELLING_US;
    const isShort = remaining <= 0 || (capacity >= LEAST_HALVED && remaining * 2 <= capacity);
    if (isShort && lasts) this.noteShort(key, Math.max(0, remaining), nowUs, resetAtUs);
  }

  /** Takes note of what another node read. */
  hear({ key, remaining, nowUs, resetAtUs }: Exhaustion): void {
    const known = this.others.get(key);
    if (known === undefined || known.nowUs < nowUs) this.others.set(key, { remaining, nowUs, resetAtUs });
  }

  /** Notes the units left after this node spent a share. Valid until the store decides by the counter. */
  noteSpent(key: string, reading: LastReading): void {
    this.spent.set(key, reading);
  }

  /** What other nodes should hear of, each level once until its reset or for half a minute. */
  takeNews(): Exhaustion[] {
    if (this.untold.size === 0) return [];
    const news = [...this.untold.values()];
    this.untold = new Map();
    return news;
  }

  /**
   * The newest reading that is still valid at `nowUs`. Until the store decides by a counter of which a share was spent, later
   * readings of other nodes can lower the remaining share but not raise it.
   */
  find(key: string, nowUs: number): LastReading | undefined {
    const own = this.own.get(key);
    const heard = this.others.get(key);
    const newest = own === undefined || (heard !== undefined && heard.nowUs > own.nowUs) ? heard : own;
    const valid = newest === undefined || newest.resetAtUs <= nowUs ? undefined : newest;
    const spent = this.spent.get(key);
    if (spent === undefined || spent.resetAtUs <= nowUs || (own !== undefined && own.nowUs > spent.nowUs)) {
      return valid;
    }
    return valid === undefined || valid.remaining >= spent.remaining ? spent : valid;
  }

  /**
   * Something was given back to the counter, or it was reset: what was told of it is told again. The reading stays: most of
   * what it says is still true, and without it a node would have its part of a fresh limit.
   */
  cleared(key: string): void {
    this.told.delete(key);
    this.untold.delete(key);
  }

  private noteShort(key: string, remaining: number, nowUs: number, resetAtUs: number): void {
    const told = this.told.get(key);
    const isNews =
      told === undefined ||
      nowUs >= told.untilUs ||
      (remaining < told.remaining && remaining * 2 <= told.remaining);
    if (!isNews || this.untold.size >= MAX_UNTOLD) return;
    this.told.set(key, { remaining, untilUs: Math.min(resetAtUs, nowUs + TELL_AGAIN_AFTER_US) });
    this.untold.set(key, { key, remaining, nowUs, resetAtUs });
  }
}
