import type { Socket } from 'node:net';
import { type BoundedConnection, BoundedStream } from './connections.js';
import {
  answerFrames,
  CODE,
  type Code,
  ConnectionError,
  DEFAULT_WINDOW,
  encodeSettings,
  FLAG,
  FRAME,
  frame,
  MAX_FRAME,
  MAX_WINDOW,
  numberFrame,
  protocolError,
  SETTING,
} from './frames.js';
import type { HeaderBlock } from './hpack.js';
import { CONNECTION_WINDOW, MAX_HEAD_BYTES, STREAM_WINDOW } from './limits.js';

/** The first frames of a server. */
export function greeting(maxStreams: number): Buffer {
  const settings = encodeSettings([
    [SETTING.MAX_CONCURRENT_STREAMS, maxStreams],
    [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
    [SETTING.MAX_HEADER_LIST_SIZE, MAX_HEAD_BYTES],
  ]);
  return Buffer.concat([
    frame(FRAME.SETTINGS, 0, 0, settings),
    numberFrame(FRAME.WINDOW_UPDATE, 0, CONNECTION_WINDOW - DEFAULT_WINDOW),
  ]);
}

export const SETTINGS_ACK = frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(0));

/** RFC 7541 §6.3: a table of no bytes. */
const NO_TABLE = Buffer.from([0x20]);

/** Joins the writes of one event-loop iteration to a connection: a system call costs more than many responses. */
export class Output {
  private parts: Buffer[] = [];
  private bytes = 0;
  private hasGivenUpTable = false;
  private queued = 0;

  /** @param onQueued receives the growth of the socket's queue, in bytes */
  constructor(
    private readonly socket: Socket,
    private readonly onQueued: (bytes: number) => void,
  ) {
    socket.on('drain', () => this.noteQueue());
  }

  /** Whether the peer has not read all that was written. */
  get isBlocked(): boolean {
    return this.socket.writableNeedDrain;
  }

  push(part: Buffer): void {
    if (this.parts.length === 0) process.nextTick(this.flush);
    this.parts.push(part);
    this.bytes += part.length;
  }

  /**
   * The bytes of a header block. The first block sets the table size to 0: peers with a table below the default size require this
   * update (RFC 7541 §4.2), and later changes of their size need no other.
   */
  headerBlock({ encoded }: HeaderBlock): Buffer {
    if (this.hasGivenUpTable) return encoded;
    this.hasGivenUpTable = true;
    return Buffer.concat([NO_TABLE, encoded]);
  }

  private readonly flush = () => {
    const { parts, bytes, socket } = this;
    const [first] = parts;
    if (first === undefined) return;
    this.parts = [];
    this.bytes = 0;
    if (!socket.writable) return;
    // Nothing is read from a peer that does not read.
    if (!socket.write(parts.length === 1 ? first : Buffer.concat(parts, bytes))) socket.pause();
    this.noteQueue();
  };

  /** Updates the number of queued bytes. */
  noteQueue(): void {
    const { writableLength } = this.socket;
    if (writableLength === this.queued) return;
    this.onQueued(writableLength - this.queued);
    this.queued = writableLength;
  }

  /** Writes the pending parts, then ends the socket. */
  end(): void {
    this.flush();
    this.socket.end();
  }
}

/** The bytes that a peer may still send on a stream or a connection: RFC 9113 §5.2. */
export class ReceiveWindow {
  private ungranted = 0;

  /** @param size bytes, when all is granted */
  constructor(private readonly size: number) {}

  /** Counts received bytes. @returns false: the window is exceeded */
  take(bytes: number): boolean {
    this.ungranted += bytes;
    return this.ungranted <= this.size;
  }

  /** The bytes to grant now, 0 up to half the window. Received bytes count as read. */
  grant(): number {
    if (this.ungranted <= this.size / 2) return 0;
    const granted = this.ungranted;
    this.ungranted = 0;
    return granted;
  }
}

const NOTHING = Buffer.alloc(0);

