import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Field, HpackReader } from './hpack.js';

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const FRAME_HEAD = 9;
export const TYPE = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;
export const FLAG = { ACK: 1, END_STREAM: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const;
export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
} as const;
export const CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const;
export type CodeName = keyof typeof CODE;

const NOTHING = Buffer.alloc(0);

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
  /** Of a frame that ends a header block. */
  readonly fields?: readonly Field[];
}

/** Encodes a frame without validation. */
export function frame(type: number, flags: number, stream: number, payload: Buffer = NOTHING): Buffer {
  const bytes = Buffer.alloc(FRAME_HEAD + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream >>> 0, 5);
  payload.copy(bytes, FRAME_HEAD);
  return bytes;
}

export type Setting = readonly [id: number, value: number];

/** SETTINGS of these numbers, in order. */
export function settings(...values: readonly Setting[]): Buffer {
  const payload = Buffer.alloc(values.length * 6);
  values.forEach(([id, value], i) => {
    payload.writeUInt16BE(id, i * 6);
    payload.writeUInt32BE(value, i * 6 + 2);
  });
  return frame(TYPE.SETTINGS, 0, 0, payload);
}

/** A frame of one number: WINDOW_UPDATE, RST_STREAM. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value >>> 0);
  return frame(type, 0, stream, payload);
}

export const grant = (stream: number, bytes: number) => numberFrame(TYPE.WINDOW_UPDATE, stream, bytes);
export const reset = (stream: number, code: CodeName = 'CANCEL') =>
  numberFrame(TYPE.RST_STREAM, stream, CODE[code]);
export const ping = (payload = 'pingpong', flags = 0) => frame(TYPE.PING, flags, 0, Buffer.from(payload));

/** Adds a pad length and padding to a payload. */
export function padded(payload: Buffer, padding: number): Buffer {
  return Buffer.concat([Buffer.from([padding]), payload, Buffer.alloc(padding)]);
}

/** Raw HTTP/2 client for tests: sends anything and keeps received frames until they are read. */
export class RawH2 {
  /** Unread frames, in order. */
  readonly frames: Frame[] = [];
  readonly hpack = new HpackReader();
  readonly socket: Socket;
  /** Received DATA bytes by stream; key 0: total. */
  readonly received = new Map<number, number>();
  /** Initial window that the server grants on each stream. */
  firstWindow = 65_535;
  /** The server's last SETTINGS_MAX_CONCURRENT_STREAMS. */
  maxStreams = Number.POSITIVE_INFINITY;
  isClosed = false;
  /** Protocol violation by the server. */
  fault: Error | undefined;
  private pending: Buffer = NOTHING;
  private fragments: Buffer[] = [];
  private waiters: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.read(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
  }

  /** Connects without sending anything. */
  static async connect(port: number): Promise<RawH2> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const connection = new RawH2(socket);
    await once(socket, 'connect');
    return connection;
  }

  /** Greeted, and each side's settings acknowledged. */
  static async open(port: number, ...values: readonly Setting[]): Promise<RawH2> {
    const connection = await RawH2.connect(port);
    connection.send(PREFACE, settings(...values));
    await connection.next(({ type, flags }) => type === TYPE.SETTINGS && flags === 0);
    connection.send(frame(TYPE.SETTINGS, FLAG.ACK, 0));
    await connection.next(({ type, flags }) => type === TYPE.SETTINGS && flags === FLAG.ACK);
    const table = values.find(([id]) => id === SETTING.HEADER_TABLE_SIZE);
    if (table !== undefined) connection.hpack.allow(table[1]);
    return connection;
  }

  send(...bytes: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(bytes));
  }

  /** Returns the next matching frame. @throws Error when the connection closes first */
  async next(isWanted: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.findIndex(isWanted);
      if (found >= 0) return this.frames.splice(found, 1)[0] as Frame;
      this.assertOpen();
      await this.change();
    }
  }

  /** @throws Error when the connection closes before */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      this.assertOpen();
      await this.change();
    }
  }

  /** All that was sent before was looked at when it resolves. @throws Error when the connection closes before */
  async settled(): Promise<void> {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(++pings);
    this.send(frame(TYPE.PING, 0, 0, payload));
    await this.next((one) => one.type === TYPE.PING && one.flags === FLAG.ACK && one.payload.equals(payload));
  }

  /** The server has ended the connection. */
  async closed(): Promise<void> {
    while (!this.isClosed) await this.change();
  }

  close(): void {
    this.socket.destroy();
  }

  private assertOpen(): void {
    if (this.isClosed) throw this.fault ?? new Error('the connection is closed');
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private wake(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const waiter of waiters) waiter();
  }

  private read(chunk: Buffer): void {
    const bytes = Buffer.concat([this.pending, chunk]);
    let at = 0;
    while (bytes.length - at >= FRAME_HEAD) {
      const end = at + FRAME_HEAD + bytes.readUIntBE(at, 3);
      if (bytes.length < end) break;
      const [type, flags] = [bytes[at + 3] as number, bytes[at + 4] as number];
      this.take(type, flags, bytes.readUInt32BE(at + 5), bytes.subarray(at + FRAME_HEAD, end));
      at = end;
    }
    this.pending = bytes.subarray(at);
    this.wake();
  }

  private take(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === TYPE.DATA) {
      for (const id of [0, stream]) this.received.set(id, (this.received.get(id) ?? 0) + payload.length);
    }
    for (let at = 0; type === TYPE.SETTINGS && at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) === SETTING.INITIAL_WINDOW_SIZE)
        this.firstWindow = payload.readUInt32BE(at + 2);
      if (payload.readUInt16BE(at) === SETTING.MAX_CONCURRENT_STREAMS)
        this.maxStreams = payload.readUInt32BE(at + 2);
    }
    if (type !== TYPE.HEADERS && type !== TYPE.CONTINUATION) {
      this.frames.push({ type, flags, stream, payload });
      return;
    }
    this.fragments.push(payload);
    if ((flags & FLAG.END_HEADERS) === 0) return;
    try {
      const fields = this.hpack.read(Buffer.concat(this.fragments));
      this.frames.push({ type, flags, stream, payload, fields });
    } catch (error) {
      this.fault = error as Error;
      this.socket.destroy();
    }
    this.fragments = [];
  }
}

let pings = 0;
