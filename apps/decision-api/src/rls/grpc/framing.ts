import { PendingBytes } from '@tollgate/http2';
import { decompress, MAX_MESSAGE_BYTES } from './compression.js';
import { GrpcError, STATUS } from './status.js';

/** Bytes before each message: whether it is compressed, and its length. */
export const FRAME_HEAD = 5;

/** Cuts what arrives on a stream into messages. Holds one message at most. */
export class MessageReader {
  private readonly pending = new PendingBytes();

  /** @param encoding how messages of the call are compressed, `grpc-encoding` */
  constructor(private readonly encoding: string | undefined) {}

  /**
   * @returns the messages that are whole now, as they were before they were compressed
   * @throws GrpcError `RESOURCE_EXHAUSTED` for one that is too large; else as `decompress`
   */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    const bytes = this.pending.add(chunk);
    if (bytes === undefined) return messages;
    let at = 0;
    let wanted = FRAME_HEAD;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > MAX_MESSAGE_BYTES) {
        throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, `a message has ${MAX_MESSAGE_BYTES} bytes at most`);
      }
      wanted = FRAME_HEAD + length;
      if (bytes.length - at < wanted) break;
      const message = bytes.subarray(at + FRAME_HEAD, at + wanted);
      messages.push(bytes[at] === 0 ? message : decompress(message, this.encoding));
      at += wanted;
      wanted = FRAME_HEAD;
    }
    if (at < bytes.length) this.pending.keep(bytes.subarray(at), wanted);
    return messages;
  }

  /** Whether a message was begun that did not end. */
  get isMidway(): boolean {
    return this.pending.size > 0;
  }
}

/** Fills in the head of a message that was written behind room for it. */
export function withFrameHead(frame: Buffer): Buffer {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - FRAME_HEAD, 1);
  return frame;
}

/** A message with its head. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD + message.length);
  frame.set(message, FRAME_HEAD);
  return withFrameHead(frame);
}
