import { BatchExpired, type DecideOptions } from '../scripts/decide.js';
import { type ClockUs, eventLoop, ServerClock } from '../stores/clocks.js';
import type {
  Amended,
  Amendment,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../stores/decision-store.js';
import type { RedisCalls } from '../stores/redis-calls.js';

/**
 * `owner`: batched with all jobs of the server. `slot`: with jobs of the same slot. `alone`: only with jobs of the same keys;
 * `asking`: likewise, to a migration target.
 */
export type Route = 'owner' | 'slot' | 'alone' | 'asking';

interface Job {
  /** {@link EventLoop.runningMs} when it arrived. */
  readonly sinceMs: number;
  readonly route: Route;
  /** Number of redirects so far. */
  readonly hops: number;
}

export class DecideJob implements Job, StoreRequest {
  readonly checks: StoreRequest['checks'];
  readonly peek: boolean;
  readonly receipt?: ReceiptOrder;
  readonly deadlineMs?: number;

  /** @param resolve only the first call has an effect */
  constructor(
    request: StoreRequest,
    readonly resolve: (reply: StoreReply) => void,
    readonly sinceMs: number,
    readonly route: Route = 'owner',
    readonly hops = 0,
  ) {
    this.checks = request.checks;
    this.peek = request.peek;
    if (request.receipt !== undefined) this.receipt = request.receipt;
    if (request.deadlineMs !== undefined) this.deadlineMs = request.deadlineMs;
  }

  withRoute(route: Route, hops = this.hops + 1): DecideJob {
    return new DecideJob(this, this.resolve, this.sinceMs, route, hops);
  }
}

export class AmendJob implements Job {
  constructor(
    readonly amendment: Amendment,
    readonly resolve: (reply: Amended | Unavailable) => void,
    readonly sinceMs: number,
    readonly route: Route = 'owner',
    readonly hops = 0,
  ) {}

  withRoute(route: Route, hops = this.hops + 1): AmendJob {
    return new AmendJob(this.amendment, this.resolve, this.sinceMs, route, hops);
  }
}

/** Timers count whole milliseconds and may fire this much early; by then, the server must have stopped charging. */
const EARLY_TIMER_MS = 2;

/** A call on its way. Times are {@link EventLoop.runningMs}. */
export class Flight {
  isLate = false;
  deadlineAtMs: number;

  /**
   * @param sinceMs when its oldest job arrived
   * @param onLate called once if the deadline passes before the call ends
   */
  constructor(
    readonly sentMs: number,
    sinceMs: number,
    private readonly deadlineMs: number,
    readonly onLate: () => void,
  ) {
    this.deadlineAtMs = sinceMs + deadlineMs;
  }

  /** The call is sent again, with its whole deadline. */
  restart(nowMs: number): void {
    this.deadlineAtMs = nowMs + this.deadlineMs;
  }
}

/** Watches the deadlines of calls with one timer, which stays when a call ends: a timer per call cost a tenth of a single one. */
export class Flights {
  // Not a Set: when V8 replaces the table of a Set, the former one keeps ended flights alive until the next major collection.
  private open: Flight[] = [];
  private timerAtMs = Number.POSITIVE_INFINITY;
  private cancelTimer: (() => void) | undefined;
  private isClosed = false;

  add(flight: Flight): void {
    this.open.push(flight);
    this.wakeAt(flight.deadlineAtMs);
  }

  /** The call has ended. */
  delete(flight: Flight): void {
    const at = this.open.indexOf(flight);
    if (at >= 0) this.open.splice(at, 1);
    if (this.isClosed) this.stopIfIdle();
  }

  /** Stops the timer, which keeps the process alive, when no call is on its way. */
  close(): void {
    this.isClosed = true;
    this.stopIfIdle();
  }

  private stopIfIdle(): void {
    if (this.open.length > 0) return;
    this.cancelTimer?.();
    this.timerAtMs = Number.POSITIVE_INFINITY;
  }

  private wakeAt(atMs: number): void {
    if (atMs >= this.timerAtMs) return;
    this.cancelTimer?.();
    this.timerAtMs = atMs;
    this.cancelTimer = eventLoop.at(atMs, () => this.check());
  }

  private check(): void {
    this.timerAtMs = Number.POSITIVE_INFINITY;
    const nowMs = eventLoop.runningMs();
    const late = this.open.filter(({ deadlineAtMs }) => deadlineAtMs <= nowMs);
    this.open = this.open.filter(({ deadlineAtMs }) => deadlineAtMs > nowMs);
    for (const { deadlineAtMs } of this.open) this.wakeAt(deadlineAtMs);
    for (const flight of late) {
      flight.isLate = true;
      flight.onLate();
    }
  }
}

/** The process itself delayed a call for {@link MAX_DELAY_MS}; the server charged nothing. */
export class CallDelayed extends Error {
  constructor() {
    super('the process lacks CPU, nothing was charged');
    this.name = 'CallDelayed';
  }
}

/** Long enough for a process with a twentieth of a CPU. */
const MAX_DELAY_MS = 1000;

/** More than two readings of the clock differ by. */
const MIN_BLOCKED_MS = 1;

/** Sends calls with their deadline in the server's time. The server ignores calls that it reaches later. */
export class TimedCalls {
  private readonly clock = new ServerClock();
  /**
   * {@link EventLoop.runningMs} until which this process delayed calls: no deadline starts earlier. Otherwise, decisions that
   * waited meanwhile would be late when they are sent.
   */
  delayedUntilMs = Number.NEGATIVE_INFINITY;

  /** @param clockUs replaces the server's clock; its values ascend */
  constructor(
    private readonly calls?: RedisCalls,
    private readonly clockUs?: ClockUs,
  ) {}

  /** Never in the future, microseconds since the Unix epoch; undefined before the server's first reply. */
  serverNowUs(): number | undefined {
    return this.clock.atUs(eventLoop.nowMs());
  }

  /**
   * Sends a call again if the server received it after its deadline and so charged nothing: with the whole deadline if the
   * event loop was blocked, because a process that lacks CPU sends late; otherwise once with the rest, because the estimate of
   * the server's clock may be too conservative.
   * @throws BatchExpired, CallDelayed and errors of `send`
   */
  async exchange<R>(
    flight: Flight,
    send: (options: DecideOptions) => Promise<R>,
    nowUsOf: (reply: R) => number | undefined,
  ): Promise<R> {
    const startedMs = eventLoop.nowMs();
    for (let isRepeated = false; ; ) {
      const sentMs = eventLoop.nowMs();
      const sentRunningMs = eventLoop.runningMs(sentMs);
      try {
        const reply = await send(this.timingOf(flight.deadlineAtMs, sentMs));
        const receivedMs = eventLoop.nowMs();
        const nowUs = nowUsOf(reply);
        if (nowUs !== undefined) this.clock.learn(nowUs, sentMs, receivedMs);
        this.calls?.add(
          eventLoop.runningMs(receivedMs) > flight.deadlineAtMs ? 'late' : 'ok',
          receivedMs - sentMs,
        );
        return reply;
      } catch (error) {
        const receivedMs = eventLoop.nowMs();
        this.calls?.add(error instanceof BatchExpired ? 'late' : 'error', receivedMs - sentMs);
        if (!(error instanceof BatchExpired)) throw error;
        this.clock.learn(error.nowUs, sentMs, receivedMs);
        if (flight.isLate) throw error;
        const nowMs = eventLoop.runningMs(receivedMs);
        if (receivedMs - sentMs - (nowMs - sentRunningMs) >= MIN_BLOCKED_MS) {
          if (receivedMs - startedMs >= MAX_DELAY_MS) throw new CallDelayed();
          this.delayedUntilMs = nowMs;
          flight.restart(nowMs);
        } else {
          if (isRepeated || nowMs >= flight.deadlineAtMs) throw error;
          isRepeated = true;
        }
      }
    }
  }

  private timingOf(deadlineAtMs: number, nowMs: number): DecideOptions {
    if (this.clockUs !== undefined) return { nowUs: this.clockUs() };
    const leftMs = deadlineAtMs - eventLoop.runningMs(nowMs);
    const expiresAtUs = this.clock.atUs(nowMs + leftMs - EARLY_TIMER_MS);
    return expiresAtUs === undefined ? {} : { expiresAtUs };
  }
}

export interface AmendQueueOptions {
  flights: Flights;
  send: (job: AmendJob, flight: Flight) => Promise<Amended>;
  /** Whether amendments may be sent now; {@link AmendQueue.flush} is called when this becomes true. */
  maySend: () => boolean;
  /** From sending an amendment to its reply. */
  deadlineMs: number;
  onAnswered: (job: AmendJob) => void;
  onLate: (job: AmendJob, flight: Flight) => void;
  /** Replies to a failed job, or redirects it. */
  onError: (job: AmendJob, error: unknown) => void;
}

/** Enough to keep the connection busy, so that the round trip does not limit throughput. */
const MAX_IN_FLIGHT = 64;

/** Longer than a burst of decisions; short enough for callers that release a permit. */
const MAX_WAIT_MS = 1000;

/** Sends amendments in order, many at a time. Each gets a reply within {@link MAX_WAIT_MS} and one deadline. */
export class AmendQueue {
  private readonly waiting = new Set<AmendJob>();
  private inFlight = 0;
  private cancelTimer: (() => void) | undefined;

  constructor(private readonly options: AmendQueueOptions) {}

  push(job: AmendJob): void {
    this.waiting.add(job);
    if (this.cancelTimer === undefined) this.wakeAt(job.sinceMs + MAX_WAIT_MS);
  }

  flush(): void {
    for (const job of this.waiting) {
      if (this.inFlight >= MAX_IN_FLIGHT || !this.options.maySend()) return;
      this.waiting.delete(job);
      void this.call(job);
    }
  }

  rejectAll(reason: UnavailableReason): void {
    const jobs = [...this.waiting];
    this.waiting.clear();
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    for (const job of jobs) job.resolve({ available: false, reason });
  }

  private async call(job: AmendJob): Promise<void> {
    const { flights, send, deadlineMs, onAnswered, onLate, onError } = this.options;
    this.inFlight++;
    const nowMs = eventLoop.runningMs();
    const flight: Flight = new Flight(nowMs, nowMs, deadlineMs, () => {
      job.resolve({ available: false, reason: 'deadline' });
      onLate(job, flight);
    });
    flights.add(flight);
    try {
      job.resolve(await send(job, flight));
      if (!flight.isLate) onAnswered(job);
    } catch (error) {
      if (!flight.isLate) onError(job, error);
    }
    flights.delete(flight);
    this.inFlight--;
    this.flush();
  }

  private wakeAt(atMs: number): void {
    this.cancelTimer = eventLoop.at(atMs, () => this.rejectOverdue());
  }

  private rejectOverdue(): void {
    this.cancelTimer = undefined;
    const nowMs = eventLoop.runningMs();
    for (const job of this.waiting) {
      const atMs = job.sinceMs + MAX_WAIT_MS;
      if (atMs > nowMs) {
        this.wakeAt(atMs);
        return;
      }
      this.waiting.delete(job);
      job.resolve({ available: false, reason: 'deadline' });
    }
  }
}
