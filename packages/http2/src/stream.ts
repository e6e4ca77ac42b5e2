import { answerFrames, frame, numberFrame } from './frames.js';
import { MAX_BACKLOG, STREAM_WINDOW } from './limits.js';
import type { Output } from './output.js';
import {
  CODE,
  type Code,
  ConnectionError,
  FLAG,
  FRAME,
  MAX_FRAME,
  MAX_WINDOW,
  protocolError,
} from './protocol.js';

/** What a peer may still send, of a stream or of a connection: RFC 9113 §5.2. */
export class ReceiveWindow {
  private ungranted = 0;

  /** @param size bytes, when all is granted */
  constructor(private readonly size: number) {}

  /** Something has come. @returns false: more than was granted */
  take(bytes: number): boolean {
    this.ungranted += bytes;
    return this.ungranted <= this.size;
  }

  /** What to grant now, as if whatever came was read: in large pieces, so mostly nothing. */
  grant(): number {
    if (this.ungranted <= this.size / 2) return 0;
    const granted = this.ungranted;
    this.ungranted = 0;
    return granted;
  }
}

const NOTHING = Buffer.alloc(0);

/** Who takes what arrives on a stream. */
export interface StreamSink {
  /** @param bytes a view, which lives as long as what it came in: see `FrameSink` */
  data(bytes: Buffer, isLast: boolean): void;
  /** Once, when nothing arrives or leaves any more: it was answered, reset, or its connection is gone. */
  closed(): void;
}

/** Of a connection, what its streams share. */
export interface StreamConnection {
  readonly output: Output;
  /** Bytes that may still be sent on it. */
  sendWindow: number;
  /** Streams that have something to send, and wait for its window to open. */
  readonly waiting: Set<Http2Stream>;
  /** Bytes of all its streams that wait for the peer to take them. */
  backlog: number;
  /** A stream is done. `byReset`: the peer may not know yet. */
  forget(stream: Http2Stream, byReset: boolean): void;
}

/** One request and its answer on a connection: RFC 9113 §5. */
export class Http2Stream {
  /** Whether the head of an answer was sent. */
  hasResponded = false;
  private sink: StreamSink | undefined;
  private readonly unsent: Buffer[] = [];
  private trailers: Buffer | undefined;
  private unsentBytes = 0;
  private isClosed = false;
  private isLocalEnded = false;
  private receivedBytes = 0;
  private readonly window = new ReceiveWindow(STREAM_WINDOW);

  constructor(
    readonly id: number,
    private readonly connection: StreamConnection,
    private sendWindow: number,
    private readonly contentLength: number | undefined,
    private isRemoteEnded: boolean,
  ) {}

  /** Whether an answer can still be given. */
  get isOpen(): boolean {
    return !this.isClosed && !this.isLocalEnded;
  }

  /** Whether all of the request is here. */
  get hasWholeRequest(): boolean {
    return this.isRemoteEnded;
  }

  /** Bytes that wait for the peer to take them. */
  get backlog(): number {
    return this.unsentBytes;
  }

  /** A whole answer: head, body, trailers. */
  answer(head: Buffer, body: Buffer, trailers: Buffer): void {
    const { connection } = this;
    if (
      this.hasResponded ||
      body.length > Math.min(MAX_FRAME, this.sendWindow, connection.sendWindow) ||
      !this.isOpen
    ) {
      this.respond(head);
      this.write(body);
      this.end(trailers);
      return;
    }
    this.hasResponded = true;
    this.sendWindow -= body.length;
    connection.sendWindow -= body.length;
    const { output } = connection;
    output.push(answerFrames(this.id, output.headerBlock(head), body, trailers));
    this.endLocal();
  }

  /** The head of an answer, once; with `isEnd` it is all of it. */
  respond(head: Buffer, isEnd = false): void {
    if (!this.isOpen || this.hasResponded) return;
    this.hasResponded = true;
    const flags = FLAG.END_HEADERS | (isEnd ? FLAG.END_STREAM : 0);
    const { output } = this.connection;
    output.push(frame(FRAME.HEADERS, flags, this.id, output.headerBlock(head)));
    if (isEnd) this.endLocal();
  }

