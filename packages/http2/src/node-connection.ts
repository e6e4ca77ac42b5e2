import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { RequestHandler } from './connection.js';
import { BoundedConnection, BoundedStream, type Connections } from './connections.js';
import { CODE, type ConnectionError, FRAME_HEAD } from './frames.js';
import type { HeaderBlock } from './hpack.js';
import { headOf, type RequestHead } from './request-heads.js';
import type { ServerStream, StreamSink } from './stream.js';

/** `node:http2` does not report frames: excess bytes are charged as WINDOW_UPDATE frames of this size. */
const CHARGED_BYTES = 13;

export class NodeConnection extends BoundedConnection {
  private readonly streams = new Set<NodeStream>();
  private readonly socket: Socket | undefined;
  /** Bytes that belong to requests. */
  private accountedBytes = 0;

  constructor(
    private readonly session: ServerHttp2Session,
    handler: RequestHandler,
    connections: Connections,
  ) {
    super(connections);
    this.socket = connections.attach(session.socket, this);
    session.once('remoteSettings', () => {
      this.isReady = true;
    });
    session.on('error', () => undefined).on('close', () => this.release());
    session.on('stream', (node, headers, _flags, raw: string[]) => {
      this.account(raw.reduce((sum, text) => sum + text.length + 2, FRAME_HEAD));
      this.charge(1);
      const stream = new NodeStream(node, this);
      this.streams.add(stream);
      stream.begin(handler, headOf(headers));
    });
  }

  protected openStreams(): readonly NodeStream[] {
    return [...this.streams];
  }

  protected raiseStreams(maxConcurrentStreams: number): void {
    this.session.settings({ maxConcurrentStreams });
  }

  account(bytes: number): void {
    this.accountedBytes += bytes;
  }

  closed(stream: NodeStream, isAnswered: boolean): void {
    this.streams.delete(stream);
    if (isAnswered) this.budget.refund(1);
    this.becomeIdle();
  }

  override tick(): void {
    const read = this.socket?.bytesRead ?? 0;
    this.charge(Math.max(0, Math.floor((read - this.accountedBytes) / CHARGED_BYTES)));
    this.accountedBytes = read;
    super.tick();
  }

  leave(): void {
    this.session.close();
  }

  end({ code, message }: ConnectionError): void {
    if (this.session.destroyed) return;
    this.session.goaway(code, 0, Buffer.from(message));
    this.release();
    for (const { node } of this.streams) node.destroy();
    setImmediate(() => this.socket?.destroy());
  }
}

class NodeStream extends BoundedStream<NodeConnection> implements ServerStream {
  private sink: StreamSink | undefined;

  constructor(
    readonly node: ServerHttp2Stream,
    connection: NodeConnection,
  ) {
    super(connection);
  }

  get hasResponded(): boolean {
    return this.node.headersSent;
  }

  begin(handler: RequestHandler, head: RequestHead): void {
    const { node, connection } = this;
    node
      .on('error', () => undefined)
      .once('close', () => {
        this.release();
        connection.closed(this, this.sink !== undefined && node.rstCode === CODE.NO_ERROR);
        this.sink?.closed();
      });
    this.sink = handler.request(this, head);
    let received = 0;
    node.on('data', (bytes: Buffer) => {
      connection.account(bytes.length + FRAME_HEAD);
      received += bytes.length;
      this.holdInput(received);
      this.sink?.data(bytes, false);
    });
    node.once('end', () => {
      this.bodyDeadline = Number.POSITIVE_INFINITY;
      if (!node.aborted) this.sink?.data(Buffer.alloc(0), true);
    });
  }

  respond({ headers }: HeaderBlock, isEnd = false): void {
    if (this.node.headersSent || this.node.closed) return;
    this.node.respond(headers, { endStream: isEnd, waitForTrailers: !isEnd });
    if (isEnd) this.stopReading();
  }

  write(bytes: Buffer): void {
    const { node } = this;
    if (node.closed || node.writableEnded || bytes.length === 0) return;
    if (!this.addBacklog(bytes.length)) node.close(CODE.ENHANCE_YOUR_CALM);
    // Bytes of a closed stream remain counted until its RST_STREAM is sent.
    node.write(bytes, () => !node.closed && this.addBacklog(-bytes.length));
  }

  end({ headers }: HeaderBlock): void {
    const { node } = this;
    if (node.closed || node.writableEnded) return;
    node.once('wantTrailers', () => {
      node.sendTrailers(headers);
      this.stopReading();
    });
    node.end();
  }

  expire(): void {
    this.sink?.expired();
    if (!this.node.closed) this.node.close(CODE.CANCEL);
  }

  private stopReading(): void {
    if (!this.node.readableEnded) this.node.close(CODE.NO_ERROR);
  }
}
