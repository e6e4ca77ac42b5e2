import type { Socket } from 'node:net';
import { BoundedConnection, type Connections } from './connections.js';
import {
  assertLength,
  CODE,
  type Code,
  ConnectionError,
  DEFAULT_WINDOW,
  encodeSettings,
  FLAG,
  FRAME,
  FRAME_NAMES,
  FrameReader,
  frame,
  goawayFrame,
  initialWindowOf,
  MAX_WINDOW,
  numberFrame,
  PrefaceReader,
  protocolError,
  SETTING,
  withoutPadding,
} from './frames.js';
import { HeaderBlock } from './hpack.js';
import { CONNECTION_WINDOW, calm, costOfBlock, SETTINGS_COST } from './limits.js';
import { HeaderBlocks, type RequestHead, type WholeBlock } from './request-heads.js';
import {
  greeting,
  Http2Stream,
  Output,
  ReceiveWindow,
  SETTINGS_ACK,
  type ServerStream,
  type StreamConnection,
  type StreamSink,
  StreamTable,
} from './stream.js';

const LAST_PING = frame(FRAME.PING, 0, 0, Buffer.from('the last'));
const HEAD_TOO_LARGE = new HeaderBlock([[':status', '431']]);
const NEVER = Number.POSITIVE_INFINITY;

export interface RequestHandler {
  /**
   * The application may respond before the body arrives.
   * @returns undefined: the request was rejected, and the response is already sent
   */
  request(stream: ServerStream, head: RequestHead): StreamSink | undefined;
}

/** Server side of a connection, RFC 9113. */
export class Http2Connection extends BoundedConnection implements StreamConnection {
  readonly output: Output;
  sendWindow = DEFAULT_WINDOW;
  readonly waiting = new Set<Http2Stream>();
  private readonly reader: FrameReader;
  private readonly blocks = new HeaderBlocks();
  private readonly streams: StreamTable;
  private readonly preface = new PrefaceReader();
  private readonly window = new ReceiveWindow(CONNECTION_WINDOW);
  private maxStreams: number;
  private peerWindow = DEFAULT_WINDOW;
  private bufferedBytes = 0;
  private state: 'open' | 'leaving' | 'left' | 'ended' = 'open';
  /** {@link NEVER}: no operation is pending. */
  private readonly deadlines = { frame: NEVER, block: NEVER, output: NEVER, closing: NEVER };
  /** Complete frames at the last tick: an incomplete frame is late only if none was completed since. */
  private framesAtTick = -1;

  constructor(
    private readonly socket: Socket,
    private readonly handler: RequestHandler,
    connections: Connections,
  ) {
    super(connections);
    const { limits } = connections;
    this.maxStreams = limits.unauthenticatedStreams;
    this.streams = new StreamTable(limits.maxStreams);
    this.output = new Output(socket, (bytes) => this.hold(bytes));
    this.reader = new FrameReader((type, flags, stream, payload) => this.take(type, flags, stream, payload));
    this.output.push(greeting(this.maxStreams));
    socket.on('data', (chunk: Buffer) => this.read(chunk));
    socket.on('drain', () => socket.resume());
    socket.on('close', () => {
      this.endStreams();
      this.release();
    });
  }

  protected raiseStreams(maxStreams: number): void {
    this.maxStreams = maxStreams;
    const settings = encodeSettings([[SETTING.MAX_CONCURRENT_STREAMS, maxStreams]]);
    this.output.push(frame(FRAME.SETTINGS, 0, 0, settings));
  }

  protected openStreams(): readonly Http2Stream[] {
    return this.streams.all();
  }

  leave(): void {
    if (this.state !== 'open') return;
    this.state = 'leaving';
    this.deadlines.closing = this.deadlineAfter(this.limits.closingMs);
    // Requests sent before the peer reads this are served: it acknowledges the PING after them. RFC 9113 §6.8
    this.output.push(goawayFrame(MAX_WINDOW, CODE.NO_ERROR));
    this.output.push(LAST_PING);
  }

  end({ code, message }: ConnectionError): void {
    if (this.state === 'ended') return;
    this.output.push(goawayFrame(this.streams.last, code, message));
    this.close();
    this.endStreams();
  }

  override tick(): void {
    this.output.noteQueue();
    if (this.state === 'ended') {
      if (this.isPast(this.deadlines.closing)) this.socket.destroy();
      return;
    }
    this.checkInput();
    if (this.isOverdue('output', this.output.isBlocked, this.limits.responseMs)) {
      // Nothing would reach a peer that does not read.
      this.socket.destroy();
      return;
    }
    super.tick();
    if (this.state === 'leaving' && this.streams.size === 0 && this.isPast(this.deadlines.closing))
      this.leaveNow();
  }