/** Receives the data and the end of a stream. */
export interface StreamSink {
  /** @param bytes a view that is valid during the call: see `FrameSink` */
  data(bytes: Buffer, isLast: boolean): void;
  /** The request did not arrive within `bodyMs`. If this does not respond, the stream is reset. */
  expired(): void;
  /** Called once, when the stream is over: answered, reset, or its connection closed. */
  closed(): void;
}

/** One request and its response, on either transport. */
export interface ServerStream {
  /** Whether the head of a response was sent. */
  readonly hasResponded: boolean;
  /** Response bytes that wait for the peer. */
  readonly backlog: number;
  /** Marks its connection as authenticated: higher bounds apply from now on. */
  authenticate(): void;
  /** Sends a whole response: head, body, trailers. */
  answer(head: HeaderBlock, body: Buffer, trailers: HeaderBlock): void;
  /** Sends the head of a response, once; with `isEnd` it is all of the response. */
  respond(head: HeaderBlock, isEnd?: boolean): void;
  /** Sends part of a body. A stream above the connection's backlog is reset. */
  write(bytes: Buffer): void;
  /** Ends the response after everything written. */
  end(trailers: HeaderBlock): void;
}

/** The connection of a stream, as the stream needs it. */
export interface StreamConnection extends BoundedConnection {
  readonly output: Output;
  /** Bytes that may still be sent on it. */
  sendWindow: number;
  /** Streams that wait for its window to open. */
  readonly waiting: Set<Http2Stream>;
  /** A stream is over. @param byReset the peer may not know yet */
  forget(stream: Http2Stream, byReset: boolean): void;
}

/** One request and its response on a connection: RFC 9113 §5. */
export class Http2Stream extends BoundedStream<StreamConnection> implements ServerStream {
  hasResponded = false;
  private sink: StreamSink | undefined;
  private readonly unsent: Buffer[] = [];
  private trailers: HeaderBlock | undefined;
  private isClosed = false;
  private isLocalEnded = false;
  private receivedBytes = 0;
  private readonly window = new ReceiveWindow(STREAM_WINDOW);

  constructor(
    readonly id: number,
    connection: StreamConnection,
    private sendWindow: number,
    private readonly contentLength: number | undefined,
    private isRemoteEnded: boolean,
    /** The charge for its header block. */
    readonly cost: number,
  ) {
    super(connection);
    if (isRemoteEnded) this.bodyDeadline = Number.POSITIVE_INFINITY;
  }

  /** Whether a response can still be sent. */
  get isOpen(): boolean {
    return !this.isClosed && !this.isLocalEnded;
  }

  /** Whether the request is complete. */
  get hasWholeRequest(): boolean {
    return this.isRemoteEnded;
  }

  /** Whether the application took the request, all of it arrived, and all of the response was sent. */
  get isAnswered(): boolean {
    return this.isLocalEnded && this.isRemoteEnded && this.sink !== undefined;
  }

  override answer(head: HeaderBlock, body: Buffer, trailers: HeaderBlock): void {
    const { connection } = this;
    if (
      this.hasResponded ||
      body.length > Math.min(MAX_FRAME, this.sendWindow, connection.sendWindow) ||
      !this.isOpen
    ) {
      super.answer(head, body, trailers);
      return;
    }
    this.hasResponded = true;
    this.sendWindow -= body.length;
    connection.sendWindow -= body.length;
    const { output } = connection;
    output.push(answerFrames(this.id, output.headerBlock(head), body, trailers.encoded));
    this.endLocal();
  }

  respond(head: HeaderBlock, isEnd = false): void {
    if (this.hasResponded || !this.isOpen) return;
    this.hasResponded = true;
    const flags = FLAG.END_HEADERS | (isEnd ? FLAG.END_STREAM : 0);
    const { output } = this.connection;
    output.push(frame(FRAME.HEADERS, flags, this.id, output.headerBlock(head)));
    if (isEnd) this.endLocal();
  }

  write(bytes: Buffer): void {
    if (!this.isOpen || this.trailers !== undefined || bytes.length === 0) return;
    this.unsent.push(bytes);
    this.addBacklog(bytes.length);
    this.pump();
    if (this.backlog > 0 && !this.addBacklog(0)) this.reset(CODE.ENHANCE_YOUR_CALM);
  }

