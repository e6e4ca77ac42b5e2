import type { BatchReply, BatchRequest } from '../scripts/decide.js';
import type { Check, StoreReply, UnavailableReason } from './decision-store.js';

export interface LaneOptions {
  /** Sends a batch to the server that owns its keys. */
  send: (requests: readonly BatchRequest[]) => Promise<BatchReply>;
  /** Whether a call would reach the server at once. */
  isConnected: () => boolean;
  /** The longest that a decision waits, from being asked for to its answer. */
  deadlineMs: number;
  /** Told of each call that was late or failed, once. */
  onFailure: (reason: UnavailableReason, error?: unknown) => void;
}

/** More calls at once add waiting, not throughput: the second travels while the server works on the first. */
const MAX_CALLS_IN_FLIGHT = 2;

/** Enough to spread the cost of a call thin, small enough for a run of the script to take about a millisecond. */
const MAX_BATCH = 256;

interface Job extends BatchRequest {
  /** When it was asked for, `performance.now()`. */
  sinceMs: number;
  settle(reply: StoreReply): void;
}

/**
 * The way to one server. Decisions that arrive while calls are in flight travel together in the next one; a lone
 * decision waits for nothing, as the only timer is the deadline's.
 *
 * A call past its deadline suspends the lane: its decisions and all that wait are answered at once, and nothing more
 * is sent that a frozen server would execute later. The late answer, or the end of the connection, resumes the lane.
 */
export class Lane {
  private pending: Job[] = [];
  private inFlight = 0;
  private late = 0;
  private flushScheduled = false;

  constructor(private readonly options: LaneOptions) {}

  decide(checks: readonly Check[], peek: boolean): Promise<StoreReply> {
    if (!this.options.isConnected()) return Promise.resolve(unavailable('disconnected'));
    if (this.late > 0) return Promise.resolve(unavailable('suspended'));
    return new Promise((settle) => {
      this.pending.push({ checks, peek, sinceMs: performance.now(), settle });
      this.scheduleFlush();
    });
  }

  /** Answers everything that still waits to be sent. */
  close(): void {
    this.refusePending('disconnected');
  }

  // A microtask later, all decisions that this turn of the event loop asks for are here.
  private scheduleFlush(): void {
    if (this.flushScheduled || this.inFlight >= MAX_CALLS_IN_FLIGHT) return;
    this.flushScheduled = true;
    queueMicrotask(() => {
      this.flushScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    while (this.inFlight < MAX_CALLS_IN_FLIGHT && this.pending.length > 0 && this.late === 0) {
      const jobs = this.pending.length <= MAX_BATCH ? this.pending : this.pending.slice(0, MAX_BATCH);
      this.pending = this.pending.length <= MAX_BATCH ? [] : this.pending.slice(MAX_BATCH);
      void this.call(jobs);
    }
  }

  private async call(jobs: readonly Job[]): Promise<void> {
    this.inFlight++;
    const waitedMs = performance.now() - (jobs[0]?.sinceMs ?? 0);
    let settled = false;
    const settleAll = (reply: StoreReply) => {
      settled = true;
      for (const job of jobs) job.settle(reply);
    };
    let isLate = false;
    const giveUp = () => {
      if (settled) return;
      isLate = true;
      this.late++;
      settleAll(unavailable('deadline'));
      this.refusePending('suspended');
      this.options.onFailure('deadline');
    };
    // After a pause of our own process the answer may lie in the socket unread: look there before giving up.
    const timer = setTimeout(() => setImmediate(giveUp), Math.max(0, this.options.deadlineMs - waitedMs));
    try {
      const reply = await this.options.send(jobs);
      if (!settled) settleEach(jobs, reply);
    } catch (error) {
      this.options.onFailure('failed', error);
      if (!settled) settleAll(unavailable('failed'));
    } finally {
      settled = true;
      clearTimeout(timer);
      if (isLate) this.late--;
      this.inFlight--;
      this.flush();
    }
  }

  private refusePending(reason: UnavailableReason): void {
    const jobs = this.pending;
    this.pending = [];
    for (const job of jobs) job.settle(unavailable(reason));
  }
}

function settleEach(jobs: readonly Job[], { nowUs, results }: BatchReply): void {
  jobs.forEach((job, i) => {
    const checks = results[i] ?? [];
    job.settle({ available: true, nowUs, allowed: checks.every((check) => check.allowed), checks });
  });
}

function unavailable(reason: UnavailableReason): StoreReply {
  return { available: false, reason };
}
