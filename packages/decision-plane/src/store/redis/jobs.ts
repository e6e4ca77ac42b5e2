import { BatchExpired, type DecideOptions } from '../../scripts/decide.js';
import { eventLoop, ServerClock } from '../clocks.js';
import type {
  Amended,
  Amendment,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../decision-store.js';

/**
 * How a job is sent. `owner`: with others of its keys' slot. `alone`: with none that uses other keys; `asking`: so too,
 * to a server that a slot is being moved to.
 */
export type Route = 'owner' | 'alone' | 'asking';

interface Errand {
  /** When it was asked for, {@link EventLoop.runningMs}. */
  readonly sinceMs: number;
  readonly route: Route;
  /** How often a server has sent it elsewhere. */
  readonly hops: number;
}

/** A decision that waits for its answer. */
export class DecideJob implements Errand, StoreRequest {
  readonly checks: StoreRequest['checks'];
  readonly peek: boolean;
  readonly receipt?: ReceiptOrder;
  readonly deadlineMs?: number;

  /** @param settle only its first call has an effect */
  constructor(
    request: StoreRequest,
    readonly settle: (reply: StoreReply) => void,
    readonly sinceMs: number,
    readonly route: Route = 'owner',
    readonly hops = 0,
  ) {
    this.checks = request.checks;
    this.peek = request.peek;
    if (request.receipt !== undefined) this.receipt = request.receipt;
    if (request.deadlineMs !== undefined) this.deadlineMs = request.deadlineMs;
  }

  sentOn(route: Route): DecideJob {
    return new DecideJob(this, this.settle, this.sinceMs, route, this.hops + 1);
  }
}

/** A change that waits for its answer. */
export class AmendJob implements Errand {
  /** @param settle only its first call has an effect */
  constructor(
    readonly amendment: Amendment,
    readonly settle: (reply: Amended | Unavailable) => void,
    readonly sinceMs: number,
    readonly route: Route = 'owner',
    readonly hops = 0,
  ) {}

  sentOn(route: Route): AmendJob {
    return new AmendJob(this.amendment, this.settle, this.sinceMs, route, this.hops + 1);
  }
}

/** A timer may fire so much early (it counts whole milliseconds, from one): by then, the server must not charge any more. */
const EARLY_TIMER_MS = 2;

/** One call on its way. */
export class Flight {
  /** {@link EventLoop.runningMs}, as all times here. */
  readonly sentMs = eventLoop.runningMs();
  isLate = false;

  constructor(readonly deadlineAtMs: number) {}

  /** Runs the call to its end; `giveUp` is told once, if the deadline comes before that. */
  async run(call: () => Promise<void>, giveUp: () => void): Promise<void> {
    let hasLanded = false;
    const look = () => {
      if (hasLanded) return;
      if (eventLoop.runningMs() < this.deadlineAtMs) {
        wait();
        return;
      }
      this.isLate = true;
      giveUp();
    };
    let timer: NodeJS.Timeout | undefined;
    // The event loop reads the sockets before it runs the immediate: an answer that has arrived still counts.
    const wait = () => {
      const leftMs = Math.max(0, this.deadlineAtMs - eventLoop.runningMs());
      timer = setTimeout(() => setImmediate(look), leftMs);
    };
    wait();
    await call();
    hasLanded = true;
    clearTimeout(timer);
  }
}

/** Sends calls that carry their deadline in the server's time: one that the server reaches later changes nothing. */
export class TimedCalls {
  private readonly clock = new ServerClock();

  /** The server's time now or a little before, microseconds since the Unix epoch; undefined before its first reply. */
  serverNowUs(): number | undefined {
    return this.clock.atUs(performance.now());
  }

  /**
   * Sends once, and once more what the server took for too late by an estimate of its clock that was too careful.
   * @param deadlineAtMs {@link EventLoop.runningMs}
   * @param nowUsOf the server's time in a reply
   * @throws BatchExpired and whatever `send` throws
   */
  async exchange<R>(
    deadlineAtMs: number,
    send: (options: DecideOptions) => Promise<R>,
    nowUsOf: (reply: R) => number,
  ): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      const sentMs = performance.now();
      try {
        const reply = await send(this.expiryAt(deadlineAtMs));
        this.clock.learn(nowUsOf(reply), sentMs, performance.now());
        return reply;
      } catch (error) {
        if (!(error instanceof BatchExpired)) throw error;
        const receivedMs = performance.now();
        this.clock.learn(error.nowUs, sentMs, receivedMs);
        if (attempt === 2 || eventLoop.runningMs() >= deadlineAtMs) throw error;
      }
    }
  }

  private expiryAt(deadlineAtMs: number): DecideOptions {
    const leftMs = deadlineAtMs - eventLoop.runningMs();
    const expiresAtUs = this.clock.atUs(performance.now() + leftMs - EARLY_TIMER_MS);
    return expiresAtUs === undefined ? {} : { expiresAtUs };
  }
}