  forget(stream: Http2Stream, byReset: boolean): void {
    this.streams.remove(stream.id, byReset);
    if (!byReset && stream.isAnswered) this.budget.refund(stream.cost);
    if (this.streams.size > 0) return;
    this.becomeIdle();
    if (this.state === 'left') this.close();
  }

  /** @returns whether the deadline has passed */
  private isOverdue(name: keyof typeof this.deadlines, isUnderWay: boolean, ms: number): boolean {
    const { deadlines } = this;
    if (!isUnderWay) deadlines[name] = NEVER;
    else if (deadlines[name] === NEVER) deadlines[name] = this.deadlineAfter(ms);
    return this.isPast(deadlines[name]);
  }

  private checkInput(): void {
    const { reader, blocks, limits } = this;
    const isSameFrame = reader.buffered > 0 && reader.frames === this.framesAtTick;
    this.framesAtTick = reader.frames;
    const isFrameLate = this.isOverdue('frame', isSameFrame, limits.headersMs);
    if (!blocks.isMidway) this.deadlines.block = NEVER;
    if (isFrameLate || this.isPast(this.deadlines.block)) this.end(calm('sends a frame too slowly'));
  }

  private read(chunk: Buffer): void {
    if (this.state === 'ended') return;
    try {
      this.reader.push(this.preface.push(chunk));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.end(error);
    }
    const buffered = this.reader.buffered + this.blocks.buffered;
    if (buffered === this.bufferedBytes) return;
    this.hold(buffered - this.bufferedBytes);
    this.bufferedBytes = buffered;
  }

  private take(type: number, flags: number, id: number, payload: Buffer): void {
    // Rest of a chunk whose beginning ended the connection.
    if (this.state === 'ended') return;
    if (!this.isReady && (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0))
      throw protocolError('the first frame must be SETTINGS');
    if (this.blocks.isMidway && type !== FRAME.CONTINUATION)
      throw protocolError('a header block is continued first');
    switch (type) {
      case FRAME.DATA:
        this.takeData(flags, id, payload);
        break;
      case FRAME.HEADERS:
        this.takeHeaders(flags, id, payload);
        break;
      case FRAME.CONTINUATION:
        this.budget.spend();
        this.takeBlock(this.blocks.continue(id, payload, (flags & FLAG.END_HEADERS) !== 0));
        break;
      case FRAME.WINDOW_UPDATE:
        this.budget.spend();
        this.takeWindowUpdate(id, payload);
        break;
      default:
        this.budget.spend();
        this.takeOther(type, flags, id, payload);
    }
  }

  private takeOther(type: number, flags: number, id: number, payload: Buffer): void {
    const isOfStream = type === FRAME.PRIORITY || type === FRAME.RST_STREAM;
    if (FRAME_NAMES[type] !== undefined && isOfStream !== id > 0)
      throw protocolError(`${FRAME_NAMES[type]} of ${id > 0 ? 'a stream' : 'no stream'}`);
    switch (type) {
      case FRAME.SETTINGS:
        this.takeSettings(flags, payload);
        break;
      case FRAME.PING:
        this.takePing(flags, payload);
        break;
      case FRAME.PRIORITY:
        assertLength('PRIORITY', payload, 5);
        break;
      case FRAME.RST_STREAM:
        assertLength('RST_STREAM', payload, 4);
        this.streams.find(id)?.close(true);
        break;
      case FRAME.GOAWAY:
        if (payload.length < 8)
          throw new ConnectionError(CODE.FRAME_SIZE_ERROR, 'GOAWAY has 8 bytes at least');
        break;
      case FRAME.PUSH_PROMISE:
        throw protocolError('a client pushes nothing');
    }
  }

