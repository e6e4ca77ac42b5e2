import type { Socket } from 'node:net';
import {
  FrameReader,
  frame,
  goawayFrame,
  initialWindowOf,
  numberFrame,
  PrefaceReader,
  withoutPadding,
} from './frames.js';
import { encodeBlock } from './hpack.js';
import { CONNECTION_WINDOW, MAX_STREAMS, Tolerance } from './limits.js';
import { GREETING, Output, SETTINGS_ACK } from './output.js';
import {
  assertLength,
  CODE,
  type Code,
  ConnectionError,
  DEFAULT_WINDOW,
  FLAG,
  FRAME,
  FRAME_NAMES,
  MAX_WINDOW,
  protocolError,
} from './protocol.js';
import { HeaderBlocks, type RequestHead, type WholeBlock } from './request-heads.js';
import { Http2Stream, ReceiveWindow, type StreamConnection, type StreamSink, StreamTable } from './stream.js';

/** For how many frames that ask for nothing one stands that costs as much. */
const SETTINGS_WEIGHT = 100;

const LAST_PING = frame(FRAME.PING, 0, 0, Buffer.from('the last'));
const HEAD_TOO_LARGE = encodeBlock([[':status', '431']]);

/** Who answers requests. */
export interface RequestHandler {
  /**
   * A request has begun. It may be answered before it is whole.
   * @returns who takes what it brings; undefined: nobody, it was answered
   */
  request(stream: Http2Stream, head: RequestHead): StreamSink | undefined;
}

/** The server's side of one connection: RFC 9113. */
export class Http2Connection implements StreamConnection {
  readonly output: Output;
  sendWindow = DEFAULT_WINDOW;
  backlog = 0;
  readonly waiting = new Set<Http2Stream>();
  private readonly reader: FrameReader;
  private readonly blocks = new HeaderBlocks();
  private readonly streams = new StreamTable();
  private readonly preface = new PrefaceReader();
  private readonly window = new ReceiveWindow(CONNECTION_WINDOW);
  private readonly tolerance = new Tolerance();
  private hasSettings = false;
  private framesAtTick = 0;
  private peerWindow = DEFAULT_WINDOW;
  private state: 'open' | 'leaving' | 'left' | 'ended' = 'open';

  constructor(
    private readonly socket: Socket,
    private readonly handler: RequestHandler,
  ) {
    this.output = new Output(socket);
    this.reader = new FrameReader((type, flags, stream, payload) => this.take(type, flags, stream, payload));
    this.output.push(GREETING);
    socket.on('data', (chunk: Buffer) => this.read(chunk));
    socket.on('drain', () => socket.resume());
    socket.on('close', () => this.endStreams());
  }

  /** Takes no further requests, and ends when those that were begun are answered. */
  leave(): void {
    if (this.state !== 'open') return;
    if (!this.hasSettings) {
      this.destroy();
      return;
    }
    this.state = 'leaving';
    // Requests that are under way when the peer hears of it are served: it answers the ping behind them. RFC 9113 §6.8
    this.output.push(goawayFrame(MAX_WINDOW, CODE.NO_ERROR));
    this.output.push(LAST_PING);
  }

  /** Cuts it off. */
  destroy(): void {
    this.socket.destroy();
  }

  /** The time of a server's tick has passed: ends who keeps us waiting. */
  tick(): void {
    const { reader } = this;
    const isKeptWaiting =
      !this.hasSettings ||
      this.blocks.isMidway ||
      (reader.isMidway && reader.frames === this.framesAtTick) ||
      this.socket.writableNeedDrain ||
      this.state === 'ended';
    this.framesAtTick = reader.frames;
    if (!this.tolerance.tick(isKeptWaiting)) this.destroy();
  }

  forget(stream: Http2Stream, byReset: boolean): void {
    this.streams.remove(stream.id, byReset);
    if (this.streams.size === 0 && this.state === 'left') this.end();
  }

  private read(chunk: Buffer): void {
    if (this.state === 'ended') return;
    try {
      this.reader.push(this.preface.push(chunk));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.fail(error);
    }
  }

