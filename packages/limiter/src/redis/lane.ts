import type { Elsewhere } from '../scripts/across.js';
import { BatchExpired, type CallTiming } from '../scripts/decide.js';
import { type Run, splitRuns } from '../scripts/runs.js';
import { eventLoop } from '../stores/clocks.js';
import type {
  Amended,
  Amendment,
  Decided,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../stores/decision-store.js';
import { AmendQueue } from './amend-queue.js';
import { Breaker } from './breaker.js';
import { Flight, Flights } from './flights.js';
import { AmendJob, ChargeJob, type Route } from './jobs.js';
import { CallDelayed, TimedCalls } from './timed-calls.js';

export interface LaneOptions {
  /** Sends a run to the server; undefined for requests to send in a general run. @throws BatchExpired and connection errors */
  send: (
    run: Run<StoreRequest>,
    options: CallTiming,
    route: Route,
  ) => Promise<readonly (Decided | Elsewhere | undefined)[]>;
  sendAmendment: (amendment: Amendment, options: CallTiming, route: Route) => Promise<Amended>;
  /** Splits jobs, in order, into groups whose keys one script may read. Default: one group. */
  split?: (jobs: readonly ChargeJob[]) => (readonly ChargeJob[])[];
  /** Takes over jobs that the server rejected; false: they fail. */
  redirect?: (jobs: readonly (ChargeJob | AmendJob)[], error: Error) => boolean;
  /** Takes over a job whose keys the server does not serve. */
  elsewhere?: (job: ChargeJob) => void;
  /** Whether a command would be sent immediately. */
  isConnected: () => boolean;
  /** Maximum wait of a decision since it arrived, and of an amendment since it was sent. */
  deadlineMs: number;
  calls?: TimedCalls;
  /** Called for each call that failed or missed its deadline. */
  onFailure: (reason: UnavailableReason, error?: unknown) => void;
}

/** More concurrent calls add waiting time, not throughput: the second is in transit while the server runs the first. */
const MAX_CALLS_IN_FLIGHT = 2;

/** Large enough to amortize the cost of a call, small enough for a script run of about a millisecond. */
const MAX_BATCH = 256;

/** Maximum keys of a run: Lua passes about 8,000 values to a command at most. */
const MAX_BATCH_KEYS = 4000;

/** A job that arrives after this fraction of its deadline has passed is sent in a separate call. */
const STRAGGLER_PART = 0.25;

/**
 * Connection to one server with batching: decisions that arrive while calls are in flight are sent together in the next
 * call; a single one is sent without delay.
 *
 * A call past its deadline suspends the lane: its decisions, waiting and new ones get a reply immediately, and nothing is
 * sent until the late reply, or the end of the connection. A breaker opens when this happens repeatedly. Calls carry their
 * deadline in the server's time, so a server that was frozen charges nothing for expired calls.
 *
 * Amendments are sent after decisions, in separate calls; a late one does not suspend the lane.
 */
export class Lane {
  private pending: ChargeJob[] = [];
  /** Sent separately, so that they do not shorten the deadline of others. */
  private stragglers: ChargeJob[] = [];
  private readonly amendments: AmendQueue;
  private inFlight = 0;
  private late = 0;
  private flushScheduled = false;
  private readonly breaker = new Breaker();
  /** The last amendment that the open breaker admitted; only its result affects the breaker. */
  private probe: AmendJob | undefined;
  private readonly calls: TimedCalls;
  private readonly flights = new Flights();

  constructor(private readonly options: LaneOptions) {
    this.calls = options.calls ?? new TimedCalls();
    this.amendments = new AmendQueue({
      flights: this.flights,
      maySend: () => this.late === 0,
      deadlineMs: options.deadlineMs,
      send: ({ amendment, route }, flight) =>
        this.calls.exchange(
          flight,
          (timing) => options.sendAmendment(amendment, timing, route),
          ({ nowUs }) => nowUs,
        ),
      onAnswered: (job) => {
        if (job === this.probe) this.breaker.answered(eventLoop.runningMs());
      },
      onLate: (job, flight) => this.onLateAmendment(job, flight),
      onError: (job, error) => this.fail([job], error),
    });
  }

  /** @param sinceMs {@link EventLoop.runningMs} when the request arrived; default: now */
  charge(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    const nowMs = eventLoop.runningMs();
    return new Promise((resolve) => this.enqueue(new ChargeJob(request, resolve, sinceMs ?? nowMs), nowMs));
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    const nowMs = eventLoop.runningMs();
    return new Promise((resolve) => this.enqueue(new AmendJob(amendment, resolve, nowMs), nowMs));
  }

  enqueue(job: ChargeJob | AmendJob, nowMs = eventLoop.runningMs()): void {
    const reason = this.unavailableReason(nowMs);
    if (reason !== undefined) {
      job.resolve(unavailable(reason));
      return;
    }
    if (job instanceof AmendJob) {
      if (this.breaker.isOpen(nowMs)) this.probe = job;
      this.amendments.push(job);
    } else if (nowMs - job.sinceMs > this.options.deadlineMs * STRAGGLER_PART) this.stragglers.push(job);
    else if (this.pending.push(job) > 0 && this.inFlight >= MAX_CALLS_IN_FLIGHT) return;
    this.scheduleFlush();
  }

  close(): void {
    this.rejectWaiting('disconnected');
    this.flights.close();
  }

  private unavailableReason(nowMs: number): UnavailableReason | undefined {
    if (!this.options.isConnected()) return 'disconnected';
    if (this.late > 0) return this.breaker.isOpen(nowMs) ? 'open' : 'suspended';
    return this.breaker.admits(nowMs) ? undefined : 'open';
  }

  // Waits one microtask, so that all decisions of this event loop turn are batched.
  private scheduleFlush(): void {
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    queueMicrotask(() => {
      this.flushScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    if (!this.options.isConnected()) this.rejectWaiting('disconnected');
    while (this.inFlight < MAX_CALLS_IN_FLIGHT && this.pending.length > 0 && this.late === 0) {
      void this.call(takeBatch(this.pending), true);
    }
    while (this.stragglers.length > 0) void this.call(takeBatch(this.stragglers), false);
    this.amendments.flush();
  }

  private async call(jobs: readonly ChargeJob[], suspends: boolean): Promise<void> {
    if (suspends) this.inFlight++;
    const nowMs = eventLoop.runningMs();
    let sinceMs = nowMs;
    for (const job of jobs) sinceMs = Math.min(sinceMs, job.sinceMs);
    sinceMs = Math.max(sinceMs, this.calls.delayedUntilMs);
    const flight: Flight = new Flight(nowMs, sinceMs, this.options.deadlineMs, () => {
      for (const job of jobs) job.resolve(unavailable('deadline'));
      if (suspends) this.suspend(flight.sentMs);
      this.options.onFailure('deadline');
    });
    this.flights.add(flight);
    await this.exchangeAll(jobs, flight);
    this.flights.delete(flight);
    if (!suspends) return;
    const isConnected = this.options.isConnected();
    if (flight.isLate) this.resume(isConnected);
    else if (isConnected && !this.breaker.isClosed) this.breaker.answered(eventLoop.runningMs());
    this.inFlight--;
    this.flush();
  }

  private exchangeAll(jobs: readonly ChargeJob[], flight: Flight): Promise<unknown> {
    const groups = this.options.split?.(jobs) ?? [jobs];
    const runs = groups.flatMap((group) => splitRuns(group));
    const exchanges = runs.map((run) => this.exchange(run, flight));
    return exchanges.length === 1 ? (exchanges[0] as Promise<void>) : Promise.all(exchanges);
  }

  // Each run is an exchange, because an exchange whose reply was "expired" is repeated.
  private async exchange(run: Run<ChargeJob>, flight: Flight): Promise<void> {
    const { requests: jobs } = run;
    const route = jobs[0]?.route ?? 'owner';
    try {
      const replies = await this.calls.exchange(
        flight,
        (timing) => this.options.send(run, timing, route),
        (decided) => decided.find((reply) => reply !== undefined)?.nowUs,
      );
      const undecided: ChargeJob[] = [];
      let place = 0;
      for (const job of jobs) {
        const reply = replies[place++];
        if (reply === undefined) undecided.push(job);
        else if (!('elsewhere' in reply)) job.resolve(reply);
        else if (!flight.isLate) this.options.elsewhere?.(job);
      }
      if (undecided.length > 0 && !flight.isLate) await this.exchange({ requests: undecided }, flight);
    } catch (error) {
      if (!flight.isLate) this.fail(jobs, error);
    }
  }

  private fail(jobs: readonly (ChargeJob | AmendJob)[], error: unknown): void {
    if (error instanceof Error && this.options.redirect?.(jobs, error) === true) return;
    const reason = reasonOf(error, this.options.isConnected());
    this.options.onFailure(reason, error);
    for (const job of jobs) job.resolve(unavailable(reason));
  }

  private onLateAmendment(job: AmendJob, { sentMs }: Flight): void {
    if (job === this.probe && this.late === 0) {
      this.breaker.stalled(sentMs);
      this.breaker.resumed(eventLoop.runningMs());
    }
    this.options.onFailure('deadline');
  }

  private suspend(sentMs: number): void {
    this.late++;
    this.breaker.stalled(sentMs);
    this.rejectDecisions('suspended');
  }

  private resume(isConnected: boolean): void {
    this.late--;
    if (!isConnected) this.breaker.dropped();
    else if (this.late === 0) this.breaker.resumed(eventLoop.runningMs());
  }

  private rejectWaiting(reason: UnavailableReason): void {
    this.rejectDecisions(reason);
    this.amendments.rejectAll(reason);
  }

  private rejectDecisions(reason: UnavailableReason): void {
    const jobs = [...this.pending, ...this.stragglers];
    this.pending = [];
    this.stragglers = [];
    for (const job of jobs) job.resolve(unavailable(reason));
  }
}

function takeBatch(jobs: ChargeJob[]): ChargeJob[] {
  let [count, keys] = [0, 0];
  for (const { checks } of jobs) {
    keys += checks.length + 1;
    if (count === MAX_BATCH || (count > 0 && keys > MAX_BATCH_KEYS)) break;
    count++;
  }
  return jobs.splice(0, count);
}

function reasonOf(error: unknown, isConnected: boolean): UnavailableReason {
  if (error instanceof BatchExpired) return 'deadline';
  if (error instanceof CallDelayed) return 'overloaded';
  return isConnected ? 'failed' : 'disconnected';
}

function unavailable(reason: UnavailableReason): Unavailable {
  return { available: false, reason };
}
