import type { Amended, UnavailableReason } from './decision-store.js';
import { eventLoop } from './event-loop.js';
import { Flight } from './flight.js';
import type { AmendJob } from './lane-job.js';

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
