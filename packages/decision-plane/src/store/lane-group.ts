import type { Amended, Amendment, StoreReply, StoreRequest, Unavailable } from './decision-store.js';
import { TimedCalls } from './flight.js';
import { Lane, type LaneOptions } from './lane.js';
import { type AmendJob, DecideJob } from './lane-job.js';

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
