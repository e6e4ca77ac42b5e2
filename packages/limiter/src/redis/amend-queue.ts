import { eventLoop } from '../stores/clocks.js';
import type { Amended, UnavailableReason } from '../stores/decision-store.js';
import { Flight, type Flights } from './flights.js';
import type { AmendJob } from './jobs.js';

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