  /** Part of a body: leaves as far as the peer takes it. Where too much waits already, the stream is reset. */
  write(bytes: Buffer): void {
    if (!this.isOpen || this.trailers !== undefined || bytes.length === 0) return;
    this.unsent.push(bytes);
    this.unsentBytes += bytes.length;
    this.connection.backlog += bytes.length;
    this.pump();
    if (this.connection.backlog > MAX_BACKLOG) this.reset(CODE.ENHANCE_YOUR_CALM);
  }

  /** Ends the answer, behind whatever was written. */
  end(trailers: Buffer): void {
    if (!this.isOpen || this.trailers !== undefined) return;
    this.trailers = trailers;
    this.pump();
  }

  /** Ends the stream, whatever was said. */
  reset(code: Code): void {
    if (this.isClosed) return;
    this.connection.output.push(numberFrame(FRAME.RST_STREAM, this.id, code));
    this.close(true);
  }

  /**
   * Something for the sink.
   * @param padding bytes that came with it, and count as it does
   * @returns the code to reset the stream with when it may not be
   */
  receive(bytes: Buffer, padding: number, isLast: boolean): Code | undefined {
    if (this.isRemoteEnded) return CODE.STREAM_CLOSED;
    this.receivedBytes += bytes.length;
    if (!this.window.take(bytes.length + padding)) return CODE.FLOW_CONTROL_ERROR;
    const { contentLength } = this;
    if (
      contentLength !== undefined &&
      (isLast ? this.receivedBytes !== contentLength : this.receivedBytes > contentLength)
    ) {
      return CODE.PROTOCOL_ERROR;
    }
    this.isRemoteEnded = isLast;
    const granted = isLast ? 0 : this.window.grant();
    if (granted > 0) this.connection.output.push(numberFrame(FRAME.WINDOW_UPDATE, this.id, granted));
    this.sink?.data(bytes, isLast);
    if (isLast && this.isLocalEnded) this.close(false);
    return undefined;
  }

  /** The request ends with fields behind its body. */
  receiveTrailers(): Code | undefined {
    return this.receive(NOTHING, 0, true);
  }

  /** @param sink takes what the request brings; undefined: it was answered already */
  begin(sink: StreamSink | undefined): void {
    this.sink = sink;
    if (this.isRemoteEnded) sink?.data(NOTHING, true);
  }

  /** The peer takes more, or less. @returns false: more than there can be */
  widen(bytes: number): boolean {
    this.sendWindow += bytes;
    if (this.sendWindow > MAX_WINDOW) return false;
    this.pump();
    return true;
  }

  /** Sends what the windows allow. */
  pump(): void {
    const { connection, unsent } = this;
    while (unsent.length > 0) {
      const first = unsent[0] as Buffer;
      const room = Math.min(first.length, MAX_FRAME, this.sendWindow, connection.sendWindow);
      if (room <= 0) {
        if (connection.sendWindow <= 0) connection.waiting.add(this);
        else connection.waiting.delete(this);
        return;
      }
      connection.output.push(frame(FRAME.DATA, 0, this.id, first.subarray(0, room)));
      this.sendWindow -= room;
      connection.sendWindow -= room;
      this.unsentBytes -= room;
      connection.backlog -= room;
      if (room === first.length) unsent.shift();
      else unsent[0] = first.subarray(room);
    }
    connection.waiting.delete(this);
    if (this.trailers === undefined || this.isLocalEnded) return;
    connection.output.push(frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, this.id, this.trailers));
    this.endLocal();
  }

  /** Forgets the stream without telling the peer. */
  close(byReset: boolean): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.connection.waiting.delete(this);
    this.connection.backlog -= this.unsentBytes;
    this.unsent.length = 0;
    this.connection.forget(this, byReset);
    this.sink?.closed();
  }

  /** What the peer still sends of its request is not worth reading once it was answered: RFC 9113 §8.1. */
  private endLocal(): void {
    this.isLocalEnded = true;
    if (this.isRemoteEnded) this.close(false);
    else this.reset(CODE.NO_ERROR);
  }
}

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