  private takeData(flags: number, id: number, payload: Buffer): void {
    const stream = this.streams.find(id);
    if (!this.window.take(payload.length))
      throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'more than was granted');
    const granted = this.window.grant();
    if (granted > 0) this.output.push(numberFrame(FRAME.WINDOW_UPDATE, 0, granted));
    const bytes = withoutPadding(payload, flags);
    if (bytes === undefined) throw protocolError('padding exceeds the payload');
    const isLast = (flags & FLAG.END_STREAM) !== 0;
    if (stream === undefined || (bytes.length === 0 && !isLast)) this.budget.spend();
    if (stream !== undefined) stream.reset(stream.receive(bytes, payload.length - bytes.length, isLast));
    // DATA that was sent before the peer knew of the reset is discarded.
    else if (!this.streams.wasReset(id)) this.rejectStream(id, CODE.STREAM_CLOSED);
  }

  private takeHeaders(flags: number, id: number, payload: Buffer): void {
    if (id % 2 === 0) throw protocolError('a client opens streams with odd numbers');
    let bytes = withoutPadding(payload, flags);
    if ((flags & FLAG.PRIORITY) !== 0) bytes = bytes && (bytes.length < 5 ? undefined : bytes.subarray(5));
    if (bytes === undefined) throw protocolError('padding exceeds the payload');
    const block = { stream: id, isEnd: (flags & FLAG.END_STREAM) !== 0, bytes };
    const isWhole = (flags & FLAG.END_HEADERS) !== 0;
    if (!isWhole) this.deadlines.block = this.deadlineAfter(this.limits.headersMs);
    this.takeBlock(this.blocks.begin(block, isWhole));
  }

  private takeBlock(block: WholeBlock | undefined): void {
    if (block === undefined) return;
    const cost = costOfBlock(block.bytes.length);
    this.budget.spend(cost);
    if (block.stream > this.streams.last) {
      this.takeRequest(block, cost);
      return;
    }
    const stream = this.streams.findForHeaders(block.stream);
    const trailers = this.blocks.trailers(block.bytes);
    if (stream === undefined) return;
    const isSound = typeof trailers === 'object' && (block.isEnd || stream.hasWholeRequest);
    stream.reset(isSound ? stream.receiveTrailers() : CODE.PROTOCOL_ERROR);
  }

  private takeRequest({ stream: id, isEnd, bytes }: WholeBlock, cost: number): void {
    this.streams.last = id;
    const head = this.blocks.requestHead(bytes);
    const length = typeof head === 'string' ? undefined : head.contentLength;
    const isFull = this.state === 'left' || this.streams.size >= this.maxStreams;
    if (isFull || head === 'malformed' || (isEnd && (length ?? 0) > 0)) {
      this.rejectStream(id, isFull ? CODE.REFUSED_STREAM : CODE.PROTOCOL_ERROR);
      return;
    }
    const stream = new Http2Stream(id, this, this.peerWindow, length, isEnd, cost);
    this.streams.add(stream);
    if (head === 'too-large') stream.respond(HEAD_TOO_LARGE, true);
    else stream.begin(this.handler.request(stream, head));
  }

  private takeSettings(flags: number, payload: Buffer): void {
    if ((flags & FLAG.ACK) !== 0) {
      assertLength('an acknowledgement of SETTINGS', payload, 0);
      return;
    }
    this.budget.spend(SETTINGS_COST - 1);
    const window = initialWindowOf(payload) ?? this.peerWindow;
    const more = window - this.peerWindow;
    this.peerWindow = window;
    this.isReady = true;
    this.output.push(SETTINGS_ACK);
    if (more === 0) return;
    for (const stream of this.streams.all()) if (!stream.widen(more)) throw tooWide();
  }

  private takePing(flags: number, payload: Buffer): void {
    assertLength('PING', payload, 8);
    if ((flags & FLAG.ACK) === 0) this.output.push(frame(FRAME.PING, FLAG.ACK, 0, payload));
    else if (this.state === 'leaving') this.leaveNow();
  }

  private leaveNow(): void {
    this.state = 'left';
    this.output.push(goawayFrame(this.streams.last, CODE.NO_ERROR));
    if (this.streams.size === 0) this.close();
  }

  private takeWindowUpdate(id: number, payload: Buffer): void {
    assertLength('WINDOW_UPDATE', payload, 4);
    const more = payload.readUInt32BE(0) & MAX_WINDOW;
    if (id === 0) {
      if (more === 0) throw protocolError('WINDOW_UPDATE of nothing');
      this.sendWindow += more;
      if (this.sendWindow > MAX_WINDOW) throw tooWide();
      for (const stream of this.waiting) {
        if (this.sendWindow <= 0) break;
        stream.pump();
      }
      return;
    }
    const stream = this.streams.find(id);
    if (stream === undefined) return;
    if (more === 0) stream.reset(CODE.PROTOCOL_ERROR);
    else if (!stream.widen(more)) stream.reset(CODE.FLOW_CONTROL_ERROR);
  }

  private rejectStream(id: number, code: Code): void {
    this.streams.remove(id, true);
    this.output.push(numberFrame(FRAME.RST_STREAM, id, code));
  }

  /** Input is read and discarded: closing a socket with unread input may drop its last output. */
  private close(): void {
    this.state = 'ended';
    this.deadlines.closing = this.deadlineAfter(this.limits.closingMs);
    this.output.end();
    this.socket.resume();
  }

  private endStreams(): void {
    for (const stream of this.streams.all()) stream.close(true);
  }
}

function tooWide(): ConnectionError {
  return new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'a window becomes too large');
}
