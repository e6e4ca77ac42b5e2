import { decompress, MAX_MESSAGE_BYTES } from './compression.js';
import { GrpcError, STATUS } from './status.js';

/** Bytes before each message: whether it is compressed, and its length. */
export const FRAME_HEAD = 5;

const NOTHING = Buffer.alloc(0);

/** Cuts what arrives on a stream into messages. Holds one message at most. */
export class MessageReader {
  private pending: Buffer = NOTHING;

  /** @param encoding how messages of the call are compressed, `grpc-encoding` */
  constructor(private readonly encoding: string | undefined) {}

  /**
   * @returns the messages that are whole now, as they were before they were compressed
   * @throws GrpcError `RESOURCE_EXHAUSTED` for one that is too large; else as `decompress`
   */
  push(chunk: Buffer): Buffer[] {
    const bytes = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    const messages: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > MAX_MESSAGE_BYTES) {
        throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, `a message has ${MAX_MESSAGE_BYTES} bytes at most`);
      }
      if (bytes.length - at - FRAME_HEAD < length) break;
      const message = bytes.subarray(at + FRAME_HEAD, at + FRAME_HEAD + length);
      messages.push(bytes[at] === 0 ? message : decompress(message, this.encoding));
      at += FRAME_HEAD + length;
    }
    this.pending = at === bytes.length ? NOTHING : at === 0 ? bytes : bytes.subarray(at);
    return messages;
  }

  /** Whether a message was begun that did not end. */
  get isMidway(): boolean {
    return this.pending.length > 0;
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
