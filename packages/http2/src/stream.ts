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

/** Table of size 0, RFC 7541 §6.3. */
const NO_TABLE = Buffer.from([0x20]);

/** Joins the writes of one event-loop iteration: a system call costs more than many responses. */
export class Output {
  private parts: Buffer[] = [];
  private bytes = 0;
  private hasGivenUpTable = false;
  private queued = 0;

  constructor(
    private readonly socket: Socket,
    private readonly onQueued: (bytes: number) => void,
  ) {
    socket.on('drain', () => this.noteQueue());
  }

  get isBlocked(): boolean {
    return this.socket.writableNeedDrain;
  }

  push(part: Buffer): void {
    if (this.parts.length === 0) process.nextTick(this.flush);
    this.parts.push(part);
    this.bytes += part.length;
  }

  /** The first block sets the table size to 0, as peers with a smaller table require (RFC 7541 §4.2). */
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
    // Stops reading from a peer that does not read.
    if (!socket.write(parts.length === 1 ? first : Buffer.concat(parts, bytes))) socket.pause();
    this.noteQueue();
  };

  noteQueue(): void {
    const { writableLength } = this.socket;
    if (writableLength === this.queued) return;
    this.onQueued(writableLength - this.queued);
    this.queued = writableLength;
  }

  end(): void {
    this.flush();
    this.socket.end();
  }
}

export class ReceiveWindow {
  private ungranted = 0;

  constructor(private readonly size: number) {}

  /** @returns false: the window is exceeded */
  take(bytes: number): boolean {
    this.ungranted += bytes;
    return this.ungranted <= this.size;
  }

  /** Bytes to grant now. Received bytes count as read. */
  grant(): number {
    if (this.ungranted <= this.size / 2) return 0;
    const granted = this.ungranted;
    this.ungranted = 0;
    return granted;
  }
}

const NOTHING = Buffer.alloc(0);

export interface StreamSink {
  /** @param bytes a view, valid during the call */
  data(bytes: Buffer, isLast: boolean): void;
  /** The request did not arrive within `bodyMs`. Without a response the stream is reset. */
  expired(): void;
  /** Called once, when the stream ends for any reason. */
  closed(): void;
}

export interface ServerStream {
  readonly hasResponded: boolean;
  readonly backlog: number;
  /** Applies the higher bounds of an authenticated connection. */
  authenticate(): void;
  answer(head: HeaderBlock, body: Buffer, trailers: HeaderBlock): void;
  /** Only the first call has an effect. @param isEnd the response has no body */
  respond(head: HeaderBlock, isEnd?: boolean): void;
  /** Resets the stream above the connection's backlog. */
  write(bytes: Buffer): void;
  end(trailers: HeaderBlock): void;
}

export interface StreamConnection extends BoundedConnection {
  readonly output: Output;
  sendWindow: number;
  readonly waiting: Set<Http2Stream>;
  /** @param byReset the peer may not know yet */
  forget(stream: Http2Stream, byReset: boolean): void;
}

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
    /** Charge for its header block. */
    readonly cost: number,
  ) {
    super(connection);
    if (isRemoteEnded) this.bodyDeadline = Number.POSITIVE_INFINITY;
  }

  get isOpen(): boolean {
    return !this.isClosed && !this.isLocalEnded;
  }

  get hasWholeRequest(): boolean {
    return this.isRemoteEnded;
  }

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

  /** @param code undefined: no effect */
  reset(code: Code | undefined): void {
    if (this.isClosed || code === undefined) return;
    this.connection.output.push(numberFrame(FRAME.RST_STREAM, this.id, code));
    this.close(true);
  }

  expire(): void {
    this.bodyDeadline = Number.POSITIVE_INFINITY;
    this.sink?.expired();
    if (!this.isRemoteEnded) this.reset(CODE.CANCEL);
  }

  /**
   * @param padding received bytes that count only for the window
   * @returns error code to reset the stream with
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

  receiveTrailers(): Code | undefined {
    return this.receive(NOTHING, 0, true);
  }

  /** @param sink undefined: the application responded already */
  begin(sink: StreamSink | undefined): void {
    this.sink = sink;
    if (this.isRemoteEnded) sink?.data(NOTHING, true);
  }

  /** @returns false: the window would exceed the maximum */
  widen(bytes: number): boolean {
    this.sendWindow += bytes;
    if (this.sendWindow > MAX_WINDOW) return false;
    this.pump();
    return true;
  }

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

  /** Closes the stream without a frame to the peer. */
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

  /** The rest of a request is not read after its response, RFC 9113 §8.1. */
  private endLocal(): void {
    this.isLocalEnded = true;
    if (this.isRemoteEnded) this.close(false);
    else this.reset(CODE.NO_ERROR);
  }
}

/** Streams by number: open, recently closed, or never opened. RFC 9113 §5.1 */
export class StreamTable {
  private readonly open = new Map<number, Http2Stream>();
  /** Ring of stream ids; negative: closed by a reset. */
  private readonly closed: number[] = [];
  private nextClosed = 0;
  last = 0;
  /** Remembers more closed streams than a peer can have in flight. */
  private readonly remembered: number;

  constructor(maxStreams: number) {
    this.remembered = maxStreams + 24;
  }

  get size(): number {
    return this.open.size;
  }

  all(): Http2Stream[] {
    return [...this.open.values()];
  }

  add(stream: Http2Stream): void {
    this.open.set(stream.id, stream);
  }

  remove(id: number, byReset: boolean): void {
    this.open.delete(id);
    this.closed[this.nextClosed] = byReset ? -id : id;
    this.nextClosed = (this.nextClosed + 1) % this.remembered;
  }

  /** Undefined: closed. @throws ConnectionError for a stream that was never opened */
  find(id: number): Http2Stream | undefined {
    if (id === 0 || id > this.last || id % 2 === 0)
      throw protocolError('a frame of a stream that was never opened');
    return this.open.get(id);
  }

  /** @throws ConnectionError also for a closed stream, unless it was reset */
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
