/** Maximum size of a request's fields, RFC 9113 §6.5.2. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** Larger than most request bodies, so that few need a WINDOW_UPDATE. */
export const STREAM_WINDOW = 128 * 1024;

export const CONNECTION_WINDOW = 1024 * 1024;

/** What the application keeps of an incomplete request at most. */
export const MAX_INPUT_BYTES = 1024 * 1024;

/** Memory of an open stream in the backlog, besides its bytes. */
export const STREAM_BYTES = 1024;

/** Milliseconds are absolute: progress of the peer does not extend them. */
export interface Http2Limits {
  /** When full, a new connection replaces the oldest unauthenticated one. */
  readonly maxConnections: number;
  /** Per IPv4 address or IPv6 /64. */
  readonly maxConnectionsPerAddress: number;
  /** Per connection. Callers keep further calls until one is answered, which costs the server nothing. */
  readonly maxStreams: number;
  /** See {@link FrameBudget}. */
  readonly frameBudget: number;
  /** Until the first authorized call. */
  readonly unauthenticatedFrameBudget: number;
  /** Response bytes per connection that the peer has not taken; the stream that exceeds it is reset. */
  readonly connectionBacklogBytes: number;
  /** Bytes buffered by the process; above it, the connection with the largest backlog is closed. */
  readonly backlogBytes: number;
  /** From accept to the peer's SETTINGS, including the TLS handshake. */
  readonly handshakeMs: number;
  /** From a request's HEADERS to its END_STREAM. */
  readonly bodyMs: number;
  /** For response bytes that the peer does not read. */
  readonly responseMs: number;
  /** Without an open request. */
  readonly idleMs: number;
}

export const DEFAULT_LIMITS: Http2Limits = {
  maxConnections: 1024,
  maxConnectionsPerAddress: 256,
  maxStreams: 100,
  frameBudget: 10_000,
  unauthenticatedFrameBudget: 1000,
  connectionBacklogBytes: 1024 * 1024,
  backlogBytes: 64 * 1024 * 1024,
  handshakeMs: 10_000,
  bodyMs: 10_000,
  responseMs: 10_000,
  idleMs: 300_000,
};

const ANSWER_REFUND = 4;

/** Part of the budget that is restored per second. */
const REFILL_PER_S = 0.1;

/**
 * Budget of one connection for what carries no answered request: frames without a request, resets, rejected requests. A
 * request is charged, and refunded with its complete response.
 */
export class FrameBudget {
  private spent = 0;

  constructor(private capacity: number) {}

  /** @returns whether the capacity is exceeded */
  spend(cost: number): boolean {
    this.spent += cost;
    return this.spent > this.capacity;
  }

  refund(cost: number): void {
    this.spent = Math.max(0, this.spent - cost - ANSWER_REFUND);
  }

  refill(ms: number): void {
    this.spent = Math.max(0, this.spent - (this.capacity * REFILL_PER_S * ms) / 1000);
  }

  raise(capacity: number): void {
    this.capacity = capacity;
  }
}
