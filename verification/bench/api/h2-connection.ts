import { connect, type Socket } from 'node:net';
import { Backlog } from './backlog.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const FRAME_HEAD = 9;
const [DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE] = [0, 1, 3, 4, 6, 7, 8];
const [END_STREAM, END_HEADERS, ACK] = [1, 4, 1];
const MAX_WINDOW = 2 ** 31 - 1;
const FIRST_WINDOW = 65_535;
const MAX_CONCURRENT_STREAMS = 3;

/**
 * Client side of an HTTP/2 connection that repeats one gRPC call at a few microseconds each; client libraries are
 * slower than the measured servers.
 */
export class H2Connection {
  private readonly path: string;
  private readonly token: string;
  private readonly message: Buffer;
  private readonly onAnswer: (dueMs: number, isAnswered: boolean) => void;
  private readonly socket: Socket;
  private pending: Buffer = Buffer.alloc(0);
  private outgoing: Buffer[] = [];
  private nextStream = 1;
  private received = 0;
  private sendWindow = FIRST_WINDOW;
  /** When calls were due that wait for room to send. */
  private readonly waiting = new Backlog<number>();
  /** Due times of calls in flight, by stream. */
  private readonly inFlight = new Map<number, number>();
  private isFirst = true;
  /** Calls that the server accepts at once; the protocol recommends at least 100. */
  private maxStreams = 100;
  private hadData = new Set<number>();

  /** @param onAnswer called at the end of each call; false: without a message */
  constructor(
    port: number,
    path: string,
    token: string,
    message: Buffer,
    onAnswer: (dueMs: number, isAnswered: boolean) => void,
  ) {
    this.path = path;
    this.token = token;
    this.message = message;
    this.onAnswer = onAnswer;
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const windowSetting = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]);
    const window = Buffer.alloc(4);
    window.writeUInt32BE(MAX_WINDOW - FIRST_WINDOW);
    this.socket.write(
      Buffer.concat([
        Buffer.from(PREFACE),
        frame(SETTINGS, 0, 0, windowSetting),
        frame(WINDOW_UPDATE, 0, 0, window),
      ]),
    );
    this.socket.on('data', (chunk) => this.read(chunk));
    this.socket.on('error', (error) => {
      throw error;
    });
  }

  /** Calls that have no answer yet. */
  get unanswered(): number {
    return this.inFlight.size + this.waiting.length;
  }

  /** Starts a call as soon as the server accepts another. @param dueMs passed to `onAnswer` */
  call(dueMs: number): void {
    this.waiting.push(dueMs);
    this.begin();
  }

  private begin(): void {
    while (
      this.waiting.length > 0 &&
      this.sendWindow >= this.message.length &&
      this.inFlight.size < this.maxStreams
    ) {
      const stream = this.nextStream;
      this.nextStream += 2;
      this.inFlight.set(stream, this.waiting.shift() as number);
      this.sendWindow -= this.message.length;
      this.outgoing.push(frame(HEADERS, END_HEADERS, stream, this.headerBlock()));
      this.outgoing.push(frame(DATA, END_STREAM, stream, this.message));
    }
  }

  /** Sends the started calls. */
  flush(): void {
    if (this.outgoing.length === 0) return;
    this.socket.write(Buffer.concat(this.outgoing));
    this.outgoing = [];
  }

  close(): void {
    this.socket.destroy();
  }

  /** The first call's fields go into the connection's table, the next ones' are a byte each: as clients do. */
  private headerBlock(): Buffer {
    if (!this.isFirst) return INDEXED;
    this.isFirst = false;
    return Buffer.concat([
      Buffer.from([0x83, 0x86]),
      literal(4, this.path),
      literal(1, 'localhost'),
      literal(31, 'application/grpc'),
      Buffer.concat([Buffer.from([0x40]), text('te'), text('trailers')]),
      literal(23, `Bearer ${this.token}`),
    ]);
  }

  private read(chunk: Buffer): void {
    const bytes = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    let at = 0;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUIntBE(at, 3);
      if (bytes.length - at < FRAME_HEAD + length) break;
      this.take(
        bytes[at + 3] as number,
        bytes[at + 4] as number,
        bytes.readUInt32BE(at + 5),
        bytes.subarray(at + FRAME_HEAD, at + FRAME_HEAD + length),
      );
      at += FRAME_HEAD + length;
    }
    this.pending = bytes.subarray(at);
    this.flush();
  }

  private take(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === DATA) {
      this.hadData.add(stream);
      this.received += payload.length;
      if (this.received > 2 ** 24) this.grantWindow();
    } else if (type === HEADERS && (flags & END_STREAM) !== 0) {
      const dueMs = this.inFlight.get(stream) as number;
      this.inFlight.delete(stream);
      this.onAnswer(dueMs, this.hadData.delete(stream));
      this.begin();
    } else if (type === SETTINGS && (flags & ACK) === 0) {
      for (let at = 0; at < payload.length; at += 6)
        if (payload.readUInt16BE(at) === MAX_CONCURRENT_STREAMS)
          this.maxStreams = payload.readUInt32BE(at + 2);
      this.outgoing.push(frame(SETTINGS, ACK, 0, Buffer.alloc(0)));
      this.begin();
    } else if (type === PING && (flags & ACK) === 0) {
      this.outgoing.push(frame(PING, ACK, 0, payload));
    } else if (type === WINDOW_UPDATE && stream === 0) {
      this.sendWindow += payload.readUInt32BE(0);
      this.begin();
    } else if (type === RST_STREAM || type === GOAWAY) {
      throw new Error(`the server ended ${stream === 0 ? 'the connection' : `stream ${stream}`}`);
    }
  }

  private grantWindow(): void {
    const more = Buffer.alloc(4);
    more.writeUInt32BE(this.received);
    this.received = 0;
    this.outgoing.push(frame(WINDOW_UPDATE, 0, 0, more));
  }
}

/** Method and scheme from the fixed table, then the five that the first call put into the connection's. */
const INDEXED = Buffer.from([0x83, 0x86, 0x80 | 66, 0x80 | 65, 0x80 | 64, 0x80 | 63, 0x80 | 62]);

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, FRAME_HEAD);
  return bytes;
}

/** A field with a name from the static table, added to the dynamic table. */
function literal(name: number, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40 | name]), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const head = bytes.length < 127 ? [bytes.length] : [127, bytes.length - 127];
  return Buffer.concat([Buffer.from(head), bytes]);
}
