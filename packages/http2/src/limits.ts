import { CODE, ConnectionError } from './protocol.js';

/** Maximum size of a request's fields, counted as in RFC 9113 §6.5.2. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** Maximum size of one encoded header block over all its frames. */
export const MAX_BLOCK_BYTES = 64 * 1024;

/** Concurrent requests per connection. */
export const MAX_STREAMS = 1000;

/** Initial receive window of a stream. Larger than most request bodies, so that few need a WINDOW_UPDATE. */
export const STREAM_WINDOW = 128 * 1024;

/** Receive window of a connection. */
export const CONNECTION_WINDOW = 1024 * 1024;

/** Unsent response bytes per connection, above which the stream that adds more is reset. */
export const MAX_BACKLOG = 4 * 1024 * 1024;

/** Frames between two ticks that ask for nothing: far above what any client needs, far below what would keep a core busy. */
const MAX_NUISANCES = 10_000;

/** How long a peer may keep us waiting: for its first words, the rest of a frame or header block, or to read what it is told. */
const PATIENCE_TICKS = 10;

/** What is put up with of a peer: in a server's ticks, of a second each. */
export class Tolerance {
  private nuisances = 0;
  private waited = 0;

  /** A frame that asked for nothing, or one that costs as much as so many. @throws ConnectionError when there are too many */
  nuisance(weight = 1): void {
    this.nuisances += weight;
    if (this.nuisances > MAX_NUISANCES) {
      throw new ConnectionError(CODE.ENHANCE_YOUR_CALM, 'too many frames that ask for nothing');
    }
  }

  /** Another tick has passed. @returns false: the peer has kept us waiting for too long */
  tick(isKeptWaiting: boolean): boolean {
    this.nuisances = 0;
    this.waited = isKeptWaiting ? this.waited + 1 : 0;
    return this.waited <= PATIENCE_TICKS;
  }
}
