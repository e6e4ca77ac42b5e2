import type { Elsewhere } from '../scripts/across.js';
import { BatchExpired, type DecideOptions } from '../scripts/decide.js';
import { type Run, splitRuns } from '../scripts/runs.js';
import { type ClockUs, eventLoop } from '../stores/clocks.js';
import type {
  Amended,
  Amendment,
  Decided,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../stores/decision-store.js';
import type { RedisCalls } from '../stores/redis-calls.js';
import {
  AmendJob,
  AmendQueue,
  CallDelayed,
  DecideJob,
  Flight,
  Flights,
  type Route,
  TimedCalls,
} from './jobs.js';

export interface LaneOptions {
  /** Sends a run to the server; undefined for requests to send in a general run. @throws BatchExpired and connection errors */
  send: (
    run: Run<StoreRequest>,
    options: DecideOptions,
    route: Route,
  ) => Promise<readonly (Decided | Elsewhere | undefined)[]>;
  sendAmendment: (amendment: Amendment, options: DecideOptions, route: Route) => Promise<Amended>;
  /** Splits jobs, in order, into groups whose keys one script may read. Default: one group. */
  split?: (jobs: readonly DecideJob[]) => (readonly DecideJob[])[];
  /** Takes over jobs that the server rejected; false: they fail. */
  redirect?: (jobs: readonly (DecideJob | AmendJob)[], error: Error) => boolean;
  /** Takes over a job whose keys the server does not serve. */
  elsewhere?: (job: DecideJob) => void;
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
  private pending: DecideJob[] = [];
  /** Sent separately, so that they do not shorten the deadline of others. */
  private stragglers: DecideJob[] = [];
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
  decide(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    const nowMs = eventLoop.runningMs();
    return new Promise((resolve) => this.enqueue(new DecideJob(request, resolve, sinceMs ?? nowMs), nowMs));
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    const nowMs = eventLoop.runningMs();
    return new Promise((resolve) => this.enqueue(new AmendJob(amendment, resolve, nowMs), nowMs));
  }

  enqueue(job: DecideJob | AmendJob, nowMs = eventLoop.runningMs()): void {
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

  private async call(jobs: readonly DecideJob[], suspends: boolean): Promise<void> {
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

  private exchangeAll(jobs: readonly DecideJob[], flight: Flight): Promise<unknown> {
    const groups = this.options.split?.(jobs) ?? [jobs];
    const runs = groups.flatMap((group) => splitRuns(group));
    const exchanges = runs.map((run) => this.exchange(run, flight));
    return exchanges.length === 1 ? (exchanges[0] as Promise<void>) : Promise.all(exchanges);
  }

  // Each run is an exchange, because an exchange whose reply was "expired" is repeated.
  private async exchange(run: Run<DecideJob>, flight: Flight): Promise<void> {
    const { requests: jobs } = run;
    const route = jobs[0]?.route ?? 'owner';
    try {
      const replies = await this.calls.exchange(
        flight,
        (timing) => this.options.send(run, timing, route),
        (decided) => decided.find((reply) => reply !== undefined)?.nowUs,
      );
      const undecided: DecideJob[] = [];
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

  private fail(jobs: readonly (DecideJob | AmendJob)[], error: unknown): void {
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
  if (error instanceof CallDelayed) return 'overloaded';
  return isConnected ? 'failed' : 'disconnected';
}

function unavailable(reason: UnavailableReason): Unavailable {
  return { available: false, reason };
}

interface LaneGroupOptions {
  measured?: RedisCalls | undefined;
  clockUs?: ClockUs | undefined;
}

/** Lanes to one server, one per deadline: a late call of one deadline does not suspend decisions that can wait longer. */
export class LaneGroup {
  private readonly calls: TimedCalls;
  private readonly usual: Lane;
  /** By deadline, ms. At most 1,000, because a limit's deadline is an integer up to 1,000. */
  private readonly others = new Map<number, Lane>();

  constructor(private readonly options: Omit<LaneOptions, 'calls'> & LaneGroupOptions) {
    this.calls = new TimedCalls(options.measured, options.clockUs);
    this.usual = this.makeLane(options.deadlineMs);
  }

  decide(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    return this.laneFor(request).decide(request, sinceMs);
  }

  /** Decides a batch without a promise per request. */
  decideAll(requests: readonly StoreRequest[]): Promise<readonly StoreReply[]> {
    if (requests.length === 0) return Promise.resolve([]);
    const nowMs = eventLoop.runningMs();
    return new Promise((resolve) => {
      const replies = new Array<StoreReply | undefined>(requests.length).fill(undefined);
      let open = requests.length;
      for (const [place, request] of requests.entries()) {
        const reply = (decided: StoreReply) => {
          if (replies[place] !== undefined) return;
          replies[place] = decided;
          if (--open === 0) resolve(replies as StoreReply[]);
        };
        this.laneFor(request).enqueue(new DecideJob(request, reply, nowMs), nowMs);
      }
    });
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    return this.usual.amend(amendment);
  }

  enqueue(job: DecideJob | AmendJob): void {
    (job instanceof DecideJob ? this.laneFor(job) : this.usual).enqueue(job);
  }

  serverNowUs(): number | undefined {
    return this.calls.serverNowUs();
  }

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

/** Time over which late calls are summed. */
const WINDOW_MS = 1000;

/** Maximum contribution of one stall: below {@link OPEN_AT_MS}, so that a single stall never opens the breaker. */
const MAX_STALL_MS = 250;

/** Late time within the window at which the breaker opens. */
const OPEN_AT_MS = 400;

/** Minimum time between two state changes. */
const MIN_STATE_MS = 5000;

const PROBE_INTERVAL_MS = 1000;

/** Consecutive probes in time that close the breaker. */
const PROBES_TO_CLOSE = 4;

interface Stall {
  readonly fromMs: number;
  untilMs: number | undefined;
}

/**
 * Detects a server that is up but repeatedly late (a gray failure), where each attempt would cost a caller the whole
 * deadline. Opens within a second; while open, it admits one call a second, and closes after several calls in time, at the
 * earliest after five seconds. Neither a single stall of any length nor a lost connection opens it. Times are monotonic.
 */
export class Breaker {
  private stalls: Stall[] = [];
  private state: 'closed' | 'open' = 'closed';
  private changedMs = Number.NEGATIVE_INFINITY;
  private probedMs = Number.NEGATIVE_INFINITY;
  private probesInTime = 0;

  /** A call sent at `sentMs` missed its deadline; nothing is sent until {@link resumed} or {@link dropped}. */
  stalled(sentMs: number): void {
    this.probesInTime = 0;
    if (this.current === undefined) this.stalls.push({ fromMs: sentMs, untilMs: undefined });
  }

  resumed(nowMs: number): void {
    if (this.current !== undefined) this.current.untilMs = nowMs;
  }

  /** The connection ended: its late calls do not predict the behavior of the next connection. */
  dropped(): void {
    if (this.current !== undefined) this.stalls.pop();
  }

  answered(nowMs: number): void {
    if (this.state === 'closed') return;
    this.probesInTime++;
    if (this.probesInTime >= PROBES_TO_CLOSE && nowMs - this.changedMs >= MIN_STATE_MS)
      this.change('closed', nowMs);
  }

  /** Whether a call in time changes nothing. */
  get isClosed(): boolean {
    return this.state === 'closed';
  }

  isOpen(nowMs: number): boolean {
    if (this.state === 'closed' && this.stalls.length > 0 && nowMs - this.changedMs >= MIN_STATE_MS) {
      if (this.lateMs(nowMs) >= OPEN_AT_MS) this.change('open', nowMs);
    }
    return this.state === 'open';
  }

  /** Whether a call may be sent now: always while closed, one per second while open. */
  admits(nowMs: number): boolean {
    if (!this.isOpen(nowMs)) return true;
    if (nowMs - this.probedMs < PROBE_INTERVAL_MS) return false;
    this.probedMs = nowMs;
    return true;
  }

  private get current(): Stall | undefined {
    const last = this.stalls.at(-1);
    return last?.untilMs === undefined ? last : undefined;
  }

  private lateMs(nowMs: number): number {
    const sinceMs = nowMs - WINDOW_MS;
    this.stalls = this.stalls.filter(({ untilMs = nowMs }) => untilMs > sinceMs);
    return this.stalls.reduce((sum, { fromMs, untilMs = nowMs }) => {
      return sum + Math.min(MAX_STALL_MS, untilMs - Math.max(fromMs, sinceMs));
    }, 0);
  }

  private change(state: 'closed' | 'open', nowMs: number): void {
    this.state = state;
    this.changedMs = nowMs;
    this.stalls = this.stalls.filter(({ untilMs }) => untilMs === undefined);
    this.probesInTime = 0;
    // The calls that opened it count as the first probe.
    this.probedMs = nowMs;
  }
}
