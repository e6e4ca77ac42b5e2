import { type Server } from 'node:http';

/** Default limit of concurrent HTTP requests: 50 ms of work at 20,000 requests per second. */
export const DEFAULT_MAX_IN_FLIGHT = 1024;

/** Default limit of concurrent gRPC calls: about 20 ms of work (Envoy's timeout) at 50,000 calls per second. */
export const DEFAULT_RLS_MAX_IN_FLIGHT = 1024;

/** Average event-loop lag above which a process sheds, several times the lag at full load. */
export const DEFAULT_MAX_LAG_MS = 100;

export const SHED_REASONS = ['in_flight', 'event_loop_lag'] as const;
export type ShedReason = (typeof SHED_REASONS)[number];

export interface LagBound {
  readonly lagMs: () => number;
  readonly maxMs: number;
  /** Whether the event loop has been calm since the start of the process; default: yes. */
  readonly isCalm?: boolean;
}

/**
 * Limits concurrent requests. Sheds the excess unread, because a queue would delay every request beyond its deadline.
 * The limit also bounds the duration of one event-loop iteration.
 */
export class Admission {
  private inFlight = 0;

  constructor(
    private readonly maxInFlight: number,
    private readonly lag?: LagBound,
  ) {}

  /** Undefined: the request would be admitted. */
  shedReason(): ShedReason | undefined {
    if (this.inFlight >= this.maxInFlight) return 'in_flight';
    if (this.lag !== undefined && this.lag.lagMs() > this.lag.maxMs) return 'event_loop_lag';
    return undefined;
  }

  /** @returns undefined: the request is in flight until `leave` */
  enter(): ShedReason | undefined {
    const reason = this.shedReason();
    if (reason === undefined) this.inFlight++;
    return reason;
  }

  leave(): void {
    this.inFlight--;
  }
}

/** Requests resumed per batch: large enough to share calls to Redis, small enough to keep reading new input. */
const BATCH_SIZE = 128;

interface Group {
  readonly begun: Promise<void>;
  readonly begin: () => void;
  size: number;
}

const groups: Group[] = [];

/**
 * Resolves after the pending input of this event-loop iteration was read. Requests that resume together share calls to
 * Redis, which saves most round trips under load.
 */
export function yieldToEventLoop(): Promise<void> {
  let group = groups.at(-1);
  if (group === undefined || group.size >= BATCH_SIZE) {
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

/** Graceful shutdown: fails readiness, stops accepting connections, waits for open requests. */
export class Drain {
  isDraining = false;

  /** @param notice readiness fails but requests are served until this resolves, so that load balancers can react */
  async run(server: Server, notice: Promise<unknown>, finishMs: number): Promise<void> {
    this.isDraining = true;
    await notice;
    const force = setTimeout(() => server.closeAllConnections(), finishMs);
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeIdleConnections();
    });
    clearTimeout(force);
  }
}
