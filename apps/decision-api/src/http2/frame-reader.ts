import { PendingBytes } from './pending-bytes.js';
import { CODE, ConnectionError, FRAME_HEAD, MAX_FRAME } from './protocol.js';

/** Takes one whole frame. `payload` is a view of what arrived: who keeps it, keeps all of that. */
export type FrameSink = (type: number, flags: number, stream: number, payload: Buffer) => void;

/** Cuts what arrives on a connection into frames. Holds one frame at most. */
export class FrameReader {
  /** Whole ones, since the beginning. */
  frames = 0;
  private readonly pending = new PendingBytes();

  constructor(private readonly sink: FrameSink) {}

  /** Whether a frame was begun that is not whole. */
  get isMidway(): boolean {
    return !this.pending.isEmpty;
  }

  /** Hands on each frame that is whole. @throws ConnectionError for one that is too large, as soon as its head is here */
  push(chunk: Buffer): void {
    const bytes = this.pending.add(chunk);
    if (bytes === undefined) return;
    let at = 0;
    let wanted = FRAME_HEAD;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUIntBE(at, 3);
      if (length > MAX_FRAME) {
        throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `a frame has ${MAX_FRAME} bytes at most`);
      }
      wanted = FRAME_HEAD + length;
      if (bytes.length - at < wanted) break;
      // The first bit is reserved, and ignored.
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
