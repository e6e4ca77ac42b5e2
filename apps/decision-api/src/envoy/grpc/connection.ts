import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { CONNECTION_WINDOW, FrameBudget, type Http2Limits, MAX_INPUT_BYTES, STREAM_BYTES } from './limits.js';
import type { Listener, Peer } from './listener.js';

const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM } = constants;

/** `node:http2` does not report frames: excess bytes are charged as WINDOW_UPDATE frames of this size. */
const CHARGED_BYTES = 13;

const FRAME_HEAD = 9;

const NEVER = Number.POSITIVE_INFINITY;

const NOTHING = Buffer.alloc(0);

const WITHOUT_BODY = { endStream: true };
const WITH_TRAILERS = { waitForTrailers: true };

/** A stream's or session's `close` follows. */
const ignore = () => undefined;

/** Receives one request. */
export interface RequestSink {
  /** @param bytes a view, valid during the call */
  data(bytes: Buffer, isLast: boolean): void;
  /** The request did not arrive within `bodyMs`. Without a response the stream is reset. */
  expired(): void;
  /** Called once, when the stream ends for any reason. */
  closed(): void;
}

export interface RequestHandler {
  /**
   * The application may respond before the body arrives.
   * @returns undefined: the request was rejected, and the response is already sent
   */
  request(stream: RequestStream, headers: IncomingHttpHeaders): RequestSink | undefined;
}

/** One connection over `node:http2`, within the bounds of {@link Http2Limits}. */
export class Connection implements Peer {
  isReady = false;
  isAuthenticated = false;
  /** Bytes buffered for it: unsent responses, incomplete requests, open streams. */
  backlogBytes = 0;
  unsentBytes = 0;
  readonly limits: Http2Limits;
  private readonly streams = new Set<RequestStream>();
  private readonly socket: Socket | undefined;
  private readonly budget: FrameBudget;
  /** Bytes that belong to requests, or are charged already. */
  private accountedBytes: number;
  private idleDeadline: number;
  private isReleased = false;

  constructor(
    private readonly session: ServerHttp2Session,
    handler: RequestHandler,
    private readonly listener: Listener,
  ) {
    this.limits = listener.limits;
    this.budget = new FrameBudget(this.limits.unauthenticatedFrameBudget);
    this.idleDeadline = this.deadlineAfter(this.limits.idleMs);
    this.socket = listener.attach(session.socket, this);
    // Without the handshake of TLS.
    this.accountedBytes = this.socket?.bytesRead ?? 0;
    session.setLocalWindowSize(CONNECTION_WINDOW);
    session.once('remoteSettings', () => {
      this.isReady = true;
    });
    session.on('error', ignore).on('close', () => this.release());
    session.on('stream', (node, headers, _flags, raw: string[]) => {
      let bytes = FRAME_HEAD;
      for (const text of raw) bytes += text.length + 2;
      this.account(bytes);
      this.charge(1);
      const stream = new RequestStream(node, this);
      this.streams.add(stream);
      stream.begin(handler, headers);
    });
  }

  deadlineAfter(ms: number): number {
    return this.listener.deadlineAfter(ms);
  }

  /** Headers count at their decoded size; what exceeds the bytes that were read expires at the next tick. */
  account(bytes: number): void {
    this.accountedBytes += bytes;
  }

  hold(bytes: number): void {
    if (this.isReleased) return;
    this.backlogBytes += bytes;
    this.listener.hold(bytes);
  }

  authenticate(): void {
    if (this.isAuthenticated) return;
    this.isAuthenticated = true;
    this.budget.raise(this.limits.frameBudget);
  }

  closed(stream: RequestStream, isAnswered: boolean): void {
    this.streams.delete(stream);
    if (isAnswered) this.budget.refund(1);
    this.idleDeadline = this.deadlineAfter(this.limits.idleMs);
  }

  tick(ms: number): void {
    const read = this.socket?.bytesRead ?? 0;
    this.charge(Math.max(0, Math.floor((read - this.accountedBytes) / CHARGED_BYTES)));
    this.accountedBytes = read;
    this.budget.refill(ms);
    const streams = [...this.streams];
    if (streams.some(({ responseDeadline }) => this.isPast(responseDeadline))) {
      this.end('response not read in time');
      return;
    }
    for (const stream of streams) if (this.isPast(stream.bodyDeadline)) stream.expire();
    if (streams.length === 0 && this.isPast(this.idleDeadline)) this.leave();
  }

  leave(): void {
    this.session.close();
  }