  private take(type: number, flags: number, id: number, payload: Buffer): void {
    // Of what came in one piece with the fault that ended the connection.
    if (this.state === 'ended') return;
    if (!this.hasSettings && (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0))
      throw protocolError('SETTINGS comes first');
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
        if (payload.length === 0) this.tolerance.nuisance();
        this.takeBlock(this.blocks.continue(id, payload, (flags & FLAG.END_HEADERS) !== 0));
        break;
      case FRAME.WINDOW_UPDATE:
        this.takeWindowUpdate(id, payload);
        break;
      default:
        this.tolerance.nuisance();
        this.takeOther(type, flags, id, payload);
    }
  }

  /** Those that ask for nothing. */
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
    if (bytes === undefined) throw protocolError('more padding than there is of the frame');
    const isLast = (flags & FLAG.END_STREAM) !== 0;
    if (bytes.length === 0 && !isLast) this.tolerance.nuisance();
    if (stream !== undefined)
      this.resetIf(stream, stream.receive(bytes, payload.length - bytes.length, isLast));
    // What was under way when its stream was reset is thrown away.
    else if (!this.streams.wasReset(id)) this.refuse(id, CODE.STREAM_CLOSED);
  }

  private takeHeaders(flags: number, id: number, payload: Buffer): void {
    if (id % 2 === 0) throw protocolError('a client opens streams with odd numbers');
    let bytes = withoutPadding(payload, flags);
    if ((flags & FLAG.PRIORITY) !== 0) bytes = bytes && (bytes.length < 5 ? undefined : bytes.subarray(5));
    if (bytes === undefined) throw protocolError('more padding than there is of the frame');
    const block = { stream: id, isEnd: (flags & FLAG.END_STREAM) !== 0, bytes };
    this.takeBlock(this.blocks.begin(block, (flags & FLAG.END_HEADERS) !== 0));
  }

  private takeBlock(block: WholeBlock | undefined): void {
    if (block === undefined) return;
    if (block.stream > this.streams.last) {
      this.takeRequest(block);
      return;
    }
    const stream = this.streams.findForHeaders(block.stream);
    const trailers = this.blocks.trailers(block.bytes);
    if (stream === undefined) return;
    const isSound = typeof trailers === 'object' && (block.isEnd || stream.hasWholeRequest);
    this.resetIf(stream, isSound ? stream.receiveTrailers() : CODE.PROTOCOL_ERROR);
  }

  private takeRequest({ stream: id, isEnd, bytes }: WholeBlock): void {
    this.streams.last = id;
    const head = this.blocks.requestHead(bytes);
    const length = typeof head === 'string' ? undefined : head.contentLength;
    const isFull = this.state === 'left' || this.streams.size >= MAX_STREAMS;
    if (isFull || head === 'malformed' || (isEnd && (length ?? 0) > 0)) {
      this.refuse(id, isFull ? CODE.REFUSED_STREAM : CODE.PROTOCOL_ERROR);
      return;
    }
    const stream = new Http2Stream(id, this, this.peerWindow, length, isEnd);
    this.streams.add(stream);
    if (head === 'too-large') stream.respond(HEAD_TOO_LARGE, true);
    else stream.begin(this.handler.request(stream, head));
  }

  private takeSettings(flags: number, payload: Buffer): void {
    if ((flags & FLAG.ACK) !== 0) {
      assertLength('an acknowledgement of SETTINGS', payload, 0);
      return;
    }
    // Each may move the windows of all streams.
    this.tolerance.nuisance(SETTINGS_WEIGHT);
    const window = initialWindowOf(payload) ?? this.peerWindow;
    const more = window - this.peerWindow;
    this.peerWindow = window;
    this.hasSettings = true;
    this.output.push(SETTINGS_ACK);
    if (more === 0) return;
    for (const stream of this.streams.all()) if (!stream.widen(more)) throw tooWide();
  }

  private takePing(flags: number, payload: Buffer): void {
    assertLength('PING', payload, 8);
    if ((flags & FLAG.ACK) === 0) this.output.push(frame(FRAME.PING, FLAG.ACK, 0, payload));
    else if (this.state === 'leaving') {
      this.state = 'left';
      this.output.push(goawayFrame(this.streams.last, CODE.NO_ERROR));
      if (this.streams.size === 0) this.end();
    }
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

  private refuse(id: number, code: Code): void {
    this.tolerance.nuisance();
    this.streams.remove(id, true);
    this.output.push(numberFrame(FRAME.RST_STREAM, id, code));
  }

  private resetIf(stream: Http2Stream, code: Code | undefined): void {
    if (code === undefined) return;
    this.tolerance.nuisance();
    stream.reset(code);
  }

  private fail({ code, message }: ConnectionError): void {
    this.output.push(goawayFrame(this.streams.last, code, message));
    this.end();
    this.endStreams();
  }

  /** What still comes is read and thrown away: a socket that is closed with something unread takes back what it was to say. */
  private end(): void {
    this.state = 'ended';
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
