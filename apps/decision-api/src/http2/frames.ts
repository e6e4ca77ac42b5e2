import { type Code, FLAG, FRAME, FRAME_HEAD } from './protocol.js';

/** Writes the head of a frame. @returns where its payload begins */
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

/** A frame whose payload is one number of 32 bits. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD + 4);
  bytes.writeUInt32BE(value, writeHead(bytes, 0, 4, type, 0, stream));
  return bytes;
}

/** Why the connection ends, and up to which stream requests were taken. @param message of ASCII */
export function goawayFrame(lastStream: number, code: Code, message = ''): Buffer {
  const payload = Buffer.alloc(8 + message.length);
  payload.writeUInt32BE(lastStream, 0);
  payload.writeUInt32BE(code, 4);
  payload.write(message, 8, 'latin1');
  return frame(FRAME.GOAWAY, 0, 0, payload);
}

/** A whole response, in one piece: no part of it is larger than a frame. */
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

/** What a frame carries without its padding; undefined: it has more padding than there is of it. RFC 9113 §6.1 */
export function withoutPadding(payload: Buffer, flags: number): Buffer | undefined {
  if ((flags & FLAG.PADDED) === 0) return payload;
  const end = payload.length - (payload[0] ?? payload.length);
  return end < 1 ? undefined : payload.subarray(1, end);
}
