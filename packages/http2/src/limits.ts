import { CODE, ConnectionError } from './frames.js';

/** Maximum size of a request's fields, counted as in RFC 9113 §6.5.2. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** Maximum size of one encoded header block over all its frames. */
export const MAX_BLOCK_BYTES = 64 * 1024;

/** Initial receive window of a stream. Larger than most request bodies, so that few need a WINDOW_UPDATE. */
export const STREAM_WINDOW = 128 * 1024;

/** Receive window of a connection. */
export const CONNECTION_WINDOW = 1024 * 1024;

/** Memory an open stream counts for in the backlog, besides its bytes. */
export const STREAM_BYTES = 1024;

/** Bounds of one server. Milliseconds are absolute: progress of the peer does not extend them. */
export interface Http2Limits {
  /** Open connections. When full, the oldest unauthenticated connection is closed for a new one. */
  readonly maxConnections: number;
  /** The same for one IPv4 address or one IPv6 /64. */
  readonly maxConnectionsPerAddress: number;
  /** Concurrent requests of an authenticated connection. */
  readonly maxStreams: number;
  /** Concurrent requests before the application accepts the first. */
  readonly unauthenticatedStreams: number;
  /** Frame budget of an authenticated connection: see {@link FrameBudget}. */
  readonly frameBudget: number;
  /** Frame budget before the application accepts the first request. */
  readonly unauthenticatedFrameBudget: number;
  /** Response bytes per connection that wait for a window. The stream that exceeds it is reset. */
  readonly connectionBacklogBytes: number;
  /**
   * Bytes buffered for all connections of the process. Above it, the connection with the largest backlog is closed.
   */
  readonly backlogBytes: number;
  /** From accept until the peer's SETTINGS arrived, TLS handshake included. */
  readonly handshakeMs: number;
  /** For one incomplete frame or header block. */
  readonly headersMs: number;
  /** From a request's HEADERS to its END_STREAM. */
  readonly bodyMs: number;
  /** For a response or socket bytes that the peer does not read. */
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

/**
 * Additional refund per answered request: clients send up to this many WINDOW_UPDATE and PING frames per response.
 */
const ANSWER_REFUND = 4;

/** One part of the budget is restored per second. */
const REFILL_DIVISOR = 10;

/** Cost of a header block, proportional to its size like the decoding time. */
export function costOfBlock(bytes: number): number {
  return 1 + Math.floor(bytes / 1024);
}

/**
 * Leaky budget of one connection for frames that do not carry an answered request: PING, SETTINGS, PRIORITY,
 * WINDOW_UPDATE, RST_STREAM, CONTINUATION, unknown frames, empty DATA, frames of closed streams, and header blocks.
 * The header block of a request is refunded when its response is complete, so resets by either side and rejected
 * requests remain charged.
 */
export class FrameBudget {
  private spent = 0;

  constructor(private capacity: number) {}

  /** @throws ConnectionError `ENHANCE_YOUR_CALM` above the capacity */
  spend(cost = 1): void {
    this.spent += cost;
    if (this.spent > this.capacity) throw calm('too many frames without a request');
  }

  /** A request that cost this much was answered. */
  refund(cost: number): void {
    this.spent = Math.max(0, this.spent - cost - ANSWER_REFUND);
  }

  /** One second passed. */
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