export interface AmendQueueOptions {
  /** Sends a change by its flight's deadline. */
  send: (job: AmendJob, flight: Flight) => Promise<Amended>;
  /** Whether changes may be sent now; {@link AmendQueue.flush} is called when they may again. */
  maySend: () => boolean;
  /** The longest that a change takes from being sent to its answer. */
  deadlineMs: number;
  onAnswered: (job: AmendJob) => void;
  onLate: (job: AmendJob, flight: Flight) => void;
  /** Settles a job that failed, or sends it elsewhere. */
  onError: (job: AmendJob, error: unknown) => void;
}

/** The server works on few at a time; the others are on the wire, so that a round trip does not bound how many a second. */
const MAX_IN_FLIGHT = 64;

/** Longer than a burst takes, and no longer than whoever frees a slot wants to wait. */
const MAX_WAIT_MS = 1000;

/** Changes on their way to one server, in order, many at once. Each is settled, at the latest {@link MAX_WAIT_MS} and a deadline later. */
export class AmendQueue {
  private readonly waiting = new Set<AmendJob>();
  private inFlight = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: AmendQueueOptions) {}

  /** Takes a job, which the next {@link flush} sends. */
  push(job: AmendJob): void {
    this.waiting.add(job);
    this.timer ??= setTimeout(() => this.refuseOverdue(), MAX_WAIT_MS).unref();
  }

  /** Sends what may be on its way at once. */
  flush(): void {
    for (const job of this.waiting) {
      if (this.inFlight >= MAX_IN_FLIGHT || !this.options.maySend()) return;
      this.waiting.delete(job);
      void this.call(job);
    }
  }

  /** Answers everything that still waits to be sent. */
  refuse(reason: UnavailableReason): void {
    const jobs = [...this.waiting];
    this.waiting.clear();
    for (const job of jobs) job.settle({ available: false, reason });
  }

  private async call(job: AmendJob): Promise<void> {
    const { send, deadlineMs, onAnswered, onLate, onError } = this.options;
    this.inFlight++;
    const flight = new Flight(eventLoop.runningMs() + deadlineMs);
    const exchange = async () => {
      try {
        job.settle(await send(job, flight));
        if (!flight.isLate) onAnswered(job);
      } catch (error) {
        if (!flight.isLate) onError(job, error);
      }
    };
    await flight.run(exchange, () => {
      job.settle({ available: false, reason: 'deadline' });
      onLate(job, flight);
    });
    this.inFlight--;
    this.flush();
  }

  private refuseOverdue(): void {
    this.timer = undefined;
    const nowMs = eventLoop.runningMs();
    for (const job of this.waiting) {
      const leftMs = job.sinceMs + MAX_WAIT_MS - nowMs;
      if (leftMs > 0) {
        this.timer = setTimeout(() => this.refuseOverdue(), leftMs).unref();
        return;
      }
      this.waiting.delete(job);
      job.settle({ available: false, reason: 'deadline' });
    }
  }
}