  end(message: string): void {
    if (this.session.destroyed) return;
    this.session.goaway(NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from(message));
    this.release();
    for (const { node } of this.streams) node.destroy();
    setImmediate(() => this.socket?.destroy());
  }

  private charge(cost: number): void {
    if (this.budget.spend(cost)) this.end('too many frames without a request');
  }

  private release(): void {
    this.hold(-this.backlogBytes);
    this.isReleased = true;
  }

  private isPast(deadline: number): boolean {
    return this.listener.nowMs >= deadline;
  }
}

/** One request and its response. */
export class RequestStream {
  bodyDeadline: number;
  responseDeadline = NEVER;
  /** Response bytes that wait for the peer. */
  backlog = 0;
  private heldBytes = STREAM_BYTES;
  private sink: RequestSink | undefined;

  constructor(
    readonly node: ServerHttp2Stream,
    private readonly connection: Connection,
  ) {
    this.bodyDeadline = connection.deadlineAfter(connection.limits.bodyMs);
    connection.hold(STREAM_BYTES);
  }

  get hasResponded(): boolean {
    return this.node.headersSent;
  }

  begin(handler: RequestHandler, headers: IncomingHttpHeaders): void {
    const { node, connection } = this;
    node.on('error', ignore).on('close', () => {
      this.release();
      connection.closed(this, this.sink !== undefined && node.rstCode === NGHTTP2_NO_ERROR);
      this.sink?.closed();
    });
    this.sink = handler.request(this, headers);
    let received = 0;
    node.on('data', (bytes: Buffer) => {
      connection.account(bytes.length + FRAME_HEAD);
      received += bytes.length;
      this.hold(STREAM_BYTES + this.backlog + Math.min(received, MAX_INPUT_BYTES));
      this.sink?.data(bytes, false);
    });
    node.on('end', () => {
      this.bodyDeadline = NEVER;
      if (!node.aborted) this.sink?.data(NOTHING, true);
    });
  }

  /** Applies the frame budget of an authenticated connection. */
  authenticate(): void {
    this.connection.authenticate();
  }

  /** Only the first call has an effect. @param isEnd the response has no body */
  respond(headers: OutgoingHttpHeaders, isEnd = false): void {
    if (this.node.headersSent || this.node.closed) return;
    this.node.respond(headers, isEnd ? WITHOUT_BODY : WITH_TRAILERS);
    if (isEnd) this.stopReading();
  }

  /** Resets the stream above the connection's backlog. */
  write(bytes: Buffer): void {
    const { node } = this;
    if (!this.canWrite || bytes.length === 0) return;
    this.addBacklog(bytes.length);
    // Bytes of a closed stream remain counted until its RST_STREAM is sent.
    node.write(bytes, () => !node.closed && this.addBacklog(-bytes.length));
  }

  /** @param last bytes before the trailers */
  end(trailers: OutgoingHttpHeaders, last?: Buffer): void {
    const { node } = this;
    if (!this.canWrite) return;
    node.on('wantTrailers', () => {
      node.sendTrailers(trailers);
      this.stopReading();
    });
    if (last === undefined) node.end();
    else {
      // Counted until the stream closes.
      this.addBacklog(last.length);
      node.end(last);
    }
  }

  /** Ends the stream because its request is not complete in time. */
  expire(): void {
    this.sink?.expired();
    if (!this.node.closed) this.node.close(NGHTTP2_CANCEL);
  }

  private get canWrite(): boolean {
    return !this.node.closed && !this.node.writableEnded;
  }

  private stopReading(): void {
    if (!this.node.readableEnded) this.node.close(NGHTTP2_NO_ERROR);
  }

  private addBacklog(bytes: number): void {
    const { connection } = this;
    this.backlog += bytes;
    connection.unsentBytes += bytes;
    this.hold(this.heldBytes + bytes);
    if (this.backlog === 0) this.responseDeadline = NEVER;
    else if (this.responseDeadline === NEVER)
      this.responseDeadline = connection.deadlineAfter(connection.limits.responseMs);
    if (bytes > 0 && connection.unsentBytes > connection.limits.connectionBacklogBytes)
      this.node.close(NGHTTP2_ENHANCE_YOUR_CALM);
  }

  private release(): void {
    this.connection.unsentBytes -= this.backlog;
    this.backlog = 0;
    this.hold(0);
  }

  private hold(bytes: number): void {
    if (bytes === this.heldBytes) return;
    this.connection.hold(bytes - this.heldBytes);
    this.heldBytes = bytes;
  }
}
