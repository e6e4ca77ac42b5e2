import type { Socket } from 'node:net';
import { encodeSettings, frame, numberFrame } from './frames.js';
import type { HeaderBlock } from './hpack.js';
import { CONNECTION_WINDOW, MAX_HEAD_BYTES, STREAM_WINDOW } from './limits.js';
import { DEFAULT_WINDOW, FLAG, FRAME, SETTING } from './protocol.js';

/** The first frames of a server. */
export function greeting(maxStreams: number): Buffer {
  const settings = encodeSettings([
    [SETTING.MAX_CONCURRENT_STREAMS, maxStreams],
    [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
    [SETTING.MAX_HEADER_LIST_SIZE, MAX_HEAD_BYTES],
  ]);
  return Buffer.concat([
    frame(FRAME.SETTINGS, 0, 0, settings),
    numberFrame(FRAME.WINDOW_UPDATE, 0, CONNECTION_WINDOW - DEFAULT_WINDOW),
  ]);
}

export const SETTINGS_ACK = frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(0));

/** RFC 7541 §6.3: a table of no bytes. */
const NO_TABLE = Buffer.from([0x20]);

/** Joins the writes of one event-loop turn to a connection: a system call costs more than many answers. */
export class Output {
  private parts: Buffer[] = [];
  private bytes = 0;
  private hasGivenUpTable = false;
  private queued = 0;

  /** @param onQueued receives the growth of the socket's queue, in bytes */
  constructor(
    private readonly socket: Socket,
    private readonly onQueued: (bytes: number) => void,
  ) {
    socket.on('drain', () => this.noteQueue());
  }

  /** Whether the peer has not read all that was written. */
  get isBlocked(): boolean {
    return this.socket.writableNeedDrain;
  }

  push(part: Buffer): void {
    if (this.parts.length === 0) process.nextTick(this.flush);
    this.parts.push(part);
    this.bytes += part.length;
  }

  /**
   * The bytes of a header block. The first block sets the table size to 0: peers with a table below the default size require this
   * update (RFC 7541 §4.2), and later changes of their size need no other.
   */
  headerBlock({ encoded }: HeaderBlock): Buffer {
    if (this.hasGivenUpTable) return encoded;
    this.hasGivenUpTable = true;
    return Buffer.concat([NO_TABLE, encoded]);
  }

  private readonly flush = () => {
    const { parts, bytes, socket } = this;
    const [first] = parts;
    if (first === undefined) return;
    this.parts = [];
    this.bytes = 0;
    if (!socket.writable) return;
    // Nothing is read from a peer that does not read.
    if (!socket.write(parts.length === 1 ? first : Buffer.concat(parts, bytes))) socket.pause();
    this.noteQueue();
  };

  /** Updates the number of queued bytes. */
  noteQueue(): void {
    const { writableLength } = this.socket;
    if (writableLength === this.queued) return;
    this.onQueued(writableLength - this.queued);
    this.queued = writableLength;
  }

  /** Writes the pending parts, then ends the socket. */
  end(): void {
    this.flush();
    this.socket.end();
  }
}
