import { CODE, ConnectionError, FRAME_HEAD, MAX_FRAME } from './protocol.js';

/** Takes one whole frame. `payload` is a view of what arrived: who keeps it, keeps all of that. */
export type FrameSink = (type: number, flags: number, stream: number, payload: Buffer) => void;

const NOTHING = Buffer.alloc(0);

/** Cuts what arrives on a connection into frames. Holds one frame at most. */
export class FrameReader {
  private pending: Buffer = NOTHING;

  constructor(private readonly sink: FrameSink) {}

  /** Hands on each frame that is whole. @throws ConnectionError for one that is too large, as soon as its head is here */
  push(chunk: Buffer): void {
    const bytes = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    this.pending = NOTHING;
    let at = 0;
    while (bytes.length - at >= FRAME_HEAD) {
      const length =
        ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
      if (length > MAX_FRAME)
        throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `a frame has ${MAX_FRAME} bytes at most`);
      const end = at + FRAME_HEAD + length;
      if (end > bytes.length) break;
      // The first bit is reserved, and ignored.
      const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
      this.sink(
        bytes[at + 3] as number,
        bytes[at + 4] as number,
        stream,
        bytes.subarray(at + FRAME_HEAD, end),
      );
      at = end;
    }
    // A copy, so that a few bytes do not hold the large buffer that they came in.
    if (at < bytes.length) this.pending = Buffer.from(bytes.subarray(at));
  }

  /** Whether a frame was begun that is not whole. */
  get isMidway(): boolean {
    return this.pending.length > 0;
  }
}
