import { type ClockUs, eventLoop } from '../stores/clocks.js';
import type { Amended, Amendment, StoreReply, StoreRequest, Unavailable } from '../stores/decision-store.js';
import type { RedisCalls } from '../stores/redis-calls.js';
import { type AmendJob, ChargeJob } from './jobs.js';
import { Lane, type LaneOptions } from './lane.js';
import { TimedCalls } from './timed-calls.js';

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

  charge(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    return this.laneFor(request).charge(request, sinceMs);
  }

  /** Decides a batch without a promise per request. */
  chargeAll(requests: readonly StoreRequest[]): Promise<readonly StoreReply[]> {
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
        this.laneFor(request).enqueue(new ChargeJob(request, reply, nowMs), nowMs);
      }
    });
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    return this.usual.amend(amendment);
  }

  enqueue(job: ChargeJob | AmendJob): void {
    (job instanceof ChargeJob ? this.laneFor(job) : this.usual).enqueue(job);
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
