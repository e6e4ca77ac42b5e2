import { BatchExpired, type DecideOptions, splitByPolicyId } from '../../scripts/decide.js';
import { eventLoop } from '../clocks.js';
import type {
  Amended,
  Amendment,
  Decided,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../decision-store.js';
import { Breaker } from './breaker.js';
import { AmendJob, AmendQueue, DecideJob, Flight, type Route, TimedCalls } from './jobs.js';

export interface LaneOptions {
  /** Sends requests to the server in one script run. @throws BatchExpired and whatever the connection throws */
  send: (requests: readonly StoreRequest[], options: DecideOptions, route: Route) => Promise<Decided[]>;
  sendAmendment: (amendment: Amendment, options: DecideOptions, route: Route) => Promise<Amended>;
  /** Cuts jobs into such as one script run can decide, in order; left out: one run can decide them all. */
  split?: (jobs: readonly DecideJob[]) => DecideJob[][];
  /** May take over jobs that the server refused with `error`: true when it did. Left out: they fail. */
  redirect?: (jobs: readonly (DecideJob | AmendJob)[], error: Error) => boolean;
  /** Whether a call would reach the server at once. */
  isConnected: () => boolean;
  /** The longest that a decision waits, from being asked for to its answer; a change, from being sent. */
  deadlineMs: number;
  /** Left out: a clock for this lane alone. */
  calls?: TimedCalls;
  /** Told of each call that was late or failed. */
  onFailure: (reason: UnavailableReason, error?: unknown) => void;
}

/** More calls at once add waiting, not throughput: the second travels while the server works on the first. */
const MAX_CALLS_IN_FLIGHT = 2;

/** Enough to spread the cost of a call thin, small enough for a run of the script to take about a millisecond. */
const MAX_BATCH = 256;

/** Keys of a run at most: Lua hands no more than about 8,000 values to a command. */
const MAX_BATCH_KEYS = 4000;

/** A job that comes with more than this part of its deadline gone travels by itself. */
const STRAGGLER_PART = 0.25;

/**
 * The way to one server. Decisions that arrive while calls are in flight travel together in the next one; a lone
 * decision waits for nothing, as the only timer is the deadline's.
 *
 * A call past its deadline suspends the lane: its decisions and all that wait are answered at once, as are those that come,
 * and nothing more is sent. The late answer, or the end of the connection, resumes it; when that happens again and again, a
 * breaker keeps callers from waiting. Calls carry their deadline in the server's time: one that is reached later, by a server
 * that was frozen, charges nothing.
 *
 * Changes go beside decisions, which are sent first. One that is late says nothing about decisions: it is answered, no more.
 * Those that wait when the lane is suspended wait on, for as long as they may.
 */
export class Lane {
  private pending: DecideJob[] = [];
  /** Jobs with part of their time gone when they came: they travel by themselves, so as not to make others late. */
  private stragglers: DecideJob[] = [];
  private readonly amendments: AmendQueue;
  private inFlight = 0;
  private late = 0;
  private flushScheduled = false;
  private readonly breaker = new Breaker();
  /** The last change that the open breaker let through: no other says anything to it. */
  private probe: AmendJob | undefined;
  private readonly calls: TimedCalls;

  constructor(private readonly options: LaneOptions) {
    this.calls = options.calls ?? new TimedCalls();
    this.amendments = new AmendQueue({
      maySend: () => this.late === 0,
      deadlineMs: options.deadlineMs,
      send: ({ amendment, route }, { deadlineAtMs }) =>
        this.calls.exchange(
          deadlineAtMs,
          (timing) => options.sendAmendment(amendment, timing, route),
          ({ nowUs }) => nowUs,
        ),
      onAnswered: (job) => {
        if (job === this.probe) this.breaker.answered(eventLoop.runningMs());
      },
      onLate: (job, flight) => this.lateAmendment(job, flight),
      onError: (job, error) => this.fail([job], error),
    });
  }

  /** @param sinceMs when it was asked for, {@link EventLoop.runningMs}: its deadline counts from there; left out: now */
  decide(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    const nowMs = eventLoop.runningMs();
    return new Promise((settle) => this.enqueue(new DecideJob(request, settle, sinceMs ?? nowMs), nowMs));
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    const nowMs = eventLoop.runningMs();
    return new Promise((settle) => this.enqueue(new AmendJob(amendment, settle, nowMs), nowMs));
  }

  /** Takes a job, new or sent here by another server, or answers it at once. */
  enqueue(job: DecideJob | AmendJob, nowMs = eventLoop.runningMs()): void {
    const refusal = this.refusal(nowMs);
    if (refusal !== undefined) {
      job.settle(unavailable(refusal));
      return;
    }
    if (job instanceof AmendJob) {
      if (this.breaker.isOpen(nowMs)) this.probe = job;
      this.amendments.push(job);
    } else if (nowMs - job.sinceMs > this.options.deadlineMs * STRAGGLER_PART) this.stragglers.push(job);
    else if (this.pending.push(job) > 0 && this.inFlight >= MAX_CALLS_IN_FLIGHT) return;
    this.scheduleFlush();
  }

  /** Answers everything that still waits to be sent. */
  close(): void {
    this.refuseWaiting('disconnected');
  }

  private refusal(nowMs: number): UnavailableReason | undefined {
    if (!this.options.isConnected()) return 'disconnected';
    if (this.late > 0) return this.breaker.isOpen(nowMs) ? 'open' : 'suspended';
    return this.breaker.admits(nowMs) ? undefined : 'open';
  }

  // A microtask later, all decisions that this turn of the event loop asks for are here.
  private scheduleFlush(): void {
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    queueMicrotask(() => {
      this.flushScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    if (!this.options.isConnected()) this.refuseWaiting('disconnected');
    while (this.inFlight < MAX_CALLS_IN_FLIGHT && this.pending.length > 0 && this.late === 0) {
      void this.callInTurn(takeBatch(this.pending));
    }
    while (this.stragglers.length > 0) void this.call(takeBatch(this.stragglers), false);
    this.amendments.flush();
  }

  private async callInTurn(jobs: readonly DecideJob[]): Promise<void> {
    this.inFlight++;
    await this.call(jobs, true);
    this.inFlight--;
    this.flush();
  }

  private call(jobs: readonly DecideJob[], suspends: boolean): Promise<void> {
    return this.fly(jobs, suspends, async (flight) => {
      const groups = this.options.split?.(jobs) ?? [jobs];
      const runs = groups.flatMap((group) => splitByPolicyId(group));
      await Promise.all(runs.map((run) => this.exchange(run, flight)));
    });
  }

  private async exchange(jobs: readonly DecideJob[], flight: Flight): Promise<void> {
    const route = jobs[0]?.route ?? 'owner';
    try {
      const replies = await this.calls.exchange(
        flight.deadlineAtMs,
        (timing) => this.options.send(jobs, timing, route),
        ([first]) => first?.nowUs ?? 0,
      );
      for (const [i, job] of jobs.entries()) job.settle(replies[i] ?? unavailable('failed'));
    } catch (error) {
      if (!flight.isLate) this.fail(jobs, error);
    }
  }

  private fail(jobs: readonly (DecideJob | AmendJob)[], error: unknown): void {
    if (error instanceof Error && this.options.redirect?.(jobs, error) === true) return;
    const reason = reasonOf(error, this.options.isConnected());
    this.options.onFailure(reason, error);
    for (const job of jobs) job.settle(unavailable(reason));
  }

  private lateAmendment(job: AmendJob, { sentMs }: Flight): void {
    if (job === this.probe && this.late === 0) {
      this.breaker.stalled(sentMs);
      this.breaker.resumed(eventLoop.runningMs());
    }
    this.options.onFailure('deadline');
  }

  /** Runs a call that settles `jobs`; at their deadline they are answered without it. */
  private async fly(
    jobs: readonly DecideJob[],
    suspends: boolean,
    run: (flight: Flight) => Promise<void>,
  ): Promise<void> {
    const sinceMs = jobs.reduce((oldest, job) => Math.min(oldest, job.sinceMs), eventLoop.runningMs());
    const flight = new Flight(sinceMs + this.options.deadlineMs);
    await flight.run(
      () => run(flight),
      () => {
        for (const job of jobs) job.settle(unavailable('deadline'));
        if (suspends) this.suspend(flight.sentMs);
        this.options.onFailure('deadline');
      },
    );
    if (!suspends) return;
    const isConnected = this.options.isConnected();
    if (flight.isLate) this.resume(isConnected);
    else if (isConnected) this.breaker.answered(eventLoop.runningMs());
  }

  private suspend(sentMs: number): void {
    this.late++;
    this.breaker.stalled(sentMs);
    this.refuseDecisions('suspended');
  }

  private resume(isConnected: boolean): void {
    this.late--;
    if (!isConnected) this.breaker.dropped();
    else if (this.late === 0) this.breaker.resumed(eventLoop.runningMs());
  }

  private refuseWaiting(reason: UnavailableReason): void {
    this.refuseDecisions(reason);
    this.amendments.refuse(reason);
  }

  private refuseDecisions(reason: UnavailableReason): void {
    const jobs = [...this.pending, ...this.stragglers];
    this.pending = [];
    this.stragglers = [];
    for (const job of jobs) job.settle(unavailable(reason));
  }
}

/** Cuts the first jobs off the list, as many as one run decides. */
function takeBatch(jobs: DecideJob[]): DecideJob[] {
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
  return isConnected ? 'failed' : 'disconnected';
}

function unavailable(reason: UnavailableReason): Unavailable {
  return { available: false, reason };
}

/**
 * The lanes to one server, one for each deadline. They share nothing but the server's clock: a call that is late for one
 * deadline does not suspend decisions that may wait longer.
 */
export class LaneGroup {
  private readonly calls = new TimedCalls();
  private readonly usual: Lane;
  /** By deadline, ms. A limit's deadline is a whole number up to 1,000, so there are at most that many. */
  private readonly others = new Map<number, Lane>();

  constructor(private readonly options: Omit<LaneOptions, 'calls'>) {
    this.usual = this.makeLane(options.deadlineMs);
  }

  /** @param sinceMs {@link Lane.decide} */
  decide(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    return this.laneFor(request).decide(request, sinceMs);
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    return this.usual.amend(amendment);
  }

  enqueue(job: DecideJob | AmendJob): void {
    (job instanceof DecideJob ? this.laneFor(job) : this.usual).enqueue(job);
  }

  /** The server's time now or a little before, microseconds since the Unix epoch; undefined before its first reply. */
  serverNowUs(): number | undefined {
    return this.calls.serverNowUs();
  }

  /** Answers everything that still waits to be sent. */
  close(): void {
    this.usual.close();
    for (const lane of this.others.values()) lane.close();
  }

  private laneFor({ deadlineMs }: Pick<StoreRequest, 'deadlineMs'>): Lane {
    if (deadlineMs === undefined) return this.usual;
    let lane = this.others.get(deadlineMs);
    if (lane === undefined) {
      lane = this.makeLane(deadlineMs);
      this.others.set(deadlineMs, lane);
    }
    return lane;
  }

  private makeLane(deadlineMs: number): Lane {
    return new Lane({ ...this.options, deadlineMs, calls: this.calls });
  }
}
