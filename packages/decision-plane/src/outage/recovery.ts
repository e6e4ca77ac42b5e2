import type {
  Amended,
  Amendment,
  Check,
  OwedCheck,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../store/decision-store.js';
import type { DegradedMode } from './degraded-mode.js';

/** So long after the last decision without the counters, they are back. */
const RECOVERED_AFTER_MS = 1000;

export interface AvailabilityOptions {
  /** Once an outage. */
  onDegraded: (cause: string) => void;
  /** Once an outage, with how many decisions were made without the counters. */
  onRecovered: (decisions: number) => void;
  /** Monotonic; left out: the process's. */
  clockMs?: () => number;
}

/**
 * Whether the counters can be asked, by what became of decisions. In a cluster some may be away while others answer: only
 * a while without a degraded decision is a recovery.
 */
export class Availability {
  private readonly clockMs: () => number;
  private decisions = 0;
  private lastMs = 0;
  private lastFailure = 'not connected yet';

  constructor(private readonly options: AvailabilityOptions) {
    this.clockMs = options.clockMs ?? (() => performance.now());
  }

  /** Whether decisions are, or were just now, made without the counters. */
  get degraded(): boolean {
    return this.decisions > 0;
  }

  /** What last went wrong. */
  get cause(): string {
    return this.lastFailure;
  }

  /** Takes note of a call that was late or failed: the cause of what follows. */
  failed(reason: UnavailableReason, error?: unknown): void {
    this.lastFailure = error instanceof Error ? `${reason}: ${error.message}` : reason;
  }

  /** Takes note of the store's reply to a decision. */
  note(reply: StoreReply): void {
    if (!reply.available) {
      this.decisions++;
      this.lastMs = this.clockMs();
      if (this.decisions === 1) this.options.onDegraded(this.lastFailure);
    } else if (this.degraded && this.clockMs() - this.lastMs >= RECOVERED_AFTER_MS) {
      const { decisions } = this;
      this.decisions = 0;
      this.options.onRecovered(decisions);
    }
  }
}

/** Counters in one message to the store. */
const KEYS_AT_ONCE = 100;

/** What the store did not take, and nobody asks for, is sent again after this. */
const AGAIN_AFTER_MS = 1000;

/** So too for requests with an id: whoever asks meanwhile is decided here. */
const REQUESTS_AGAIN_AFTER_MS = 50;

/** After so many messages of those that were not taken, the rest waits until then too. */
const FAILURES_AT_ONCE = 20;

export interface RepaymentsOptions {
  degraded: Pick<DegradedMode, 'journal' | 'admitted' | 'isAwaited' | 'forgetRequest' | 'applied'>;
  decide: (request: StoreRequest) => Promise<StoreReply>;
  amend: (amendment: Amendment) => Promise<Amended | Unavailable>;
  /** Adds the known usage of counters that may have lost it; left out: none is known. Never rejects. */
  withKnown?: (owed: readonly Check[]) => Promise<readonly OwedCheck[]>;
  /** Called with the charges that the store has applied. */
  onApplied?: (owed: readonly OwedCheck[], reply: Amended) => void;
  /** Monotonic, ms. */
  clockMs: () => number;
}

/**
 * Tells the store what was admitted without it, before it decides again by the same counters: else it would admit the same
 * units once more. One message at a time, of one tenant's counters, so that it is taken whole or not at all; a message
 * whose answer is lost is sent again, and may be charged twice: too little is admitted then, never too much.
 */
export class Repayments {
  /** Somebody wants to ask for them. */
  private readonly wanted = new KeysByTag();
  /** Nobody asks for them now. */
  private readonly others = new KeysByTag();
  private againAtMs = Number.POSITIVE_INFINITY;
  /** Counters that were told of once, of which more was admitted meanwhile: whoever asks waits, or it would never end. */
  private readonly closing = new Map<string, PromiseWithResolvers<boolean>>();
  private telling: Promise<boolean> | undefined;
  private requestsAgainAtMs = 0;
  private isRunning = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: RepaymentsOptions) {}

  /**
   * What has to happen before the store may decide by these counters. Undefined: nothing; false: it does not know yet what
   * was spent without it, the node decides by itself; a promise: soon, true if it knows then. Tells the store of them.
   */
  before(checks: readonly Check[]): undefined | false | Promise<boolean> {
    const { admitted } = this.options.degraded;
    const charged = this.beforeCharges(checks);
    const isAwaited = admitted.size > 0 && checks.some(({ key }) => this.options.degraded.isAwaited(key));
    if (charged === false || !isAwaited) return charged;
    const known = this.requestsKnown();
    if (charged === undefined || known === false) return known;
    return Promise.all([charged, known]).then(([a, b]) => a && b);
  }

  private beforeCharges(checks: readonly Check[]): undefined | false | Promise<boolean> {
    const { journal } = this.options.degraded;
    if (journal.size === 0) return undefined;
    const open = checks.filter(({ key }) => journal.isOpen(key));
    if (open.length === 0) return undefined;
    const closing = open.flatMap(({ key }) => this.closing.get(key)?.promise ?? []);
    if (closing.length === open.length) {
      return Promise.all(closing).then((told) => told.every(Boolean));
    }
    for (const { key } of open) this.wanted.add(key);
    this.start();
    return false;
  }

  /** Tells the store of everything, also of counters that nobody asks for; resolves when it was tried. */
  all(): Promise<void> {
    this.againAtMs = Number.POSITIVE_INFINITY;
    for (const key of this.options.degraded.journal.keys()) this.others.add(key);
    this.start();
    return this.running;
  }

  /** The store answered something: where it did not take everything the last time, it is tried again. */
  answered(): void {
    if (this.againAtMs === Number.POSITIVE_INFINITY) {
      if (this.options.degraded.admitted.size > 0) this.start();
      return;
    }
    if (this.options.clockMs() >= this.againAtMs) void this.all();
  }

  /** Somebody asks again for a request that was admitted here: the store should know it. */
  requestWanted(): void {
    if (this.againAtMs === Number.POSITIVE_INFINITY || this.options.clockMs() >= this.againAtMs) this.start();
  }

  private start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.running = this.run();
  }

  private async run(): Promise<void> {
    let failures = 0;
    for (;;) {
      const wanted = this.wanted.take(KEYS_AT_ONCE);
      const keys = wanted ?? (failures < FAILURES_AT_ONCE ? this.others.take(KEYS_AT_ONCE) : undefined);
      if (keys === undefined) break;
      const isTold = await this.tell(keys);
      if (!isTold && wanted === undefined) failures++;
    }
    if (this.options.degraded.admitted.size > 0 && !(await this.requestsKnown())) failures++;
    this.againAtMs = failures > 0 ? this.options.clockMs() + AGAIN_AFTER_MS : Number.POSITIVE_INFINITY;
    this.isRunning = false;
  }

  /** Makes the store know what was admitted under ids; false: it could not be asked just now. */
  private requestsKnown(): false | Promise<boolean> {
    if (this.telling === undefined && this.options.clockMs() < this.requestsAgainAtMs) return false;
    this.telling ??= this.tellRequests().finally(() => {
      this.telling = undefined;
    });
    return this.telling;
  }

  /** Asks for what was admitted under an id; what the store has charged already is not charged again. */
  private async tellRequests(): Promise<boolean> {
    const { degraded, decide } = this.options;
    while (degraded.admitted.size > 0) {
      const requests = [...degraded.admitted].slice(0, KEYS_AT_ONCE);
      const replies = await Promise.all(requests.map(([, request]) => decide(request)));
      for (const [i, [receiptKey, request]] of requests.entries()) {
        const reply = replies[i];
        if (reply?.available !== true) continue;
        degraded.forgetRequest(receiptKey);
        degraded.applied(request.checks, reply.checks, reply.nowUs);
      }
      if (!replies.every((reply) => reply.available)) {
        this.requestsAgainAtMs = this.options.clockMs() + REQUESTS_AGAIN_AFTER_MS;
        return false;
      }
    }
    return true;
  }

  /** Tells until nothing more was admitted meanwhile. @returns whether the store took all of it */
  private async tell(keys: readonly string[]): Promise<boolean> {
    const { amend, degraded, withKnown, onApplied } = this.options;
    const { journal } = degraded;
    let open = keys;
    for (;;) {
      const owed = journal.begin(open);
      if (owed.length === 0) break;
      const checks = withKnown === undefined ? owed : await withKnown(owed);
      const reply = await amend({ op: 'charge', checks });
      if (!reply.available || reply.status !== 'applied') {
        journal.untold(owed);
        this.settle(keys, false);
        return false;
      }
      onApplied?.(checks, reply);
      open = journal.told(owed);
      degraded.applied(checks, reply.readings ?? [], reply.nowUs);
      for (const key of open) {
        if (!this.closing.has(key)) this.closing.set(key, Promise.withResolvers());
      }
    }
    this.settle(keys, true);
    return true;
  }

  private settle(keys: readonly string[], isTold: boolean): void {
    for (const key of keys) {
      this.closing.get(key)?.resolve(isTold);
      this.closing.delete(key);
    }
  }
}

/** Keys by hash tag, those of one tag together. */
class KeysByTag {
  private readonly tags = new Map<string, Set<string>>();

  add(key: string): void {
    const tag = key.slice(0, key.indexOf('}'));
    const keys = this.tags.get(tag);
    if (keys === undefined) this.tags.set(tag, new Set([key]));
    else keys.add(key);
  }

  /** `max` keys of the tag that waits longest, at most; its others wait anew. Undefined: there is none. */
  take(max: number): string[] | undefined {
    const [first] = this.tags;
    if (first === undefined) return undefined;
    const [tag, keys] = first;
    const taken = [...keys].slice(0, max);
    for (const key of taken) keys.delete(key);
    this.tags.delete(tag);
    if (keys.size > 0) this.tags.set(tag, keys);
    return taken;
  }
}