  end(trailers: HeaderBlock): void {
    if (!this.isOpen || this.trailers !== undefined) return;
    this.trailers = trailers;
    this.pump();
  }

  /** Ends the stream with RST_STREAM. */
  reset(code: Code): void {
    if (this.isClosed) return;
    this.connection.output.push(numberFrame(FRAME.RST_STREAM, this.id, code));
    this.close(true);
  }

  expire(): void {
    this.bodyDeadline = Number.POSITIVE_INFINITY;
    this.sink?.expired();
    if (!this.isRemoteEnded) this.reset(CODE.CANCEL);
  }

  /**
   * Passes bytes of the request to the sink.
   * @param padding bytes received with it that count for the window
   * @returns error code to reset the stream with, if a rule was violated
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
    if (isLast) this.bodyDeadline = Number.POSITIVE_INFINITY;
    else this.holdInput(this.receivedBytes);
    const granted = isLast ? 0 : this.window.grant();
    if (granted > 0) this.connection.output.push(numberFrame(FRAME.WINDOW_UPDATE, this.id, granted));
    this.sink?.data(bytes, isLast);
    if (isLast && this.isLocalEnded) this.close(false);
    return undefined;
  }

  /** The request ends with trailers. */
  receiveTrailers(): Code | undefined {
    return this.receive(NOTHING, 0, true);
  }

  /** @param sink receives the request; undefined: the application responded already */
  begin(sink: StreamSink | undefined): void {
    this.sink = sink;
    if (this.isRemoteEnded) sink?.data(NOTHING, true);
  }

  /** Changes the window. @returns false: it would exceed the maximum */
  widen(bytes: number): boolean {
    this.sendWindow += bytes;
    if (this.sendWindow > MAX_WINDOW) return false;
    this.pump();
    return true;
  }

  /** Sends unsent bytes up to the windows. */
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
      this.addBacklog(-room);
      if (room === first.length) unsent.shift();
      else unsent[0] = first.subarray(room);
    }
    connection.waiting.delete(this);
    if (this.trailers === undefined || this.isLocalEnded) return;
    const flags = FLAG.END_HEADERS | FLAG.END_STREAM;
    connection.output.push(frame(FRAME.HEADERS, flags, this.id, this.trailers.encoded));
    this.endLocal();
  }

  /** Forgets the stream without a frame to the peer. */
  close(byReset: boolean): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { connection } = this;
    connection.waiting.delete(this);
    this.release();
    this.unsent.length = 0;
    connection.forget(this, byReset);
    this.sink?.closed();
  }

  /** The rest of a request is not read after its response: RFC 9113 §8.1. */
  private endLocal(): void {
    this.isLocalEnded = true;
    if (this.isRemoteEnded) this.close(false);
    else this.reset(CODE.NO_ERROR);
  }
}

/** Streams of a connection by number: open, recently closed, or never opened. RFC 9113 §5.1 */
export class StreamTable {
  private readonly open = new Map<number, Http2Stream>();
  /** Ring of stream ids; negative: closed by a reset of either side. */
  private readonly closed: number[] = [];
  private nextClosed = 0;
  /** The highest number that was opened. */
  last = 0;
  /** How many closed streams are remembered: more than a peer can have under way. */
  private readonly remembered: number;

  /** @param maxStreams that are open at once */
  constructor(maxStreams: number) {
    this.remembered = maxStreams + 24;
  }

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
    this.nextClosed = (this.nextClosed + 1) % this.remembered;
  }

  /** The stream that a frame is about; undefined: it is closed. @throws ConnectionError for one that was never opened */
  find(id: number): Http2Stream | undefined {
    if (id === 0 || id > this.last || id % 2 === 0)
      throw protocolError('a frame of a stream that was never opened');
    return this.open.get(id);
  }

  /** Like `find`, for a header block. @throws ConnectionError also for a closed stream, unless it was reset */
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
