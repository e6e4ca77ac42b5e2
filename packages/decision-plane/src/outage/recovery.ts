import { type Resolvers, withResolvers } from '@tollgate/contracts/older-node';
import type {
  Amended,
  Amendment,
  Check,
  OwedCheck,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '@tollgate/limiter/stores';
import type { DegradedMode } from './degraded-mode.js';

/** An outage is over when no decision was degraded for this long. */
const RECOVERED_AFTER_MS = 1000;

const UNRESTORED = 'quota checkpoints of emptied counters are not restored yet';

export interface AvailabilityOptions {
  onDegraded: (cause: string) => void;
  onRecovered: (degradedDecisions: number) => void;
  /** Monotonic; default: the process's clock. */
  clockMs?: () => number;
}

/** In a cluster, some shards may answer while others do not: only a period without degraded decisions is a recovery. */
export class Availability {
  private readonly clockMs: () => number;
  private decisions = 0;
  private lastMs = 0;
  /** The last failure. */
  cause = 'not connected yet';

  constructor(private readonly options: AvailabilityOptions) {
    this.clockMs = options.clockMs ?? (() => performance.now());
  }

  get degraded(): boolean {
    return this.decisions > 0;
  }

  failed(reason: UnavailableReason, error?: unknown): void {
    this.cause = error instanceof Error ? `${reason}: ${error.message}` : reason;
  }

  readonly note = (reply: StoreReply): void => {
    if (!reply.available) {
      this.decisions++;
      this.lastMs = this.clockMs();
      const cause = reply.reason === 'unrestored' ? UNRESTORED : this.cause;
      if (this.decisions === 1) this.options.onDegraded(cause);
    } else if (this.decisions > 0 && this.clockMs() - this.lastMs >= RECOVERED_AFTER_MS) {
      const { decisions } = this;
      this.decisions = 0;
      this.options.onRecovered(decisions);
    }
  };
}

const KEYS_PER_MESSAGE = 100;
const RETRY_AFTER_MS = 1000;

/** Retry time of requests with an id; meanwhile their counters are decided here. */
const RETRY_REQUESTS_AFTER_MS = 50;

/** After this many failed messages, the rest waits for the next retry. */
const MAX_FAILURES = 20;

export interface ChargeReplayOptions {
  degraded: Pick<
    DegradedMode,
    'journal' | 'unreplayedRequests' | 'hasUnreplayedRequest' | 'forgetRequest' | 'onReplayed'
  >;
  charge: (request: StoreRequest) => Promise<StoreReply>;
  amend: (amendment: Amendment) => Promise<Amended | Unavailable>;
  /** Adds the known usage of counters that may have lost it; undefined: replay them later. Default: none is known. Never rejects. */
  withKnown?: (owed: readonly Check[]) => Promise<readonly OwedCheck[] | undefined>;
  onApplied?: (owed: readonly OwedCheck[], reply: Amended) => void;
  /** Monotonic ms. */
  clockMs: () => number;
}

/**
 * Replays local charges to the store before it decides by the same counters again; otherwise it would admit the same units
 * twice. One message at a time, with counters of one tenant, so that it is applied entirely or not at all. A message whose
 * reply is lost is sent again and may be charged twice, which never admits too much.
 */
export class ChargeReplay {
  /** Counters that requests wait for. */
  private readonly wanted = new KeysByTag();
  private readonly others = new KeysByTag();
  private retryAtMs = Number.POSITIVE_INFINITY;
  /** Replayed counters that were charged again meanwhile. Requests wait for them, or the replay would never end. */
  private readonly closing = new Map<string, Resolvers<boolean>>();
  private replayingRequests: Promise<boolean> | undefined;
  private retryRequestsAtMs = 0;
  private isRunning = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: ChargeReplayOptions) {}

  /**
   * Starts the replay for these counters. Undefined: there is none. False: the store does not know their charges yet, decide
   * locally. A promise: resolves soon, to whether the store knows them.
   */
  prepare(checks: readonly Check[]): undefined | false | Promise<boolean> {
    const { degraded } = this.options;
    const charges = this.prepareCharges(checks);
    const hasRequests =
      degraded.unreplayedRequests.size > 0 && checks.some(({ key }) => degraded.hasUnreplayedRequest(key));
    if (charges === false || !hasRequests) return charges;
    const requests = this.prepareRequests();
    if (charges === undefined || requests === false) return requests;
    return Promise.all([charges, requests]).then(([a, b]) => a && b);
  }

  private prepareCharges(checks: readonly Check[]): undefined | false | Promise<boolean> {
    const { journal } = this.options.degraded;
    if (journal.size === 0) return undefined;
    const open = checks.filter(({ key }) => journal.isOpen(key));
    if (open.length === 0) return undefined;
    const closing = open.flatMap(({ key }) => this.closing.get(key)?.promise ?? []);
    if (closing.length === open.length) {
      return Promise.all(closing).then((applied) => applied.every(Boolean));
    }
    for (const { key } of open) this.wanted.add(key);
    this.start();
    return false;
  }

  /** Resolves after one attempt. */
  replayAll(): Promise<void> {
    this.retryAtMs = Number.POSITIVE_INFINITY;
    for (const key of this.options.degraded.journal.keys()) this.others.add(key);
    this.start();
    return this.running;
  }

  /** Retries after a failure. */
  onStoreAnswered(): void {
    if (this.retryAtMs === Number.POSITIVE_INFINITY) {
      if (this.options.degraded.unreplayedRequests.size > 0) this.start();
      return;
    }
    if (this.options.clockMs() >= this.retryAtMs) void this.replayAll();
  }

  /** A request that was decided here is retried: the store should know it. */
  retryRequested(): void {
    if (this.retryAtMs === Number.POSITIVE_INFINITY || this.options.clockMs() >= this.retryAtMs) this.start();
  }

  private start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.running = this.run();
  }

  private async run(): Promise<void> {
    let failures = 0;
    for (;;) {
      const wanted = this.wanted.take(KEYS_PER_MESSAGE);
      const keys = wanted ?? (failures < MAX_FAILURES ? this.others.take(KEYS_PER_MESSAGE) : undefined);
      if (keys === undefined) break;
      const isApplied = await this.replayCharges(keys);
      if (!isApplied && wanted === undefined) failures++;
    }
    if (this.options.degraded.unreplayedRequests.size > 0 && !(await this.prepareRequests())) failures++;
    this.retryAtMs = failures > 0 ? this.options.clockMs() + RETRY_AFTER_MS : Number.POSITIVE_INFINITY;
    this.isRunning = false;
  }

  /** Whether the store knows all local requests; false: it was unavailable just now. */
  private prepareRequests(): false | Promise<boolean> {
    if (this.replayingRequests === undefined && this.options.clockMs() < this.retryRequestsAtMs) return false;
    this.replayingRequests ??= this.replayRequests().finally(() => {
      this.replayingRequests = undefined;
    });
    return this.replayingRequests;
  }

  /** Repeats local requests under their ids; the store does not charge a known id again. */
  private async replayRequests(): Promise<boolean> {
    const { degraded, charge } = this.options;
    while (degraded.unreplayedRequests.size > 0) {
      const requests = [...degraded.unreplayedRequests].slice(0, KEYS_PER_MESSAGE);
      const replies = await Promise.all(requests.map(([, request]) => charge(request)));
      for (const [i, [receiptKey, request]] of requests.entries()) {
        const reply = replies[i];
        if (reply?.available !== true) continue;
        degraded.forgetRequest(receiptKey);
        degraded.onReplayed(request.checks, reply.checks, reply.nowUs);
      }
      if (!replies.every((reply) => reply.available)) {
        this.retryRequestsAtMs = this.options.clockMs() + RETRY_REQUESTS_AFTER_MS;
        return false;
      }
    }
    return true;
  }

  /** Repeats until nothing was charged meanwhile. */
  private async replayCharges(keys: readonly string[]): Promise<boolean> {
    const { amend, degraded, withKnown, onApplied } = this.options;
    const { journal } = degraded;
    let open = keys;
    for (;;) {
      const owed = journal.take(open);
      if (owed.length === 0) break;
      const checks = withKnown === undefined ? owed : await withKnown(owed);
      const reply = checks && (await amend({ op: 'charge', checks }));
      if (checks === undefined || !reply?.available || reply.status !== 'applied') {
        journal.restore(owed);
        this.resolveClosing(keys, false);
        return false;
      }
      onApplied?.(checks, reply);
      open = journal.confirm(owed);
      degraded.onReplayed(checks, reply.readings ?? [], reply.nowUs);
      for (const key of open) {
        if (!this.closing.has(key)) this.closing.set(key, withResolvers());
      }
    }
    this.resolveClosing(keys, true);
    return true;
  }

  private resolveClosing(keys: readonly string[], isApplied: boolean): void {
    for (const key of keys) {
      this.closing.get(key)?.resolve(isApplied);
      this.closing.delete(key);
    }
  }
}

class KeysByTag {
  private readonly tags = new Map<string, Set<string>>();

  add(key: string): void {
    const tag = key.slice(0, key.indexOf('}'));
    const keys = this.tags.get(tag);
    if (keys === undefined) this.tags.set(tag, new Set([key]));
    else keys.add(key);
  }

  /** Of the tag that waits longest; its other keys go to the end of the queue. */
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
