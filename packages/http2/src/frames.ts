/** Frame types, RFC 9113 §6. */
export const FRAME = {
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

export const FRAME_NAMES: readonly string[] = Object.keys(FRAME);

/** Frame flags; their meaning depends on the type. */
export const FLAG = { ACK: 1, END_STREAM: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 0x20 } as const;

/** Error codes, RFC 9113 §7. */
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
export type Code = (typeof CODE)[keyof typeof CODE];

/** Settings, RFC 9113 §6.5.2. */
export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const FRAME_HEAD = 9;

/** The protocol's default. */
export const MAX_FRAME = 16_384;

export const DEFAULT_WINDOW = 65_535;

export const MAX_WINDOW = 2 ** 31 - 1;

/** Protocol violation or abuse. `message` is sent to the peer in GOAWAY. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    readonly code: Code,
    message: string,
  ) {
    super(message);
  }
}

export function protocolError(message: string): ConnectionError {
  return new ConnectionError(CODE.PROTOCOL_ERROR, message);
}

export function assertLength(name: string, payload: Uint8Array, bytes: number): void {
  if (payload.length !== bytes)
    throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `${name} has ${bytes} bytes`);
}

/** @returns position of the payload */
export function writeHead(
  into: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): number {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
  return at + FRAME_HEAD;
}

export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD + payload.length);
  bytes.set(payload, writeHead(bytes, 0, payload.length, type, flags, stream));
  return bytes;
}

export function numberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD + 4);
  bytes.writeUInt32BE(value, writeHead(bytes, 0, 4, type, 0, stream));
  return bytes;
}

/** @param message ASCII */
export function goawayFrame(lastStream: number, code: Code, message = ''): Buffer {
  const payload = Buffer.alloc(8 + message.length);
  payload.writeUInt32BE(lastStream, 0);
  payload.writeUInt32BE(code, 4);
  payload.write(message, 8, 'latin1');
  return frame(FRAME.GOAWAY, 0, 0, payload);
}

/** No part exceeds a frame. */
export function answerFrames(stream: number, head: Buffer, body: Buffer, trailers: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(3 * FRAME_HEAD + head.length + body.length + trailers.length);
  let at = writeHead(bytes, 0, head.length, FRAME.HEADERS, FLAG.END_HEADERS, stream);
  bytes.set(head, at);
  at = writeHead(bytes, at + head.length, body.length, FRAME.DATA, 0, stream);
  bytes.set(body, at);
  at = writeHead(
    bytes,
    at + body.length,
    trailers.length,
    FRAME.HEADERS,
    FLAG.END_HEADERS | FLAG.END_STREAM,
    stream,
  );
  bytes.set(trailers, at);
  return bytes;
}

/** Undefined: the padding exceeds the payload. RFC 9113 §6.1 */
export function withoutPadding(payload: Buffer, flags: number): Buffer | undefined {
  if ((flags & FLAG.PADDED) === 0) return payload;
  const end = payload.length - (payload[0] ?? payload.length);
  return end < 1 ? undefined : payload.subarray(1, end);
}

/** Buffers bytes until a wanted amount is complete. Joining on every piece would take quadratic time. */
export class PendingBytes {
  private parts: Buffer[] = [];
  private bytes = 0;
  private wanted = 1;

  get size(): number {
    return this.bytes;
  }

  /** @returns undefined: not complete yet */
  add(chunk: Buffer): Buffer | undefined {
    if (this.bytes === 0) return chunk;
    this.parts.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < this.wanted) return undefined;
    const all = Buffer.concat(this.parts, this.bytes);
    this.parts = [];
    this.bytes = 0;
    return all;
  }

  /** @param wanted bytes, including `rest`, that `add` waits for */
  keep(rest: Buffer, wanted: number): void {
    // Copy, because a view would retain the whole received buffer.
    this.parts = [Buffer.from(rest)];
    this.bytes = rest.length;
    this.wanted = wanted;
  }
}

export type FrameSink = (type: number, flags: number, stream: number, payload: Buffer) => void;

/** Splits bytes into frames; buffers at most one. */
export class FrameReader {
  frames = 0;
  private readonly pending = new PendingBytes();

  constructor(private readonly sink: FrameSink) {}

  get buffered(): number {
    return this.pending.size;
  }

  /** @throws ConnectionError for an oversized frame, as soon as its header arrives */
  push(chunk: Buffer): void {
    const bytes = this.pending.add(chunk);
    if (bytes === undefined) return;
    let at = 0;
    let wanted = FRAME_HEAD;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUIntBE(at, 3);
      if (length > MAX_FRAME) {
        throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `frame exceeds ${MAX_FRAME} bytes`);
      }
      wanted = FRAME_HEAD + length;
      if (bytes.length - at < wanted) break;
      const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
      const payload = bytes.subarray(at + FRAME_HEAD, at + wanted);
      this.sink(bytes[at + 3] as number, bytes[at + 4] as number, stream, payload);
      this.frames++;
      at += wanted;
      wanted = FRAME_HEAD;
    }
    if (at < bytes.length) this.pending.keep(bytes.subarray(at), wanted);
  }
}

const NO_BYTES = Buffer.alloc(0);

/** Strips the preface from the bytes of a connection. */
export class PrefaceReader {
  private seen: Buffer | undefined = NO_BYTES;

  /** @returns the bytes after the preface. @throws ConnectionError at the first different byte */
  push(chunk: Buffer): Buffer {
    if (this.seen === undefined) return chunk;
    const bytes = Buffer.concat([this.seen, chunk]);
    const length = Math.min(bytes.length, PREFACE.length);
    if (PREFACE.compare(bytes, 0, length, 0, length) !== 0) {
      throw protocolError('this port speaks HTTP/2, from the first byte');
    }
    this.seen = length < PREFACE.length ? bytes : undefined;
    return this.seen === undefined ? bytes.subarray(length) : NO_BYTES;
  }
}

const ENTRY_BYTES = 6;
const LARGEST_FRAME = 2 ** 24 - 1;

export function encodeSettings(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(settings.length * ENTRY_BYTES);
  for (const [i, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, i * ENTRY_BYTES);
    payload.writeUInt32BE(value, i * ENTRY_BYTES + 2);
  }
  return payload;
}

/**
 * Returns the initial window; undefined: unchanged. Validates other settings but does not need them: we send small
 * frames, no table references and no pushes.
 * @throws ConnectionError for invalid settings, RFC 9113 §6.5.2
 */
export function initialWindowOf(payload: Buffer): number | undefined {
  if (payload.length % ENTRY_BYTES !== 0) {
    throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `SETTINGS has entries of ${ENTRY_BYTES} bytes`);
  }
  let window: number | undefined;
  for (let at = 0; at < payload.length; at += ENTRY_BYTES) {
    const id = payload.readUInt16BE(at);
    const value = payload.readUInt32BE(at + 2);
    if (id === SETTING.ENABLE_PUSH && value > 1) throw wrong('ENABLE_PUSH');
    if (id === SETTING.MAX_FRAME_SIZE && (value < MAX_FRAME || value > LARGEST_FRAME))
      throw wrong('MAX_FRAME_SIZE');
    if (id !== SETTING.INITIAL_WINDOW_SIZE) continue;
    if (value > MAX_WINDOW)
      throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'INITIAL_WINDOW_SIZE is too large');
    window = value;
  }
  return window;
}

function wrong(name: string): ConnectionError {
  return protocolError(`${name} may not be that`);
}
