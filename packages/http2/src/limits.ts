import { CODE, ConnectionError } from './frames.js';

/** Maximum size of a request's fields, RFC 9113 §6.5.2. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** Maximum size of an encoded header block over all its frames. */
export const MAX_BLOCK_BYTES = 64 * 1024;

/** Larger than most request bodies, so that few need a WINDOW_UPDATE. */
export const STREAM_WINDOW = 128 * 1024;

export const CONNECTION_WINDOW = 1024 * 1024;

/** Memory of an open stream in the backlog, besides its bytes. */
export const STREAM_BYTES = 1024;

/** Milliseconds are absolute: progress of the peer does not extend them. */
export interface Http2Limits {
  /** When full, a new connection replaces the oldest unauthenticated one. */
  readonly maxConnections: number;
  /** Per IPv4 address or IPv6 /64. */
  readonly maxConnectionsPerAddress: number;
  readonly maxStreams: number;
  /** Until the application accepts the first request. */
  readonly unauthenticatedStreams: number;
  /** See {@link FrameBudget}. */
  readonly frameBudget: number;
  /** Until the application accepts the first request. */
  readonly unauthenticatedFrameBudget: number;
  /** Response bytes per connection that wait for a window; the stream that exceeds it is reset. */
  readonly connectionBacklogBytes: number;
  /** Bytes buffered by the process; above it, the connection with the largest backlog is closed. */
  readonly backlogBytes: number;
  /** From accept to the peer's SETTINGS, including the TLS handshake. */
  readonly handshakeMs: number;
  /** For an incomplete frame or header block. */
  readonly headersMs: number;
  /** From a request's HEADERS to its END_STREAM. */
  readonly bodyMs: number;
  /** For response bytes that the peer does not read. */
  readonly responseMs: number;
  /** Without an open request. */
  readonly idleMs: number;
  /** From GOAWAY until the socket is closed. */
  readonly closingMs: number;
}

export const DEFAULT_LIMITS: Http2Limits = {
  maxConnections: 1024,
  maxConnectionsPerAddress: 256,
  maxStreams: 1000,
  unauthenticatedStreams: 100,
  frameBudget: 10_000,
  unauthenticatedFrameBudget: 1000,
  connectionBacklogBytes: 1024 * 1024,
  backlogBytes: 64 * 1024 * 1024,
  handshakeMs: 10_000,
  headersMs: 10_000,
  bodyMs: 10_000,
  responseMs: 10_000,
  idleMs: 300_000,
  closingMs: 2000,
};

/** SETTINGS may change the window of every open stream. */
export const SETTINGS_COST = 10;

const ANSWER_REFUND = 4;

/** Part of the budget that is restored per second. */
const REFILL_DIVISOR = 10;

/** Proportional to the decoding time. */
export function costOfBlock(bytes: number): number {
  return 1 + Math.floor(bytes / 1024);
}

/**
 * Budget of one connection for frames that do not carry an answered request: PING, SETTINGS, PRIORITY, WINDOW_UPDATE,
 * RST_STREAM, CONTINUATION, unknown frames, empty DATA, frames of closed streams, and header blocks. A request's
 * header block is refunded with its complete response; resets and rejected requests are not.
 */
export class FrameBudget {
  private spent = 0;

  constructor(private capacity: number) {}

  /** @throws ConnectionError `ENHANCE_YOUR_CALM` above the capacity */
  spend(cost = 1): void {
    this.spent += cost;
    if (this.spent > this.capacity) throw calm('too many frames without a request');
  }

  refund(cost: number): void {
    this.spent = Math.max(0, this.spent - cost - ANSWER_REFUND);
  }

  refill(): void {
    this.spent = Math.max(0, this.spent - this.capacity / REFILL_DIVISOR);
  }

  raise(capacity: number): void {
    this.capacity = capacity;
  }
}

export function calm(message: string): ConnectionError {
  return new ConnectionError(CODE.ENHANCE_YOUR_CALM, message);
}
