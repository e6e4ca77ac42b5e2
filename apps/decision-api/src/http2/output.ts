import type { Socket } from 'node:net';

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
