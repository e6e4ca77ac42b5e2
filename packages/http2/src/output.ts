import type { Socket } from 'node:net';
import { encodeSettings, frame, numberFrame } from './frames.js';
import { CONNECTION_WINDOW, MAX_HEAD_BYTES, MAX_STREAMS, STREAM_WINDOW } from './limits.js';
import { DEFAULT_WINDOW, FLAG, FRAME, SETTING } from './protocol.js';

/** What a server says first. */
export const GREETING = Buffer.concat([
  frame(
    FRAME.SETTINGS,
    0,
    0,
    encodeSettings([
      [SETTING.MAX_CONCURRENT_STREAMS, MAX_STREAMS],
      [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
      [SETTING.MAX_HEADER_LIST_SIZE, MAX_HEAD_BYTES],
    ]),
  ),
  numberFrame(FRAME.WINDOW_UPDATE, 0, CONNECTION_WINDOW - DEFAULT_WINDOW),
]);

/** What it says to the client's settings. */
export const SETTINGS_ACK = frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(0));

/** RFC 7541 §6.3: a table of no bytes. */
const NO_TABLE = Buffer.from([0x20]);

/** What is written to a connection in one turn of the event loop leaves in one piece: a system call costs more than many answers. */
export class Output {
  private parts: Buffer[] = [];
  private bytes = 0;
  private hasGivenUpTable = false;

  constructor(private readonly socket: Socket) {}

  push(part: Buffer): void {
    if (this.parts.length === 0) process.nextTick(this.flush);
    this.parts.push(part);
    this.bytes += part.length;
  }

  /**
   * A header block as it is sent here. The first says that our blocks use no table: peers whose table is smaller than the usual one
   * wait for it, RFC 7541 §4.2, and nothing has to be said when they change it again.
   */
  headerBlock(block: Buffer): Buffer {
    if (this.hasGivenUpTable) return block;
    this.hasGivenUpTable = true;
    return Buffer.concat([NO_TABLE, block]);
  }

  private readonly flush = () => {
    const { parts, bytes, socket } = this;
    const [first] = parts;
    if (first === undefined) return;
    this.parts = [];
    this.bytes = 0;
    if (!socket.writable) return;
    // Who does not read what it is told is not listened to.
    if (!socket.write(parts.length === 1 ? first : Buffer.concat(parts, bytes))) socket.pause();
  };

  /** Writes what there is, and nothing afterwards. */
  end(): void {
    this.flush();
    this.socket.end();
  }
}
