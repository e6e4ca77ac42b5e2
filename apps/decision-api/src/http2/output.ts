import type { Socket } from 'node:net';

/** What is written to a connection in one turn of the event loop leaves in one piece: a system call costs more than many answers. */
export class Output {
  private parts: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly socket: Socket) {}

  push(part: Buffer): void {
    if (this.parts.length === 0) process.nextTick(this.flush);
    this.parts.push(part);
    this.bytes += part.length;
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
