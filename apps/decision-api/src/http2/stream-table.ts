import { CODE, ConnectionError, protocolError } from './protocol.js';
import type { Http2Stream } from './stream.js';

/** How many closed streams are remembered: above what a peer can have under way. */
const REMEMBERED = 1024;

/** The streams of a connection, by number: open, closed lately, or never opened. RFC 9113 §5.1 */
export class StreamTable {
  private readonly open = new Map<number, Http2Stream>();
  /** A ring. Below zero: closed by a reset, whichever side's. */
  private readonly closed: number[] = [];
  private nextClosed = 0;
  /** The highest number that was opened. */
  last = 0;

  get size(): number {
    return this.open.size;
  }

  /** All that are open, as they are now. */
  all(): Http2Stream[] {
    return [...this.open.values()];
  }

  add(stream: Http2Stream): void {
    this.open.set(stream.id, stream);
  }

  /** @param byReset the peer may not know yet, and sends more */
  remove(id: number, byReset: boolean): void {
    this.open.delete(id);
    this.closed[this.nextClosed] = byReset ? -id : id;
    this.nextClosed = (this.nextClosed + 1) % REMEMBERED;
  }

  /** The stream that a frame is about; undefined: it is closed. @throws ConnectionError for one that was never opened */
  find(id: number): Http2Stream | undefined {
    if (id === 0 || id > this.last || id % 2 === 0)
      throw protocolError('a frame of a stream that was never opened');
    return this.open.get(id);
  }

  /** As `find`, for a header block. @throws ConnectionError also for one that was closed, unless by a reset */
  findForHeaders(id: number): Http2Stream | undefined {
    const stream = this.open.get(id);
    if (stream !== undefined || this.wasReset(id)) return stream;
    if (this.closed.includes(id)) throw new ConnectionError(CODE.STREAM_CLOSED, 'the stream is closed');
    throw protocolError('streams are opened in the order of their numbers');
  }

  wasReset(id: number): boolean {
    return this.closed.includes(-id);
  }
}
