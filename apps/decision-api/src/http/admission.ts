import { type Server } from 'node:http';

/** Default limit of concurrent HTTP requests: 50 ms of work at 20,000 requests per second. */
export const DEFAULT_MAX_IN_FLIGHT = 1024;

/** Default limit of concurrent gRPC calls: those of ten connections with all their streams in use. */
export const DEFAULT_RLS_MAX_IN_FLIGHT = 1024;

/** Average event-loop lag above which a process sheds, several times the lag at full load. */
export const DEFAULT_MAX_LAG_MS = 100;

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
