/** What a process takes in unless it is told otherwise: at 20,000 requests a second, what it answers within 50 ms. */
export const DEFAULT_MAX_IN_FLIGHT = 1024;

/** The same of Envoy's door: at 50,000 a second, what it answers within the 20 ms that Envoy waits. */
export const DEFAULT_RLS_MAX_IN_FLIGHT = 1024;

/** Average event-loop lag above which a process sheds, several times the lag at full load. */
export const DEFAULT_MAX_LAG_MS = 100;

/** Why a request is shed. */
export const SHED_REASONS = ['in_flight', 'event_loop_lag'] as const;
export type ShedReason = (typeof SHED_REASONS)[number];

export interface LagBound {
  /** Average lag of the event loop, ms. */
  readonly lagMs: () => number;
  readonly maxMs: number;
}

/**
 * Says which requests of a door are taken in. One that is not is turned away at once, unread: a queue
 * would make everybody late, and those at its end so late that their answer is of no use. As all that is in work shares the event
 * loop, this also bounds how long one turn of it takes.
 */
export class Admission {
  private inFlight = 0;

  /**
   * @param maxInFlight requests that may be in work at once
   * @param lag left out: the event loop's lag sheds no request
   */
  constructor(
    private readonly maxInFlight: number,
    private readonly lag?: LagBound,
  ) {}

  /** Why a request would be shed now; undefined: it would not. */
  shedReason(): ShedReason | undefined {
    if (this.inFlight >= this.maxInFlight) return 'in_flight';
    if (this.lag !== undefined && this.lag.lagMs() > this.lag.maxMs) return 'event_loop_lag';
    return undefined;
  }

  /** @returns why the request is shed; undefined: it is in work until `leave` is called */
  enter(): ShedReason | undefined {
    const reason = this.shedReason();
    if (reason === undefined) this.inFlight++;
    return reason;
  }

  leave(): void {
    this.inFlight--;
  }
}

/** What goes on together: enough to share calls to the counters, few enough that what arrives meanwhile is seen soon. */
const TOGETHER = 128;

interface Group {
  readonly begun: Promise<void>;
  readonly begin: () => void;
  size: number;
}

/** Those that wait, in the order in which they came. */
const groups: Group[] = [];

/**
 * The end of this turn of the event loop: nothing is waited for, but whatever arrived with it on other connections goes first.
 * Requests that go on together from there travel to the counters together, which spares most calls of a busy door. More than some
 * take turns with what still arrives, so that who has to be turned away hears of it soon.
 */
export function turnEnd(): Promise<void> {
  let group = groups.at(-1);
  if (group === undefined || group.size >= TOGETHER) {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    group = { begun, begin, size: 0 };
    if (groups.push(group) === 1) setImmediate(beginFirst);
  }
  group.size++;
  return group.begun;
}

function beginFirst(): void {
  groups.shift()?.begin();
  if (groups.length > 0) setImmediate(beginFirst);
}
