import { type Admission, type ShedReason } from '@tollgate/logging';

/** `Retry-After` of the answer to a shed request: a connection that sends again earlier waits. */
const RETRY_AFTER_MS = 1000;

/** Default longest wait of a request. At 20,000 requests per second, 5,000 connections can wait. */
const MAX_WAIT_MS = 250;

/** A connection from a shed request until the first admission that is {@link RETRY_AFTER_MS} later. */
interface Caller {
  shedMs: number;
  isWaiting: boolean;
}

interface Waiting {
  readonly caller: Caller;
  readonly sinceMs: number;
  readonly resolve: (reason: ShedReason | undefined) => void;
}

/**
 * Sheds a connection's first excess request at once and lets the next ones wait for their turn, one per connection. Shedding
 * costs about a third of an answer: callers that send again at once would otherwise take the place of decisions.
 */
export class WaitingLine {
  private readonly callers = new WeakMap<object, Caller>();
  private readonly line: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly admission: Admission,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  /** @returns undefined: the request is in flight until {@link leave}; otherwise why it is shed, now or after a wait */
  enter(connection: object): ShedReason | undefined | Promise<ShedReason | undefined> {
    const reason = this.admission.enter();
    if (reason !== 'in_flight') return reason;
    const caller = this.callers.get(connection);
    if (caller === undefined) {
      this.callers.set(connection, { shedMs: performance.now(), isWaiting: false });
      return reason;
    }
    // Pipelined behind a request that waits.
    if (caller.isWaiting) return reason;
    return this.wait(connection, caller);
  }

  /** Ends a request in flight and admits the one that waits longest; while the event loop lags, all that wait are shed. */
  leave(): void {
    this.admission.leave();
    while (this.line.length > 0) {
      const reason = this.admission.enter();
      this.resolveFirst(reason);
      if (reason === undefined) return;
    }
  }

  private async wait(connection: object, caller: Caller): Promise<ShedReason | undefined> {
    caller.isWaiting = true;
    const sinceMs = performance.now();
    const reason = await new Promise<ShedReason | undefined>((resolve) => {
      this.line.push({ caller, sinceMs, resolve });
      this.timer ??= setTimeout(() => this.shedOverdue(), this.maxWaitMs).unref();
    });
    const nowMs = performance.now();
    if (reason !== undefined) caller.shedMs = nowMs;
    else if (nowMs - caller.shedMs > RETRY_AFTER_MS) this.callers.delete(connection);
    return reason;
  }

  private shedOverdue(): void {
    this.timer = undefined;
    const nowMs = performance.now();
    for (let first = this.line[0]; first !== undefined; first = this.line[0]) {
      const leftMs = first.sinceMs + this.maxWaitMs - nowMs;
      if (leftMs > 0) {
        this.timer = setTimeout(() => this.shedOverdue(), Math.ceil(leftMs)).unref();
        return;
      }
      this.resolveFirst('in_flight');
    }
  }

  private resolveFirst(reason: ShedReason | undefined): void {
    const first = this.line.shift();
    if (first === undefined) return;
    first.caller.isWaiting = false;
    first.resolve(reason);
  }
}
